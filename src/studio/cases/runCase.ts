import { Effect, Path } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { bare, render } from "../../diagnostic/render/render.ts"
import { shownFile } from "../../diagnostic/Span.ts"
import { findFault } from "../../json/findFault.ts"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { type LoadedMapping, loadMapping } from "../../mapping/load/loadMapping.ts"
import type { NamedTable } from "../../mapping/tables/expandTables.ts"
import { runSettings, visitChecks } from "../../run/checks/visitChecks.ts"
import { convertRecords } from "../../run/convertRecords.ts"
import { separateCopies } from "../../run/separateCopies.ts"
import { ByteReader, once } from "../../source/read/ByteReader.ts"
import { readDocument } from "../../source/read/readDocument.ts"
import type { ReadItem } from "../../source/read/ReadItem.ts"
import { defaultReadLimits } from "../../source/read/ReadLimits.ts"
import { RecordExtractor } from "../../source/read/RecordExtractor.ts"
import { RecordCollector } from "../../source/records/RecordIndex.ts"
import { tablesOfFile } from "../../source/tables/matchFiles.ts"
import { readTables } from "../../source/tables/readTables.ts"
import type { TableLayout } from "../../source/tables/TableLayout.ts"
import type { VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { RuleSettings } from "../../visit/rules/Rule.ts"
import { compareVisit, type Mismatch } from "./compareVisit.ts"
import type { Block, Case, CasePage, CaseSettings } from "./readCases.ts"

/** The inputs of cases in addition to what their pages contain. */
export interface CaseRun {
  /** The mapping that cases are about; a block with its own `mapping:` does not use it. */
  readonly mapping: string
  readonly shippedMappings: string
  readonly settings: CaseSettings
  readonly tables?: ReadonlyArray<NamedTable>
  /** The facility's file of accepted assumptions. */
  readonly accepted?: string | undefined
  readonly validation?: Partial<RuleSettings>
}

export interface CaseResult {
  readonly case: Case
  /** The visit, or the visits when there is not exactly one. */
  readonly visit: unknown
  /** Problems of the mapping, the visits and the unassigned records: `code field`, or `code record`, sorted. */
  readonly problems: ReadonlyArray<string>
  /** The problem that the page shows, as it is formatted. */
  readonly message?: string
  readonly differences: ReadonlyArray<Mismatch>
  /** The case cannot be run: the mapping, the records or the expectation cannot be read. */
  readonly broken: ReadonlyArray<Diagnostic>
  /** Texts that are in no file: the blocks of the page, at their lines on the page. */
  readonly texts: ReadonlyMap<string, string>
}

/** The run's mapping, for cases that do not change it. */
const unchanged = new WeakMap<CaseRun, LoadedMapping>()

/** An instant after every date that a case can contain. */
const present = Date.UTC(2100, 0, 1)

/** Runs one case of a page from its records to its visit, without files or the network. */
export const runCase = Effect.fn("runCase")(function*(page: CasePage, one: Case, run: CaseRun) {
  const paths = yield* Path.Path
  const texts = new Map<string, string>()
  let file = run.mapping
  one.mappings.forEach((block, index) => {
    const above = file
    file = index === 0 ? page.file : `${page.file}#${index + 1}`
    const own = /^mapping:/mu.test(block.text)
    const head = own ? "" : `mapping: case\nextends: ${JSON.stringify(paths.relative(paths.dirname(file), above))}\n`
    // The head replaces the lines before the block, so that source locations are those of the page.
    texts.set(file, "\n".repeat(Math.max(0, block.line - 1 - (own ? 0 : 2))) + head + block.text)
  })
  const known = one.mappings.length === 0 ? unchanged.get(run) : undefined
  const loaded = known ?? (yield* loadMapping(file, run.shippedMappings, {
    given: texts,
    ...(run.tables === undefined ? {} : { tables: run.tables }),
    accepted: run.accepted,
    ...(run.validation?.lists === undefined ? {} : { lists: run.validation.lists })
  }))
  if (one.mappings.length === 0) unchanged.set(run, loaded)
  const { checked, problems } = loaded
  const broken = (all: ReadonlyArray<Diagnostic>): CaseResult => ({
    case: one,
    visit: null,
    problems: [],
    differences: [],
    broken: all,
    texts
  })
  const mistakes = problems.map(problemLine)
  if (checked === undefined) {
    if (one.visit !== undefined || (one.problems === undefined && one.message === undefined)) return broken(problems)
    const lines = mistakes.toSorted()
    return { ...broken([]), problems: lines, ...reported(page, one, { lines, problems, texts }) }
  }
  const expected = readExpectation(page.file, one.visit)
  if ("problem" in expected) return broken([expected.problem])
  const versions = watchVersions(checked.plan)
  const json = readSources(page.file, one.sources.filter(({ file }) => file === undefined), versions)
  if (json.problems.length > 0) return broken(json.problems)
  const tables = yield* readTableSources(one.sources, checked.plan.tables)
  const collector = new RecordCollector({ sameServer: [], copies: checked.plan.grouping.copies })
  for (const item of [...json.items, ...tables]) {
    if (item._tag !== "Problem") collector.add(item)
  }
  const otherVersions = versions.problems()
  if (otherVersions.length > 0) {
    if (one.visit !== undefined) return broken(otherVersions)
    const lines = [...mistakes, ...otherVersions.map(problemLine)].toSorted()
    const all = [...problems, ...otherVersions]
    return { ...broken([]), problems: lines, ...reported(page, one, { lines, problems: all, texts }) }
  }
  const { facility = run.settings.facility ?? null, system = run.settings.system ?? null, timezone } = one.settings
  const place = { facility, system, zone: timezone ?? run.settings.timezone ?? "UTC" }
  const settings = runSettings(run.validation, { now: present, facility })
  const { totals, visits } = convertRecords({
    checked,
    records: separateCopies(collector.index(), checked.plan, place),
    ...place,
    ...visitChecks(settings),
    compareVisit: () => []
  })
  const made: Array<unknown> = []
  const found: Array<Diagnostic> = [
    ...versions.notes(),
    ...tables.flatMap((item) => (item._tag === "Problem" ? [item.diagnostic] : []))
  ]
  for (const visit of visits) {
    made.push(JSON.parse(visit.json))
    found.push(...visit.problems)
  }
  for (const record of totals().rejectedRecords) found.push(...record.problems)
  const lines = [...mistakes, ...found.map(problemLine)].toSorted()
  const visit = made.length === 1 ? made[0] : made
  const { differences, ...message } = reported(page, one, { lines, problems: [...problems, ...found], texts })
  const result: CaseResult = {
    ...message,
    case: one,
    visit,
    problems: lines,
    differences: [...(one.visit === undefined ? [] : compareVisit(visit, expected.value)), ...differences],
    broken: [],
    texts
  }
  return result
})

/** Compares the reported problems with those that the page expects. */
const reported = (
  page: CasePage,
  one: Case,
  { lines, problems, texts }: {
    readonly lines: ReadonlyArray<string>
    readonly problems: ReadonlyArray<Diagnostic>
    readonly texts: ReadonlyMap<string, string>
  }
): Pick<CaseResult, "differences" | "message"> => {
  const differences = one.problems === undefined
    ? []
    : compareProblems(listed(lines, one.problems.text), one.problems.text)
  if (one.message === undefined) return { differences }
  const code = /\[([a-z-]+)\]/u.exec(one.message.text)?.[1] ?? page.title
  const first = problems.find((problem) => problem.code === code)
  const textOf = (file: string): string | undefined => texts.get(file)
  const message = first === undefined
    ? ""
    : withoutMore(render({ first: onThisPage(first, texts), count: 1, visits: 0 }, { ...bare, textOf }))
  const expected = one.message.text.trimEnd()
  return message === expected
    ? { differences, message }
    : { differences: [...differences, { path: "message", expected, actual: message }], message }
}

/** Shows a source location in another file by the file only: the page is not about its lines, which can change. */
const onThisPage = (problem: Diagnostic, texts: ReadonlyMap<string, string>): Diagnostic => {
  const { label: _, mapping, ...rest } = problem
  if (mapping === undefined || texts.has(mapping.file)) return problem
  return { ...rest, facts: [["mapping", shownFile(mapping.file)], ...(problem.facts ?? [])] }
}

const problemLine = ({ code, field, source }: Diagnostic): string => `${code} ${field ?? source ?? ""}`.trimEnd()

/** Lists fields without a value only if the case lists one: a case has few records, so most fields of its visit are empty. */
export const listed = (lines: ReadonlyArray<string>, expected: string): ReadonlyArray<string> =>
  /^\s*null-field\b/mu.test(expected) ? lines : lines.filter((line) => !line.startsWith("null-field "))

const compareProblems = (actual: ReadonlyArray<string>, text: string): ReadonlyArray<Mismatch> => {
  const rest = [...actual]
  const differences: Array<Mismatch> = []
  for (const line of text.split("\n").map((one) => one.trim().replace(/\s+/gu, " ")).filter((one) => one !== "")) {
    const at = rest.indexOf(line)
    if (at >= 0) rest.splice(at, 1)
    else differences.push({ path: "problems", expected: line, actual: undefined })
  }
  return [...differences, ...rest.map((line) => ({ path: "problems", expected: undefined, actual: line }))]
}

const readExpectation = (
  file: string,
  block: Block | undefined
): { readonly value: unknown } | { readonly problem: Diagnostic } => {
  if (block === undefined || block.text.trim() === "") return { value: {} }
  try {
    return { value: JSON.parse(block.text) }
  } catch {
    const fault = findFault(block.text)
    const { column = 1, line = 1 } = fault ?? {}
    return {
      problem: {
        code: "unreadable-input",
        severity: "error",
        title: "the expected visit is not valid JSON",
        mapping: { file, line: block.line - 1 + line, column, endColumn: column + 1 },
        ...(fault === undefined ? {} : { label: fault.reason }),
        ...(fault?.help === undefined ? {} : { help: [fault.help] })
      }
    }
  }
}

const readSources = (
  file: string,
  blocks: ReadonlyArray<Block>,
  versions: VersionWatch
): { readonly items: ReadonlyArray<ReadItem>; readonly problems: ReadonlyArray<Diagnostic> } => {
  const problems: Array<Diagnostic> = []
  let items: ReadonlyArray<ReadItem> = []
  for (const { line, text } of blocks) {
    const extractor = new RecordExtractor(file, { versions })
    const error = readDocument(Buffer.from("\n".repeat(line - 1) + text), extractor, defaultReadLimits)
    if (error !== undefined) {
      problems.push({ ...error.diagnostic, origin: { file, line: error.line, reference: "" } })
      continue
    }
    extractor.finish()
    const own = extractor.take()
    const replaced = new Set(own.flatMap(referenceOf))
    items = [...items.filter((item) => !referenceOf(item).some((reference) => replaced.has(reference))), ...own]
  }
  for (const item of items) if (item._tag === "Problem") problems.push(item.diagnostic)
  return { items, problems }
}

/** Reads the CSV files of a page by name; the last file with a name wins. Their problems are part of what the page tests. */
const readTableSources = (
  blocks: ReadonlyArray<Block>,
  tables: ReadonlyArray<TableLayout>
): Effect.Effect<ReadonlyArray<ReadItem>> => {
  const files = new Map(blocks.flatMap(({ file, text }) => (file === undefined ? [] : [[file, text] as const])))
  return Effect.promise(async () => {
    const items: Array<ReadItem> = []
    for (const [file, text] of files) {
      const fitting = tablesOfFile(file, tables)
      if (fitting.length === 0) continue
      // A page is UTF-8, whatever encoding the table declares for its files.
      const reader = new ByteReader(once(Buffer.from(`\uFEFF${text}`)))
      const format = { _tag: "Text", encoding: "utf-8", bom: 3 } as const
      for await (const batch of readTables(reader, { file, tables: fitting, format, limits: defaultReadLimits })) {
        items.push(...batch)
      }
    }
    return items
  })
}

const referenceOf = (item: ReadItem): ReadonlyArray<string> =>
  item._tag === "Record" && item.record.resource.id !== undefined
    ? [`${item.record.resource.resourceType}/${item.record.resource.id}`]
    : []

/** Removes the `= more` line from a message, because a page need not state its own location. */
const withoutMore = (message: string): string => message.replace(/\n +(= more) .*$/u, "")
