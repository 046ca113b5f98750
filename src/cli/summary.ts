import { withoutIndexes } from "../diagnostic/collate.ts"
import type { Collated } from "../diagnostic/collate.ts"
import { number, plural } from "../diagnostic/count.ts"
import { displayWidth, printable } from "../diagnostic/printable.ts"
import { assumptionRows, withoutCounted } from "./countedAssumptions.ts"
import { roundedUp } from "./minute.ts"
import type { Report } from "./Report.ts"

/** As many kinds of problems are named at the end of a run. */
const topProblems = 8

/**
 * The end of a run, for people: whose it was, where the visits stand, the most frequent problems, and what to type next.
 * `dryRun` says that nothing was meant to be sent.
 */
export const summary = (
  report: Report,
  { dryRun = false, next = [] }: {
    readonly dryRun?: boolean
    readonly next?: ReadonlyArray<readonly [command: string, why: string]>
  } = {}
): string => {
  const sections = [
    [`${printable(report.facility ?? report.command)}   ${report.ended.slice(0, 10)}`],
    sentences(report, dryRun).map((sentence) => `  ${sentence}`),
    problems(withoutCounted(report.problems)),
    nulls(report.problems),
    assumptions(report),
    [...tables(report), ...unmapped(report), ...placedByTime(report), ...unresolved(report), ...unused(report)],
    columns(next).map((line, index) => `  ${index === 0 ? "next" : "    "}   ${line}`)
  ]
  return sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n")
}

/** Records that could not be read are some of those that were rejected. */
const unreadable = ({ rejectedRecords, unreadable }: Report["counts"]): string =>
  unreadable === 0
    ? ""
    : unreadable === rejectedRecords
    ? ", unreadable"
    : ` (${number(unreadable)} of them unreadable)`

/** The counts, each with its noun; what is zero is left out, but for the ones the command is about. */
const sentences = ({ command, counts, stillOpen }: Report, dryRun: boolean): ReadonlyArray<string> => {
  const lines: Array<string> = []
  if (counts.records > 0) {
    const records = [
      `${plural(counts.records, "record")} read`,
      `${number(counts.usedRecords)} in visits`,
      ...(counts.unusedRecords > 0 ? [`${number(counts.unusedRecords)} not used`] : []),
      ...(counts.rejectedRecords > 0 ? [`${number(counts.rejectedRecords)} rejected${unreadable(counts)}`] : [])
    ]
    lines.push(records.join("      "))
  }
  const visits = [
    plural(counts.visits, "visit"),
    `${number(counts.ready)} ready`,
    `${number(counts.rejected)} rejected`,
    ...(counts.open > 0 ? [`${number(counts.open)} still open`] : []),
    ...(command === "run" || command === "submit" ? [`${number(counts.sent)} sent${dryRun ? "   (dry run)" : ""}`] : [])
  ]
  lines.push(visits.join("      "))
  const outcomes = ([
    ["stored", "stored"],
    ["partial", "stored in part"],
    ["refused", "refused"],
    ["duplicate", "held as another's"],
    ["conflict", "in conflict"],
    ["doubt", "in doubt"],
    ["unknown", "without an answer"],
    ["skipped", "skipped"],
    ["left", "not sent"]
  ] as const).filter(([name]) => counts[name] > 0).map(([name, words]) => `${number(counts[name])} ${words}`)
  if (outcomes.length > 0) lines.push(outcomes.join("      "))
  const open = openWords(stillOpen)
  if (open !== null) lines.push(`still open: ${open}`)
  return lines
}

/** What a visit that is still open waits for; `null` if there is none. */
export const openWords = (open: Report["stillOpen"]): string | null => {
  if (open === undefined || open.visits === 0) return null
  const recent = open.visits - open.notOver
  return [
    ...(open.notOver === 0 ? [] : [`${number(open.notOver)} not over`]),
    ...(recent === 0
      ? []
      : [
        `${number(recent)} over too recently, ${recent === 1 ? "to be sent from" : "the first to be sent from"} ${
          roundedUp(open.nextReady!)
        } on`
      ])
  ].join(", ")
}

/** Fields that are null where the specification shows no null, the most frequent first. */
const nulls = (all: ReadonlyArray<Collated>): ReadonlyArray<string> => {
  const fields = all.filter(({ first }) => first.code === "null-field")
  if (fields.length === 0) return []
  const shown = fields.slice(0, topProblems)
  const width = Math.max(...shown.map(({ count }) => number(count).length))
  const lines = columns(shown.map(({ count, first, visits }) => [
    `${number(count).padStart(width)} ×  ${withoutIndexes(first.field ?? "")}`,
    visits === 0 ? "" : plural(visits, "visit")
  ]))
  const rest = fields.length - shown.length
  return [
    `  null in ${plural(fields.length, "field")} where the specification shows no null:`,
    ...lines.map((line) => `    ${line}`),
    ...(rest > 0 ? [`    ${" ".repeat(width)}    and ${plural(rest, "other field")}: --report FILE lists all`] : [])
  ]
}

