import { basename } from "node:path"
import { severityRankOf, withoutIndexes } from "../../diagnostic/collate.ts"
import type { Collated } from "../../diagnostic/collate.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { columns } from "../../diagnostic/render/columns.ts"
import { displayWidth, printable } from "../../diagnostic/render/printable.ts"
import { indentOf, wrap } from "../../diagnostic/render/wrap.ts"
import { increment, mostFrequentFirst } from "../../maps.ts"
import type { ViewerTexts } from "../../studio/viewer/texts/texts.ts"
import { restSentence, verdictOf } from "../../studio/viewer/verdict.ts"
import { outcomeNames, sendingOutcomes } from "../../submission/status/sendingOutcomes.ts"
import { roundedUp } from "../process/minute.ts"
import type { Report } from "../report/Report.ts"
import { assumptionRows, withoutCounted } from "./countedAssumptions.ts"
import { foldKinds, isAbsence } from "./foldKinds.ts"
import { fit, isCountedNull } from "./Screen.ts"

/** Maximum of problem kinds in a summary. */
const topProblems = 8

/**
 * The summary of a run: the facility, the verdict, the states of the visits, the top problems, and the next command. `dryRun` means that
 * nothing was to be sent.
 */
export const summary = (
  report: Report,
  { dryRun = false, isBrief, next = [], texts, width }: {
    readonly isBrief: boolean
    readonly dryRun?: boolean
    readonly next?: ReadonlyArray<readonly [command: string, why: string]>
    readonly texts: ViewerTexts
    /** Columns. */
    readonly width: number
  }
): string => {
  const verdict = verdictOf(report, texts)
  const reported = [verdict.headline, restSentence(verdict, texts), verdict.next ?? ""].filter((sentence) =>
    sentence !== ""
  )
  const sections = [
    [`${printable(hospital(report))}   ${report.ended.slice(0, 10)}`],
    reported.map((sentence) => `  ${sentence}`),
    sentences(report, dryRun).map((sentence) => `  ${sentence}`),
    problems(withoutCounted(report.problems), width, isBrief),
    // On a terminal these are for --verbose and the report.
    ...(isBrief ? [[...nulls(report.problems, true), ...assumptions(report).slice(0, 1)]] : [
      nulls(report.problems, false),
      assumptions(report),
      [...tables(report), ...unmapped(report), ...placedByTime(report), ...unresolved(report), ...unused(report)]
    ]),
    nextLines(next, width)
  ]
  return sections.filter((lines) => lines.length > 0)
    .map((lines) => lines.flatMap((line) => wrapLine(line, width)).join("\n")).join("\n\n")
}

const hospital = ({ command, facility, name }: Report): string =>
  name === undefined ? facility ?? command : facility === null ? name : `${name} (${facility})`

/** The next commands. If a command and its reason do not fit on a line, the reason is below it. */
const nextLines = (
  next: ReadonlyArray<readonly [command: string, why: string]>,
  width: number
): ReadonlyArray<string> => {
  const lines = columns(next)
  const rows = lines.every((line) => displayWidth(line) + 9 <= width)
    ? lines
    : next.flatMap(([command, why]) => [printable(command), `  ${printable(why)}`])
  return rows.map((line, index) => `  ${index === 0 ? "next" : "    "}   ${line}`)
}

/** Commands stay whole, to be copied. */
const wrapLine = (line: string, width: number): ReadonlyArray<string> =>
  /^ {2}(?:next|    ) {3}\S/u.test(line) ? [line] : wrap(line, width, `${indentOf(line)}  `)

/** Unreadable records are included in the rejected ones. */
const unreadable = ({ rejectedRecords, unreadable }: Report["counts"]): string =>
  unreadable === 0
    ? ""
    : unreadable === rejectedRecords
    ? ", unreadable"
    : ` (${number(unreadable)} of them unreadable)`

