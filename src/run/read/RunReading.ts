import { at } from "../../at.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { MappingPlan } from "../../mapping/MappingPlan.ts"
import type { Judgement } from "../../source/evidence/judgeExports.ts"
import type { Input } from "../../source/read/findInputs.ts"
import type { LineFile } from "../../source/read/LineFile.ts"
import type { ReadItem, ReadProblem } from "../../source/read/ReadItem.ts"
import type { LocatedUnreadableRecord } from "../../source/records/UnreadableRecord.ts"
import { missingTables } from "../../source/tables/missingTables.ts"
import type { TableFile, TableLayout } from "../../source/tables/TableLayout.ts"
import type { VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { FileLabels } from "../accounts/fileLabels.ts"
import { UnreadableCollector } from "../accounts/UnreadableRecords.ts"
import { flagBits, Link } from "../links/Links.ts"
import type { ChunkResult } from "./chunks.ts"
import type { LinkedData } from "./LinkedRecords.ts"
import type { RecordStore } from "./RecordStore.ts"

/** What the inputs lack of what the mapping, or they themselves, state. */
export interface InputChecks {
  /** Tables of the mapping without a file. */
  readonly missing: ReadonlyArray<TableLayout>
  /** Full exports that the inputs continue and that are not among them. */
  readonly missingBases: Judgement["missingBases"]
  /** That the inputs have exports of several servers. */
  readonly severalServers: Judgement["severalServers"]
  /** The problems of exports that are not complete. */
  readonly incomplete: Judgement["problems"]
  /** Records that could not be read, or are missing. */
  readonly unreadable: ReadonlyArray<LocatedUnreadableRecord>
}

/** Passes the records read to a store, and sorts the problems to report. */
export class RunReading {
  /** Input that should contain a record and could not be read. */
  readonly unreadable: Array<Diagnostic> = []
  /** Input without records, such as other files of a folder. */
  readonly passedOver: Array<Diagnostic> = []
  readonly tables: Array<TableFile> = []
  records = 0
  readonly #store: Pick<RecordStore, "add">
  readonly #tables: ReadonlyArray<TableLayout>
  readonly #collector: UnreadableCollector
  readonly #labels: FileLabels | undefined
  readonly #versions: VersionWatch

  /** Without `labels`, file names are not checked for names of patients. */
  constructor(
    store: Pick<RecordStore, "add">,
    { followed, grouping, tables }: Pick<MappingPlan, "followed" | "grouping" | "tables">,
    versions: VersionWatch,
    labels?: FileLabels
  ) {
    this.#store = store
    this.#tables = tables
    this.#collector = new UnreadableCollector({ types: followed.types, tables, rootType: grouping.rootType })
    this.#versions = versions
    this.#labels = labels
  }

  problem(problem: ReadProblem): void {
    this.#sort(problem.diagnostic)
    this.#collector.problem(problem)
  }

  items(items: ReadonlyArray<ReadItem>): void {
    for (const item of items) {
      if (item._tag === "Problem") {
        this.problem(item)
        continue
      }
      if (item._tag === "Table") this.tables.push(item.table)
      if (item._tag === "Page") this.#collector.page(item.page)
      this.#collector.note(item)
      this.#store.add(item)
      if (item._tag === "Record") {
        this.records++
        this.#collector.record(item.record)
        this.#labels?.learn(item.record)
      }
    }
  }

  /** Adds a file that was read in chunks, of which the store has the records. */
  file({ facts: { name } }: LineFile, chunks: ReadonlyArray<ChunkResult>): void {
    let lines = 0
    for (const { count, hidden, problems, records: { links, spare }, versions, ...chunk } of chunks) {
      this.records += count
      this.#labels?.hide(name, hidden)
      this.#versions.take(versions, lines)
      const counts = new Map<string, number>()
      eachType(links, spare, (type) => {
        counts.set(type, (counts.get(type) ?? 0) + 1)
      })
      this.#collector.counts(name, counts, patientHashes(links))
      for (const problem of problems) this.problem({ ...problem, diagnostic: atLine(problem.diagnostic, lines) })
      lines += chunk.lines
    }
  }

  /** Adds problems of lines that were counted as records and contain none. */
  notRecords(problems: ReadonlyArray<Diagnostic>): void {
    this.records -= problems.length
    for (const problem of problems) this.#sort(problem)
  }

  /** Returns what was read of other versions of FHIR, as problems that end the run. Call it after everything has been read. */
  otherVersions(): ReadonlyArray<Diagnostic> {
    return this.#versions.problems(this.#collector.readOf)
  }

  /** Compares what was read with what the mapping and the inputs state. Call it after everything has been read. */
  finish(inputs: ReadonlyArray<Input>, sameServer: ReadonlyArray<string>): InputChecks {
    for (const problem of this.#collector.missingPages()) this.problem(problem)
    const missing = missingTables(this.#tables, inputs, this.tables)
    this.#collector.missingTables(missing)
    const { problems, ...judgement } = this.#collector.judge(inputs.map(({ name }) => name), sameServer)
    for (const diagnostic of this.#versions.notes()) this.problem({ _tag: "Problem", diagnostic })
    this.#arrange(inputs)
    return { ...judgement, missing, incomplete: problems, unreadable: this.#collector.all() }
  }

  /** Sorts the problems in the order of the inputs. */
  #arrange(inputs: ReadonlyArray<Input>): void {
    const order = new Map(inputs.map(({ name }, index) => [name, index]))
    const orderOf = ({ origin }: Diagnostic): number => order.get(origin?.file ?? "") ?? -1
    for (const list of [this.unreadable, this.passedOver]) list.sort((one, other) => orderOf(one) - orderOf(other))
  }

  #sort(problem: Diagnostic): void {
    const list = problem.severity === "error" ? this.unreadable : this.passedOver
    list.push(problem)
  }
}

/** Iterates over the type of each record of a chunk. */
const eachType = (
  { kinds, typeNames }: LinkedData["links"],
  spare: LinkedData["spare"],
  onType: (type: string) => void
): void => {
  for (const kind of kinds) onType(at(typeNames, kind >>> flagBits))
  for (const type of spare.types) onType(at(spare.typeNames, type))
}

/** Iterates over the hashes of the names of a chunk's patients. */
function* patientHashes({ ends, hashes, kinds, links, typeNames }: LinkedData["links"]): Generator<number> {
  const patient = typeNames.indexOf("Patient")
  if (patient === -1) return
  let from = 0
  for (const [record, kind] of kinds.entries()) {
    const end = at(ends, record)
    for (let index = kind >>> flagBits === patient ? from : end; index < end; index++) {
      if ((at(links, index) & Link.own) !== 0) yield at(hashes, index)
    }
    from = end
  }
}

/** Returns the same problem with its line number increased by the lines before the chunk. */
const atLine = (problem: Diagnostic, before: number): Diagnostic =>
  problem.origin === undefined
    ? problem
    : { ...problem, origin: { ...problem.origin, line: problem.origin.line + before } }
