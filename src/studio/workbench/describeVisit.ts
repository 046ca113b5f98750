import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { problemOf } from "../../diagnostic/Problem.ts"
import { helpOf } from "../../diagnostic/render/helpOf.ts"
import { shownFile, type Span } from "../../diagnostic/Span.ts"
import { withDigits } from "../../json/exactNumber.ts"
import { apply, type Exclusion } from "../../mapping/apply/apply.ts"
import { findRow } from "../../mapping/apply/findRow.ts"
import { runScope } from "../../mapping/apply/scope/runScope.ts"
import type { FieldProvenance, FoundElement } from "../../mapping/draft/FieldProvenance.ts"
import { type DraftPath, fieldText, type VisitDraft } from "../../mapping/draft/VisitDraft.ts"
import { groupByEncounter } from "../../mapping/grouping/groupByEncounter.ts"
import { recordsOfGroup } from "../../mapping/grouping/VisitGroup.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { getOrMake } from "../../maps.ts"
import { watchRecords } from "../../run/accounts/coverage.ts"
import { isError } from "../../run/RunVisits.ts"
import { ReadTracker } from "../../source/read/ReadTracker.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { convertedState } from "../../submission/status/sendingOutcomes.ts"
import { encodeVisit } from "../../visit/encode.ts"
import type {
  ElementRef,
  FieldRow,
  FieldSummary,
  ProblemView,
  RecordView,
  SourceLocation,
  VisitView
} from "../viewer/bench/Wire.ts"
import type { Applied } from "./disk/Applied.ts"
import { RecordLines } from "./RecordLines.ts"

/** Returns the records that a visit was made of: those with a value in it, and those that were read on the way. */
export const readRecordsOf = (applied: Applied, group: VisitGroup): ReadonlyArray<SourceRecord> =>
  new VisitDescription(applied, group).readRecords()

/** Returns one visit with its full provenance: its records line by line, and for every field the mapping line and what it read. */
export const describeVisit = (applied: Applied, key: string, made: number): VisitView | undefined => {
  const group = applied.groups.get(key)
  return group === undefined ? undefined : new VisitDescription(applied, group).view(key, made)
}

/** A visit whose records are observed while the mapping is applied to them again. */
class VisitDescription {
  readonly #applied: Applied
  readonly #group: VisitGroup
  readonly #names: ReadonlyArray<string>
  readonly #lines: Array<RecordLines> = []
  readonly #byOrigin = new Map<Origin, number>()
  readonly #holders = new Map<object, number>()
  readonly #used: ReadonlySet<SourceRecord>
  readonly #exclusions = new Map<SourceRecord, Array<Exclusion>>()
  readonly #draft: VisitDraft
  /** Leaves of records that were read since this was last cleared. */
  #noted: Array<readonly [parent: object, key: string]> = []

