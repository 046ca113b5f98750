import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import type { PartitionChoice } from "../run/ConversionRequest.ts"
import { languageNames, offeredLanguages } from "../studio/viewer/texts/languages.ts"
import { rejectedForms } from "./Rejected.ts"

const file = (name: string) => Flag.String(name).pipe(Flag.withMetavar("FILE"))

/** What is converted. */
export const inputs = Argument.String("input").pipe(
  Argument.withDescription("Input files, folders, or globs, or - for standard input; gzip is detected"),
  Argument.variadic({ min: 1 })
)

/** A `facility.yaml`, or a folder that holds one. */
export const facility = file("facility").pipe(
  Flag.withDescription("Facility settings: a facility.yaml file, or the folder that contains it"),
  Flag.optional
)

/** The facility as it was typed, for a command to type next. */
export const facilityFlag = ({ facility }: { readonly facility: Option.Option<string> }): string =>
  Option.isNone(facility) ? "" : ` --facility ${facility.value}`

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

/** What every command takes. */
export const common = {
  format: Flag.Literals("format", formats).pipe(
    Flag.withDescription("Message format (default: human)"),
    Flag.withDefault("human")
  ),
  showValues: Flag.Boolean("show-values").pipe(
    Flag.withDescription("Include source values in messages. They can contain patient data"),
    Flag.withDefault(false)
  ),
  quiet: Flag.Boolean("quiet").pipe(
    Flag.withAlias("q"),
    Flag.withDescription("Print only errors"),
    Flag.withDefault(false)
  )
}
export interface Common {
  readonly format: Format
  readonly showValues: boolean
  readonly quiet: boolean
  readonly verbose?: boolean
  readonly language?: string
}

/** How the end of a run is shown. */
export const presentation = {
  verbose: Flag.Boolean("verbose").pipe(
    Flag.withDescription("Show each problem with its source location and help; default on a terminal: one line each"),
    Flag.withDefault(false)
  ),
  language: Flag.String("language").pipe(
    Flag.withMetavar("LANGUAGE"),
    Flag.filter(
      (name) => (languageNames as ReadonlyArray<string>).includes(name),
      (name) => `--language takes one of ${offeredLanguages.join(", ")}, not ${name}`
    ),
    Flag.withDescription(`Language of the verdict and the page: ${offeredLanguages.join(", ")} (default: en)`),
    Flag.withDefault("en")
  )
}

/** Where the results go. */
export const results = {
  output: file("output").pipe(
    Flag.withAlias("o"),
    Flag.withDescription("Write visits to FILE: .ndjson (one per line), .json (one request), or - (standard output)"),
    Flag.optional
  ),
  report: file("report").pipe(
    Flag.withDescription(
      "Write a run report: .html, .json, or .prom (metrics). Repeatable"
    ),
    Flag.atLeast(0)
  ),
  rejected: file("rejected").pipe(
    Flag.withDescription("Write rejected visits and unassigned records, with their problems"),
    Flag.optional
  ),
  as: Flag.Literals("as", rejectedForms).pipe(
    Flag.withDescription("Format of --rejected (default: json)"),
    Flag.withDefault("json")
  )
}

export const coverage = file("coverage").pipe(
  Flag.withDescription(
    "Write a coverage report: elements, records, and codes that no mapping line uses. FILE: .json, .txt, or - (standard output)"
  ),
  Flag.optional
)

export const rejectedOk = Flag.Boolean("rejected-ok").pipe(
  Flag.withDescription("Exit with 0 instead of 1 if visits were rejected, or refused by the service"),
  Flag.withDefault(false)
)

export const withoutBase = Flag.Boolean("without-base").pipe(
  Flag.withDescription("Convert an incremental export (_since) even if its base export is not in the input"),
  Flag.withDefault(false)
)

export const part = Flag.String("part").pipe(
  Flag.withMetavar("I/N"),
  Flag.filterMap(
    (text): Option.Option<Pick<PartitionChoice, "index" | "count">> => {
      const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/u.exec(text)?.map(Number) ?? []
      return index === undefined || count === undefined || index < 1 || index > count
        ? Option.none()
        : Option.some({ index, count })
    },
    (text) => `--part must be I/N, for example 7/64; found ${text}`
  ),
  Flag.withDescription(
    "Convert part I of the N parts that `partition` wrote. INPUT is their folder or the file of the part"
  ),
  Flag.optional
)

export const parts = file("parts").pipe(
  Flag.withDescription("The parts.json that `partition` wrote (default: next to the input)"),
  Flag.optional
)

export const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Show what would be sent without sending it"),
  Flag.withDefault(false)
)

export const sandboxFlag = Flag.Boolean("sandbox").pipe(
  Flag.withDescription("Send to the embedded sandbox with a temporary journal"),
  Flag.withDefault(false)
)

export const keepGoing = Flag.Boolean("keep-going").pipe(
  Flag.withDescription("Continue after 20 equal refusals in a row"),
  Flag.withDefault(false)
)

/** Maximum visits per request. The specification states no limit (§8), and a refused batch is sent again one by one. */
const maxBatch = 500

export const batch = Flag.Int("batch").pipe(
  Flag.withMetavar("N"),
  Flag.filter((count) => count >= 1 && count <= maxBatch, () => `--batch must be a number from 1 to ${maxBatch}`),
  Flag.withDescription(
    `Visits per request, 1-${maxBatch} (default: 1). Use more only if the operator has documented batch responses`
  ),
  Flag.withDefault(1)
)
