import { Effect } from "effect"
import { compareTexts } from "../../compareTexts.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { originText, typeAt } from "../../diagnostic/Origin.ts"
import { columns } from "../../diagnostic/render/columns.ts"
import { printable } from "../../diagnostic/render/printable.ts"
import { cut } from "../../diagnostic/shown.ts"
import { spanText } from "../../diagnostic/Span.ts"
import { getOrMake } from "../../maps.ts"
import type { Coverage, UnusedReason, UnusedRecord } from "../../run/accounts/coverage.ts"
import type { CountedCode } from "../../run/Conversion.ts"
import { openOutput } from "../files/Output.ts"

/** Writes what no mapping line read, as JSON (`.json`) or as text. It has names, source locations, and counts, but no values. */
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

const coverageJson = ({ elements, types, unusedRecords }: Coverage, unmapped: ReadonlyArray<CountedCode>) => ({
  types,
  elements: elements.map(({ element, origin, records, source, type }) => ({
    type,
    element,
    records,
    first: { source, origin: originText(origin) }
  })),
  unmapped: unmapped.map(({ code, count, display, system, table }) => ({ table, system, code, display, count })),
  unusedRecords: unusedRecords.map(({ code, origin, refusedBy, source, why }) => ({
    source,
    origin: originText(origin),
    why,
    code,
    refusedBy: refusedBy.map(({ condition, mapping, section }) => ({ section, condition, mapping: spanText(mapping) }))
  }))
})

const reasons: Readonly<Record<UnusedReason, string>> = {
  "not-read": "of types that no line reads",
  "not-a-visit": "planned, cancelled or entered in error, or of such an encounter",
  "not-chosen": "records of visits that conditions exclude from every section",
  "not-taken": "records of visits that lines look up without using a value",
  "not-named": "in no visit, and referenced by no record of a visit"
}

/** Returns the coverage as text, without empty parts. */
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
        unread.map((
          { element, origin, records, source }
        ) => [number(records), element, `${source}  ${originText(origin)}`])
      )
    ])
  }
  if (unmapped.length > 0) {
    parts.push([
      "Unmapped codes",
      ...table(
        unmapped.map(({ code, count, system, table }) => [
          number(count),
          table,
          system === null ? code : `${code}  in ${system}`
        ])
      )
    ])
  }
  const leftOut = types.filter(({ leftOut }) => leftOut > 0)
  if (leftOut.length > 0) {
    parts.push([
      "Not used: copies, older versions and deleted records",
      ...table(leftOut.map(({ leftOut, type }) => [number(leftOut), type]))
    ])
  }
  const kinds = excludedKinds(unusedRecords)
  if (kinds.length > 0) parts.push(["Records of visits that conditions exclude, by kind", ...kinds])
  for (const [why, reason] of Object.entries(reasons)) {
    const records = unusedRecords.filter((record) => record.why === why)
    if (records.length === 0) continue
    parts.push([
      `Not used: ${reason} (${number(records.length)})`,
      ...table(records.map(({ origin, source }) => [source === "" ? "?" : source, originText(origin)]))
    ])
  }
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n")
}

/** Records that no section uses: the number of each kind, and the conditions that exclude them. */
const excludedKinds = (records: ReadonlyArray<UnusedRecord>): ReadonlyArray<string> => {
  const kinds = new Map<string, { count: number; readonly name: string; readonly first: UnusedRecord }>()
  for (const record of records) {
    if (record.refusedBy.length === 0) continue
    const type = typeAt(record.origin)
    const code = record.code === null
      ? ""
      : `   ${record.code.code}${record.code.system === null ? "" : `  in ${record.code.system}`}`
    const name = `${type}${code}`
    const key = `${name}\n${record.refusedBy.map(({ mapping }) => spanText(mapping)).join("\n")}`
    getOrMake(kinds, key, () => ({ count: 0, name, first: record })).count++
  }
  return [...kinds].toSorted(([a, one], [b, other]) => other.count - one.count || compareTexts(a, b)).flatMap((
    [, { count, first, name }]
  ) => [
    `  ${number(count)} × ${printable(name)}`,
    ...columns(
      first.refusedBy.map(({ condition, mapping, section }) => [section, spanText(mapping), cut(condition, 72)])
    )
      .map((line) => `      ${line}`)
  ])
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  columns(rows).map((line) => `  ${line}`)
