import { Effect } from "effect"
import { number, plural } from "../diagnostic/count.ts"
import { printable } from "../diagnostic/printable.ts"
import type { CountedCode } from "../pipeline/convertRecords.ts"
import type { Coverage, WhyUnused } from "../pipeline/coverage.ts"
import type { Origin } from "../source/SourceRecord.ts"
import { openOutput } from "./Output.ts"
import { columns } from "./summary.ts"

/** Writes what no mapping line read: `.json` for machines, anything else as text. It holds names, places and counts, no values. */
export const writeCoverage = (file: string, coverage: Coverage, unmapped: ReadonlyArray<CountedCode>) =>
  Effect.scoped(Effect.gen(function*() {
    const output = yield* openOutput(file)
    yield* output.write(
      file.endsWith(".json")
        ? `${JSON.stringify(coverageJson(coverage, unmapped), null, 2)}\n`
        : coverageText(coverage, unmapped)
    )
    yield* output.commit
  }))

const place = ({ file, line }: Origin): string => `${file}:${line}`

const coverageJson = ({ elements, types, unusedRecords }: Coverage, unmapped: ReadonlyArray<CountedCode>) => ({
  types,
  elements: elements.map(({ element, origin, records, source, type }) => ({
    type,
    element,
    records,
    first: { source, origin: place(origin) }
  })),
  unmapped: unmapped.map(({ code, count, display, system, table }) => ({ table, system, code, display, count })),
  unusedRecords: unusedRecords.map(({ origin, source, why }) => ({ source, origin: place(origin), why }))
})

const reasons: Readonly<Record<WhyUnused, string>> = {
  "not-a-visit": "planned, cancelled or entered in error, or of such an encounter",
  "not-chosen": "records of visits that every line leaves out",
  "not-named": "in no visit, and named by no record of one"
}

/** The whole account as a page of text, each part only where it has something to say. */
export const coverageText = (
  { elements, types, unusedRecords }: Coverage,
  unmapped: ReadonlyArray<CountedCode>
): string => {
  const parts: Array<ReadonlyArray<string>> = [[
    "Records by type",
    ...table([
      ["", "records", "in visits", "not used", "rejected"],
      ...types.map(({ inVisits, records, rejected, type, unused }) => [
        type,
        number(records),
        number(inVisits),
        number(unused),
        number(rejected)
      ])
    ])
  ]]
  for (const { inVisits, type } of types) {
    const unread = elements.filter((element) => element.type === type)
    if (unread.length === 0) continue
    parts.push([
      `Elements of ${type} that no line reads, in ${plural(inVisits, "record")} of visits`,
      ...table(
        unread.map(({ element, origin, records, source }) => [number(records), element, `${source}  ${place(origin)}`])
      )
    ])
  }
  if (unmapped.length > 0) {
    parts.push([
      "Codes without a row",
      ...table(
        unmapped.map(({ code, count, system, table }) => [
          number(count),
          table,
          system === null ? code : `${code}  in ${system}`
        ])
      )
    ])
  }
  for (const why of Object.keys(reasons) as ReadonlyArray<WhyUnused>) {
    const records = unusedRecords.filter((record) => record.why === why)
    if (records.length === 0) continue
    parts.push([
      `Not used: ${reasons[why]} (${number(records.length)})`,
      ...table(records.map(({ origin, source }) => [source === "" ? "?" : source, place(origin)]))
    ])
  }
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n")
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  columns(rows.map((row) => row.map(printable))).map((line) => `  ${line}`)
