import { Option } from "effect"
import { Flag } from "effect/cli"
import type { Shard } from "../partition/cutParts.ts"

const file = (name: string) => Flag.String(name).pipe(Flag.withMetavar("FILE"))

/** A `facility.yaml`, or a folder that holds one. */
export const facility = file("facility").pipe(
  Flag.withDescription("The facility's settings: a facility.yaml, or a folder that holds one"),
  Flag.optional
)

/** The facility as it was typed, for a command to type next. */
export const facilityFlag = ({ facility }: { readonly facility: Option.Option<string> }): string =>
  Option.isNone(facility) ? "" : ` --facility ${facility.value}`

export const formats = ["human", "json", "line"] as const
export type Format = (typeof formats)[number]

/** The format that a command line asks for, as far as it can be told of one that cannot be read. */
export const formatIn = (words: ReadonlyArray<string>): Format => {
  const end = words.indexOf("--")
  const read = end < 0 ? words : words.slice(0, end)
  const said = read.flatMap((word, index) =>
    word === "--format" ? [read[index + 1]] : word.startsWith("--format=") ? [word.slice("--format=".length)] : []
  )
  return formats.find((format) => format === said.at(-1)) ?? "human"
}

/** What every command takes. */
export const common = {
  format: Flag.Literals("format", formats).pipe(
    Flag.withDescription("How messages are written: drawn for people (unless said), as JSON, or one line each"),
    Flag.withDefault("human")
  ),
  showValues: Flag.Boolean("show-values").pipe(
    Flag.withDescription("Show values of the source in messages; they may be patient data"),
    Flag.withDefault(false)
  ),
  quiet: Flag.Boolean("quiet").pipe(
    Flag.withAlias("q"),
    Flag.withDescription("Say nothing but errors"),
    Flag.withDefault(false)
  )
}
export interface Common {
  readonly format: Format
  readonly showValues: boolean
  readonly quiet: boolean
}

/** Where the results go. */
export const results = {
  output: file("output").pipe(
    Flag.withAlias("o"),
    Flag.withDescription("Write the visits: .ndjson one a line, .json as one request, - to standard output"),
    Flag.optional
  ),
  report: file("report").pipe(
    Flag.withDescription(
      "Write what came of the run: .html for people, .json, or its counts as .prom. May be given more than once"
    ),
    Flag.atLeast(0)
  ),
  rejected: file("rejected").pipe(
    Flag.withDescription("Write each visit that cannot be sent, and each record of no visit, with its problems"),
    Flag.optional
  )
}

export const coverage = file("coverage").pipe(
  Flag.withDescription(
    "Write what no line of the mapping read: elements, records, codes. A .json file, or text; - to standard output"
  ),
  Flag.optional
)

export const rejectedOk = Flag.Boolean("rejected-ok").pipe(
  Flag.withDescription("Exit with 0 instead of 1 where visits or records were rejected, or refused by the service"),
  Flag.withDefault(false)
)

export const withoutBase = Flag.Boolean("without-base").pipe(
  Flag.withDescription("Convert an export of changes (_since) also where the export before them is not in the input"),
  Flag.withDefault(false)
)

export const shard = Flag.String("shard").pipe(
  Flag.withMetavar("I/N"),
  Flag.filterMap(
    (text): Option.Option<Shard> => {
      const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/u.exec(text)?.map(Number) ?? []
      return index === undefined || count === undefined || index < 1 || index > count
        ? Option.none()
        : Option.some({ index, count })
    },
    (text) => `--shard takes the number of a share and how many there are, 1/4 to 4/4, and not ${text}`
  ),
  Flag.withDescription(
    "Do one of N shares of the run, by patient; N processes do the whole, each reading all of the input"
  ),
  Flag.optional
)

export const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Show what would be sent, and send nothing"),
  Flag.withDefault(false)
)

export const sandbox = Flag.Boolean("sandbox").pipe(
  Flag.withDescription("Rehearse: send to an embedded service on this machine, with a journal that is thrown away"),
  Flag.withDefault(false)
)

export const keepGoing = Flag.Boolean("keep-going").pipe(
  Flag.withDescription("Send on although twenty visits in a row were refused alike"),
  Flag.withDefault(false)
)

/** The most visits that fit a request: the specification states no limit (§8), and a refused batch is sent again one by one. */
const maxBatch = 500

export const batch = Flag.Int("batch").pipe(
  Flag.withMetavar("N"),
  Flag.filter((count) => count >= 1 && count <= maxBatch, () => `--batch takes a number from 1 to ${maxBatch}`),
  Flag.withDescription(
    `Visits in one request, 1 to ${maxBatch}; 1 unless said, and more only when the operator has said what an answer to several means`
  ),
  Flag.withDefault(1)
)