  constructor(applied: Applied, group: VisitGroup) {
    this.#applied = applied
    this.#group = group
    this.#names = [...applied.mapping.texts.keys()]
    const { checked: { plan }, facility } = applied.mapping
    const tracker = new ReadTracker((parent, name) => {
      // A record's type and an extension's URL state what an element is; they are not data that a path looks for.
      if (name !== "resourceType" && name !== "url") this.#noted.push([parent, name])
    })
    const { records, unwatched, watched } = watchRecords(applied.records, tracker)
    const { code, system, timezone } = facility
    const newScope = () => runScope(plan, records, { facility: code, system, zone: timezone })
    const runScoped = newScope()
    const scope = {
      ...runScoped,
      read: (record: SourceRecord) => void this.#place(unwatched(record)),
      keyOf: (name: string, record: SourceRecord) => {
        // A memoized key would not be read again for the next field. Its problems are reported once if they are the same ones.
        newScope().keyOf(name, record)
        return runScoped.keyOf(name, record)
      }
    }
    const all = (list: ReadonlyArray<SourceRecord>) => list.map(watched)
    for (const record of recordsOfGroup(group)) this.#place(record)
    // Reads what assigns these records to their visit; `groupByEncounter` read it once for all visits.
    groupByEncounter({
      source: {
        types: [...group.records.keys()],
        all: (type) => all(group.records.get(type) ?? []),
        resolve: records.resolve
      },
      plan: plan.grouping,
      fhirPath: plan.fhirPath,
      variables: plan.constants,
      scope
    })
    const encounterOf = (record: SourceRecord) => {
      const found = group.encounterOf(unwatched(record))
      return found === undefined ? undefined : watched(found)
    }
    this.#draft = apply({
      plan,
      scope,
      ofPatient: (patient, type) => all(applied.ofPatient(unwatched(patient), type)),
      zone: facility.timezone,
      facility: facility.code,
      system: facility.system,
      excluded: (exclusion) => getOrMake(this.#exclusions, unwatched(exclusion.record), () => []).push(exclusion)
    }, {
      root: watched(group.root),
      encounters: all(group.encounters),
      patient: group.patient === undefined ? undefined : watched(group.patient),
      records: new Map([...group.records].map(([type, list]) => [type, all(list)])),
      encounterOf,
      problems: group.problems,
      assumed: new Map(Array.from(group.assumed, ([record, remarks]) => [watched(record), remarks])),
      unmapped: group.unmapped
    })
    this.#used = new Set(Array.from(this.#draft.recordsIn(), unwatched))
    for (const record of this.#used) this.#place(record)
  }

  view(key: string, madeBy: number): VisitView {
    const draft = this.#draft
    // A visit is an object, and `withDigits` keeps it one.
    const json = JSON.parse(encodeVisit(draft.visit), withDigits) as Tree
    const touched = this.#notedLines()
    const fields = this.#fields(json, [], 0)
    const read = this.#lines.map(() => new Set<number>())
    const refs = fields.flatMap(({ summary }) => (summary === null ? [] : [...summary.found, ...summary.looked]))
    for (const [record, line] of [...touched, ...refs]) read[record]?.add(line)
    const { code } = draft.visit
    // The draft is read above, because making the visit enters another scope.
    const { converted } = this.#applied.visitOf(this.#group)
    const problems = [...converted.problems, ...this.#applied.compared.get(key) ?? []]
    return {
      made: madeBy,
      key,
      code: typeof code === "string" ? code : null,
      state: convertedState({ ...converted, ready: converted.ready && !problems.some(isError) }),
      source: draft.root.origin.reference,
      records: this.#lines.map((lines, index) => this.#recordView(lines, read[index])),
      fields,
      problems: problems.map((problem) => this.#problem(problem))
    }
  }

  readRecords(): ReadonlyArray<SourceRecord> {
    const read = new Set(this.#notedLines().map(([record]) => record))
    return this.#lines.map(({ record }) => record).filter((record, index) => this.#used.has(record) || read.has(index))
  }

  #place(record: SourceRecord): number {
    return getOrMake(this.#byOrigin, record.origin, () => {
      const lines = new RecordLines(record)
      const index = this.#lines.push(lines) - 1
      for (const object of lines.objects()) this.#holders.set(object, index)
      return index
    })
  }

  /** Returns the lines of the noted leaves, without duplicates, and stops noting. */
  #notedLines(): ReadonlyArray<ElementRef> {
    const noted = this.#noted
    this.#noted = []
    const found = new Map<string, ElementRef>()
    for (const [parent, name] of noted) {
      const record = this.#holders.get(parent)
      const line = record === undefined ? undefined : this.#lines[record]?.lineOf(parent, name)
      if (record !== undefined && line !== undefined) found.set(`${record} ${line}`, [record, line])
    }
    return [...found.values()]
  }

