import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import type { ConversionRequest, PartChoice } from "../run/ConversionRequest.ts"
import { languageNames, offeredLanguages } from "../studio/viewer/texts/languages.ts"
import { rejectedForms } from "./files/Rejected.ts"

/** Makes a flag `undefined` if it is not given. */
export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined)

/** A flag without a value. */
export const switchFlag = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A flag with a text. An empty one is an error. */
export const textFlag = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.filter(isGiven, notEmpty))

/** An argument with a text. */
export const argumentFor = (name: string, description: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withDescription(description), Argument.filter(isGiven, notEmpty))

/** An empty text is what a shell makes of a variable that is not set. No command has a meaning for it. */
const isGiven = (text: string): boolean => text !== ""
const notEmpty = (): string => "a text that is not empty"

/** A flag with a whole number, 1 or more unless `range` differs. */
export const numberFlag = (
  name: string,
  description: string,
  { max, min = 1 }: { readonly min?: number; readonly max?: number } = {}
): Flag.Flag<number> =>
  Flag.String(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => {
        const value = /^-?\d{1,15}$/u.test(text) ? Number(text) : Number.NaN
        return value >= min && value <= (max ?? Infinity) ? Option.some(value) : Option.none()
      },
      () =>
        max !== undefined
          ? `a whole number from ${min} to ${max}`
          : min === -Infinity
          ? "a whole number"
          : `a whole number, at least ${min}`
    )
  )

/** A flag with one of several words. The description names them. */
export const wordFlag = <const Words extends ReadonlyArray<string>>(
  name: string,
  metavar: string,
  words: Words,
  description: string
): Flag.Flag<Words[number]> =>
  Flag.Literals(name, words).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** `-o`: what a command writes. */
export const outputFlag = (metavar: string, description: string): Flag.Flag<string> =>
  textFlag("output", metavar, description).pipe(Flag.withAlias("o"))

/** A port on loopback. */
export const portFlag = (description: string): Flag.Flag<number> =>
  numberFlag("port", description, { min: 0, max: 65_535 })

const input = argumentFor("input", "Input files, folders, or globs, or - for standard input; gzip is detected")

/** What is converted. */
export const inputs = Argument.variadic(input, { min: 1 })
export const optionalInputs = Argument.variadic(input)

const visitFile = argumentFor(
  "file",
  "File of visits: .ndjson, or .json with a submission request, an array, or one visit"
)

/** Files of visits, as `convert` writes them. */
export const visitFiles = Argument.variadic(visitFile, { min: 1 })
export const optionalVisitFiles = Argument.variadic(visitFile)

/** A `facility.yaml`, or a folder that holds one. */
export const facility = optional(
  textFlag("facility", "FILE", "Facility settings: a facility.yaml file, or the folder that contains it")
)

/** A mapping by its name or file. */
export const mapping = argumentFor(
  "mapping",
  "A mapping file, or the name of a shipped mapping (default: the facility's mapping)"
).pipe(
  Argument.optional,
  Argument.map(Option.getOrUndefined)
)

/** Returns the facility flag as it was typed, for the next command. */
export const facilityFlag = ({ facility }: { readonly facility: string | undefined }): string =>
  facility === undefined ? "" : ` --facility ${shellWord(facility)}`