/** The counts with their nouns. A count of zero is shown only if it is the command's main result. */
const sentences = (
  { command, copies = new Map(), counts, stillOpen }: Report,
  dryRun: boolean
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const copied = copies.values().reduce((sum, count) => sum + count, 0)
  if (counts.records > 0) {
    const records = [
      `${plural(counts.records, "record")} read`,
      `${number(counts.usedRecords)} in visits`,
      ...(copied > 0 ? [plural(copied, "older or equal copy", "older or equal copies")] : []),
      ...(counts.unusedRecords > copied ? [`${number(counts.unusedRecords - copied)} not used`] : []),
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
  const sent = outcomeNames.filter((name) => name !== "open" && counts[name] > 0)
  if (sent.length > 0) {
    lines.push(sent.map((name) => `${number(counts[name])} ${sendingOutcomes[name].words}`).join("      "))
  }
  const open = openWords(stillOpen)
  if (open !== null) lines.push(`still open: ${open}`)
  return lines
}

/** What the visits that are still open wait for; `null` if there are none. */
export const openWords = (open: Report["stillOpen"]): string | null => {
  if (open === undefined || open.visits === 0) return null
  const recent = open.visits - open.notOver
  return [
    ...(open.notOver === 0 ? [] : [`${number(open.notOver)} not over`]),
    ...(recent === 0 || open.nextReady === null
      ? []
      : [
        `${number(recent)} over too recently, ${recent === 1 ? "to be sent from" : "the first to be sent from"} ${
          roundedUp(open.nextReady)
        } on`
      ])
  ].join(", ")
}

/** Fields that are null where the specification shows no null, the most frequent first. */
const nulls = (all: ReadonlyArray<Collated>, isBrief: boolean): ReadonlyArray<string> => {
  const fields = all.filter(({ first }) => isCountedNull(first))
  if (fields.length === 0) return []
  const head = `null in ${plural(fields.length, "field")} where the specification shows no null`
  if (isBrief) return [`  ${head}`]
  const shown = fields.slice(0, topProblems)
  const width = Math.max(...shown.map(({ count }) => number(count).length))
  const lines = columns(shown.map(({ count, first, visits }) => [
    `${number(count).padStart(width)} ×  ${withoutIndexes(first.field ?? "")}`,
    visits === 0 ? "" : plural(visits, "visit")
  ]))
  const rest = fields.length - shown.length
  return [
    `  ${head}:`,
    ...lines.map((line) => `    ${line}`),
    ...(rest > 0 ? [`    ${" ".repeat(width)}    and ${plural(rest, "other field")}: --report FILE lists all`] : [])
  ]
}

/** A line for each kind of problem: those that block most visits, then warnings. */
const problems = (every: ReadonlyArray<Collated>, width: number, isBrief: boolean): ReadonlyArray<string> => {
  const all = foldKinds(
    every.filter(({ first }) => !isCountedNull(first)).toSorted((one, other) =>
      severityRankOf(one.first) - severityRankOf(other.first) || other.visits - one.visits || other.count - one.count
    )
  )
  const shown = all.slice(0, topProblems)
  const counts = shown.map(({ count, others }) => others.reduce((sum, other) => sum + other.count, count))
  const widest = Math.max(0, ...counts.map((count) => number(count).length))
  const titles = shown.map(({ first }) => first.title)
  /** What distinguishes a kind from others with its title. */
  const subjectOf = ({ field, title }: Collated["first"]): string =>
    field === undefined || titles.indexOf(title) === titles.lastIndexOf(title) ? "" : `${withoutIndexes(field)}: `
  const lines = columns(shown.map(({ first, others, visits }, at) => [
    `${number(counts[at] ?? 0).padStart(widest)} ×  ${first.code}`,
    visits === 0 ? "" : plural(visits, "visit"),
    `${
      others.length === 0
        ? ""
        : `${number(others.length + 1)} ${isAbsence(first) ? "fields" : "kinds"}: `
    }${first.field === undefined && first.mapping === undefined ? fileIn(first) : subjectOf(first)}${first.title}`
  ]))
  const rest = all.length - shown.length
  return [
    ...lines.map((line) => `  ${fit(line, width - 2)}`),
    ...(rest > 0 ? [`  ${" ".repeat(widest)}    and ${plural(rest, "other kind")}`] : []),
    ...(isBrief && shown.length > 0
      ? [`  ${" ".repeat(widest)}    --verbose shows each with its source location and help`]
      : [])
  ]
}

/** The file of a problem that has neither a field nor a mapping line. */
const fileIn = ({ origin }: Collated["first"]): string =>
  origin === undefined ? "" : `${origin.file.split("/").at(-1)}: `

/** The assumptions that are not accepted, one line each. */
const assumptions = (report: Report): ReadonlyArray<string> => {
  const undecided = assumptionRows(report.assumptions ?? [])
  return undecided === undefined ? [] : [
    `  assumptions   ${undecided.head}`,
    ...columns(undecided.rows).map((line) => `  ${line}`),
    ...(undecided.rest === "" ? [] : [`  ${undecided.rest}`])
  ]
}

/** The number of unmapped codes, and their tables. */
const unmapped = ({ unmapped }: Report): ReadonlyArray<string> => {
  if (unmapped.length === 0) return []
  const tables = [...new Set(unmapped.map(({ table }) => table))]
  return [`  ${plural(unmapped.length, "unmapped code")} in ${tables.map(printable).join(", ")}`]
}

/** What was detected in table files because the mapping does not set it, so that a wrong guess is visible. */
const tables = ({ tables = [] }: Report): ReadonlyArray<string> => {
  if (tables.length === 0) return []
  const found = new Map<string, number>()
  for (const one of tables) for (const what of one.found) increment(found, what)
  const rows = tables.reduce((sum, one) => sum + one.rows, 0)
  const words = [...found].toSorted((one, other) => other[1] - one[1]).map(([what, files]) =>
    `${what} in ${number(files)}`
  )
  return [
    `  tables: ${plural(rows, "row")} in ${plural(tables.length, "file")}${
      words.length === 0 ? "" : `; found: ${words.join(", ")}`
    }`,
    // An export that fails after it has written the header looks like this, too.
    ...firstOf("file", "without rows", tables.filter(({ rows }) => rows === 0).map(({ file }) => basename(file))),
    // After `init`, these are columns that the first export did not have.
    ...firstOf("column", "that no table declares", new Set(tables.flatMap(({ undeclared = [] }) => undeclared)))
  ]
}

/** Returns a line with the number of some files or columns, and the first names. */
const firstOf = (what: string, which: string, all: Iterable<string>): ReadonlyArray<string> => {
  const names = [...all]
  const shown = names.slice(0, 3).map(printable).join(", ")
  return names.length === 0
    ? []
    : [`  ${plural(names.length, what)} ${which}: ${shown}${names.length > 3 ? ", …" : ""}`]
}

/** Records without a reference to a visit that were assigned by patient and time. */
const placedByTime = ({ placedByTime }: Report): ReadonlyArray<string> =>
  byCount(placedByTime, "assigned by patient and time: ")

/** Dangling references by type. If all of a type dangle, the export omitted the type. */
const unresolved = ({ unresolved }: Report): ReadonlyArray<string> => byCount(unresolved, "dangling references: ")

/** Types whose records no line of the mapping read. */
const unused = ({ copies, unused }: Report): ReadonlyArray<string> =>
  byCount(new Map([...unused].map(([type, count]) => [type, count - (copies?.get(type) ?? 0)])), "not used: ")

const byCount = (counts: ReadonlyMap<string, number>, lead: string): ReadonlyArray<string> => {
  const rows = mostFrequentFirst(counts).filter(([, count]) => count > 0)
  if (rows.length === 0) return []
  const shown = rows.slice(0, 6).map(([type, count]) =>
    `${number(count)} ${printable(type === "" ? "of unknown type" : type)}`
  )
  return [
    `  ${lead}${shown.join(", ")}${
      rows.length > shown.length ? `, and ${plural(rows.length - shown.length, "other type")}` : ""
    }`
  ]
}
