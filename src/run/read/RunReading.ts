import { at } from "../../at.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Input } from "../../source/read/findInputs.ts"
import type { LineFile } from "../../source/read/LineFile.ts"
import type { ReadItem, ReadProblem } from "../../source/read/RecordExtractor.ts"
import type { TableFile } from "../../source/tables/TableLayout.ts"
import type { VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { FileLabels } from "../accounts/fileLabels.ts"
import type { UnreadableCollector } from "../accounts/UnreadableRecords.ts"
import { flagBits, Link } from "../links/Links.ts"
import type { ChunkResult } from "./chunks.ts"
import type { LinkedData } from "./LinkedRecords.ts"
import type { RecordStore } from "./RecordStore.ts"

/** Passes the records read to the store, and sorts the problems to report. */
export class RunReading {
  /** Input that should contain a record and could not be read. */
  readonly unreadable: Array<Diagnostic> = []
  /** Input without records, such as other files of a folder. */
  readonly passedOver: Array<Diagnostic> = []
  readonly tables: Array<TableFile> = []
  /** Records that were read. */
  records = 0
  readonly #store: RecordStore
  readonly #collector: UnreadableCollector
  readonly #labels: FileLabels | undefined
  readonly #versions: VersionWatch

  /** Without `labels`, file names are not checked for names of patients. */
  constructor(
    store: RecordStore,
    collector: UnreadableCollector,
    versions: VersionWatch,
    labels: FileLabels | undefined
  ) {
    this.#store = store
    this.#collector = collector
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

  /** Adds a file that was read in chunks. */
  file({ facts: { name } }: LineFile, chunks: ReadonlyArray<ChunkResult>): void {
    this.#store.addFile(name, chunks)
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
  lost(problems: ReadonlyArray<Diagnostic>): void {
    this.records -= problems.length
    for (const problem of problems) this.#sort(problem)
  }

  /** Sorts the problems in the order of the inputs. */
  arrange(inputs: ReadonlyArray<Input>): void {
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