/** Quotes a path for a shell, if necessary. */
export const shellWord = (path: string): string =>
  /^[\w./@:+-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

const formats = ["human", "json", "line"] as const
export type Format = (typeof formats)[number]

/** Returns the format that a command line requests, even if the command line is invalid. */
export const formatIn = (words: ReadonlyArray<string>): Format => {
  const end = words.indexOf("--")
  const read = end < 0 ? words : words.slice(0, end)
  const stated = read.flatMap((word, index) =>
    word === "--format" ? [read[index + 1]] : word.startsWith("--format=") ? [word.slice("--format=".length)] : []
  )
  return formats.find((format) => format === stated.at(-1)) ?? "human"
}

/** The flags of every command. */
export const common = {
  format: wordFlag("format", "FORMAT", formats, "Message format: human, json, or line (default: human)").pipe(
    Flag.withDefault("human")
  ),
  showValues: switchFlag("show-values", "Include source values in messages. They can contain patient data"),
  quiet: switchFlag("quiet", "Print only errors").pipe(Flag.withAlias("q"))
}

export interface Common {
  readonly format: Format
  readonly showValues: boolean
  readonly quiet: boolean
  readonly verbose?: boolean
  readonly language?: string
}

/** Flags for the output at the end of a run. */
export const presentation = {
  verbose: switchFlag(
    "verbose",
    "Show each problem with its source location and help (default on a terminal: one line each)"
  ),
  language: textFlag(
    "language",
    "LANGUAGE",
    `Language of the verdict and the page: ${offeredLanguages.join(", ")} (default: en)`
  ).pipe(
    Flag.filter(
      (name) => languageNames.some((language) => language === name),
      () => `one of ${offeredLanguages.join(", ")}`
    ),
    Flag.withDefault("en")
  )
}

/** Flags for the files of results. */
export const results = {
  output: optional(
    outputFlag("FILE", "Write visits to FILE: .ndjson (one per line), .json (one request), or - (standard output)")
  ),
  report: textFlag("report", "FILE", "Write a run report: .html, .json, or .prom (metrics). Repeatable").pipe(
    Flag.atLeast(0)
  ),
  rejected: optional(
    textFlag("rejected", "FILE", "Write rejected visits and unassigned records, with their problems")
  ),
  as: wordFlag("as", "FORMAT", rejectedForms, `Format of --rejected: ${rejectedForms.join(" or ")} (default: json)`)
    .pipe(Flag.withDefault("json"))
}

export const coverage = optional(textFlag(
  "coverage",
  "FILE",
  "Write the elements, records, and codes that no mapping line uses. FILE: .json, .txt, or - (standard output)"
))

export const rejectedOk = switchFlag(
  "rejected-ok",
  "Exit with 0 instead of 1 if visits were rejected, or refused by the service"
)

export const withoutBase = switchFlag(
  "without-base",
  "Convert an incremental export (_since) even if its base export is not in the input"
)

export const engine = optional(
  wordFlag(
    "engine",
    "ENGINE",
    ["generated", "definition"],
    "What evaluates the mapping: generated code, or its definition. Both make the same visits (default: generated if the input is large)"
  ).pipe(Flag.map((name): ConversionRequest["engine"] => name === "definition" ? name : {}))
)

export const part = optional(
  textFlag(
    "part",
    "I/N",
    "Convert part I of the N parts that `partition` wrote. INPUT is their folder or the file of the part"
  ).pipe(Flag.filterMap(
    (text): Option.Option<Pick<PartChoice, "index" | "count">> => {
      const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/u.exec(text)?.map(Number) ?? []
      return index === undefined || count === undefined || index < 1 || index > count
        ? Option.none()
        : Option.some({ index, count })
    },
    () => "I/N, for example 7/64"
  ))
)

export const parts = optional(
  textFlag("parts", "FILE", "The parts.json that `partition` wrote (default: next to the input)")
)

export const dryRun = switchFlag("dry-run", "Show what would be sent without sending it")

export const sandboxFlag = switchFlag("sandbox", "Send to the embedded sandbox with a temporary journal")

export const keepGoing = switchFlag("keep-going", "Continue after 20 equal refusals in a row")

/** Maximum visits per request. The specification states no limit (§8), and a refused batch is sent again one by one. */
const maxBatch = 500

export const batch = numberFlag(
  "batch",
  `Visits per request, 1-${maxBatch} (default: 1). Use more only if the operator has documented batch responses`,
  { max: maxBatch }
).pipe(Flag.withDefault(1))