const problems = (every: ReadonlyArray<Collated>): ReadonlyArray<string> => {
  const all = every.filter(({ first }) => first.code !== "null-field")
  const shown = all.slice(0, topProblems)
  const width = Math.max(0, ...shown.map(({ count }) => number(count).length))
  const lines = columns(shown.map(({ count, first, visits }) => [
    `${number(count).padStart(width)} ×  ${first.code}`,
    first.mapping === undefined
      ? first.field ?? first.origin?.file.split("/").at(-1) ?? first.source?.split("/")[0] ?? ""
      : `${first.mapping.file.split("/").at(-1)}:${first.mapping.line}:${first.mapping.column}`,
    visits === 0 ? "" : plural(visits, "visit"),
    cut(
      first.field === undefined
        ? [first.source?.split("/")[0], first.path].filter(Boolean).join(": ")
        : withoutIndexes(first.field)
    )
  ]))
  const rest = all.length - shown.length
  return [
    ...lines.map((line) => `  ${line}`),
    ...(rest > 0 ? [`  ${" ".repeat(width)}    and ${plural(rest, "other kind")}`] : [])
  ]
}

const cut = (text: string): string => (text.length <= 48 ? text : `${text.slice(0, 47)}…`)

/** The assumptions that nobody has accepted, one line each. */
const assumptions = (report: Report): ReadonlyArray<string> => {
  const undecided = assumptionRows(report.assumptions ?? [])
  return undecided === undefined ? [] : [
    `  assumptions   ${undecided.head}`,
    ...columns(undecided.rows).map((line) => `  ${line}`),
    ...(undecided.rest === "" ? [] : [`  ${undecided.rest}`])
  ]
}

/** How much work the code tables are, in one line. */
const unmapped = ({ unmapped }: Report): ReadonlyArray<string> => {
  if (unmapped.length === 0) return []
  const tables = [...new Set(unmapped.map(({ table }) => table))]
  return [`  ${plural(unmapped.length, "code")} without a row in ${tables.map(printable).join(", ")}`]
}

/** What was found in files of tables because the mapping does not say it: a wrong guess shows here. */
const tables = ({ tables = [] }: Report): ReadonlyArray<string> => {
  if (tables.length === 0) return []
  const found = new Map<string, number>()
  for (const one of tables) for (const what of one.found) found.set(what, (found.get(what) ?? 0) + 1)
  const rows = tables.reduce((sum, one) => sum + one.rows, 0)
  const words = [...found].toSorted((one, other) => other[1] - one[1]).map(([what, files]) =>
    `${what} in ${number(files)}`
  )
  return [
    `  tables: ${plural(rows, "row")} in ${plural(tables.length, "file")}${
      words.length === 0 ? "" : `; found: ${words.join(", ")}`
    }`
  ]
}

/** What was put into a visit though it names none. */
const placedByTime = ({ placedByTime }: Report): ReadonlyArray<string> =>
  byCount(placedByTime, "placed by patient and time: ")

/** What references name and the input lacks: a whole type missing is an export that left it out. */
const unresolved = ({ unresolved }: Report): ReadonlyArray<string> =>
  byCount(unresolved, "references lead out of the input: ")

/** Types whose records no line of the mapping read. */
const unused = ({ unused }: Report): ReadonlyArray<string> => byCount(unused, "not used: ")

const byCount = (counts: ReadonlyMap<string, number>, lead: string): ReadonlyArray<string> => {
  const rows = [...counts].filter(([, count]) => count > 0).toSorted(([a, one], [b, other]) =>
    other - one || (a < b ? -1 : 1)
  )
  if (rows.length === 0) return []
  const shown = rows.slice(0, 6).map(([type, count]) =>
    `${number(count)} ${printable(type === "" ? "of no stated type" : type)}`
  )
  return [
    `  ${lead}${shown.join(", ")}${
      rows.length > shown.length ? `, and ${plural(rows.length - shown.length, "other type")}` : ""
    }`
  ]
}

/** Cells of rows set under each other, three blanks apart. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const cells = rows.map((row) => row.map(printable))
  const widths: Array<number> = []
  for (const row of cells) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell))
    })
  }
  return cells.map((row) =>
    row.map((cell, index) => cell + " ".repeat(widths[index]! - displayWidth(cell))).join("   ").trimEnd()
  )
}