  #fields(value: object, path: DraftPath, depth: number): ReadonlyArray<FieldRow> {
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => this.#field(item, [...path, index], `[${index}]`, depth))
    }
    return Object.entries(value).flatMap(([name, inner]) => this.#field(inner, [...path, name], name, depth))
  }

  #field(value: unknown, path: DraftPath, name: string, depth: number): ReadonlyArray<FieldRow> {
    this.#noted = []
    const provenance = this.#draft.explainField(path)
    const at = provenance?.kind === "section" ? this.#span(provenance.rows[0]?.mapping ?? provenance.mapping) : null
    const origins = provenance === undefined
      ? []
      : provenance.kind === "field"
      ? [provenance.origin]
      : Array.isArray(value)
      ? []
      : provenance.rows.flatMap(({ records }) => records.map((record) => record.origin))
    const records = origins.flatMap((origin) => (origin === undefined ? [] : this.#byOrigin.get(origin) ?? []))
    const row = { path: fieldText(path), name, depth, at, records }
    if (isHolder(value) && provenance?.kind !== "field") {
      return [
        { ...row, text: null, rows: Array.isArray(value) ? value.length : null, summary: null },
        ...this.#fields(value, path, depth + 1)
      ]
    }
    return [{
      ...row,
      text: JSON.stringify(value),
      rows: null,
      summary: provenance?.kind === "field" ? this.#summary(provenance) : null
    }]
  }

  #summary(field: FieldProvenance): FieldSummary {
    const noted = this.#notedLines()
    const found = (field.paths.find(({ outcome }) => outcome === "won")?.found ?? []).flatMap((one) => {
      const element = this.#element(one)
      return element === undefined ? [] : [element]
    })
    const isFound = new Set(found.map(String))
    return {
      by: field.by,
      specification: field.section,
      at: this.#span(field.mapping),
      over: this.#applied.layers.others(field.name, field.mapping).map((span) => this.#span(span)),
      paths: field.paths.map(({ found: all, outcome, span, text }) => ({
        text,
        at: this.#span(span),
        outcome,
        found: all.length
      })),
      found,
      looked: noted.filter((one) => !isFound.has(String(one))),
      codes: field.codes.map(({ code, map, policy, row, system }) => {
        const at = row === undefined ? undefined : findRow(this.#applied.mapping.syntax, map, row)
        return {
          text: system === null ? code : `${system}|${code}`,
          map,
          row: row ?? (policy === undefined ? null : `no row; unmapped: ${policy}`),
          at: at === undefined ? null : this.#span(at)
        }
      }),
      unit: field.unit === undefined
        ? null
        : `${[...new Set(field.unit.from)].join(", ") || "none"} → ${field.unit.to}`,
      minted: field.minted ?? null
    }
  }

  #element({ element, origin }: FoundElement): ElementRef | undefined {
    if (element === undefined || origin === undefined) return undefined
    const record = this.#byOrigin.get(origin)
    const line = record === undefined ? undefined : this.#lines[record]?.find(element)
    return record === undefined || line === undefined ? undefined : [record, line]
  }

  #span({ column, endColumn, file, line }: Span): SourceLocation {
    return { file: this.#names.indexOf(file), name: shownFile(file), line, column, endColumn }
  }

  #recordView(lines: RecordLines, read: ReadonlySet<number> = new Set()): RecordView {
    const { record } = lines
    const { file, line, reference } = record.origin
    return {
      reference,
      file,
      line,
      unread: !this.#used.has(record),
      excludedBy: (this.#exclusions.get(record) ?? []).map(({ condition, section }) => ({
        section,
        condition: condition.text,
        at: this.#span(condition.span)
      })),
      lines: lines.lines(read)
    }
  }

  #problem(problem: Diagnostic): ProblemView {
    const { meaning, owner } = problemOf(problem.code)
    const { origin } = problem
    return {
      code: problem.code,
      severity: problem.severity,
      title: problem.title,
      label: problem.label ?? null,
      value: problem.value ?? null,
      field: problem.field ?? null,
      at: problem.mapping === undefined ? null : this.#span(problem.mapping),
      path: problem.path ?? null,
      source: problem.source ?? null,
      record: origin === undefined ? null : this.#byOrigin.get(origin) ?? null,
      facts: problem.facts ?? [],
      help: helpOf(problem),
      meaning,
      owner
    }
  }
}

type Tree = Readonly<Record<string, unknown>>

const isHolder = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !JSON.isRawJSON(value)
