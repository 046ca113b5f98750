import type { CheckedMapping } from "../../mapping/check/check.ts"
import { fieldText } from "../../mapping/draft/VisitDraft.ts"
import type { DraftPath } from "../../mapping/draft/VisitDraft.ts"
import { rankOf } from "../../source/records/compareRecords.ts"
import { recordTypeOf } from "../../source/records/LazyRecord.ts"
import { duplicatesOf, RecordCollector } from "../../source/records/RecordIndex.ts"
import type { JoinRules } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { LocatedUnreadableRecord } from "../../source/records/UnreadableRecord.ts"
import { encounterCodesOf } from "../../visit/encounterCodes.ts"
import { encounterLists, entriesOf } from "../../visit/rules/Rule.ts"
import { UnreadableRecords } from "../accounts/UnreadableRecords.ts"
import type { FieldOrigin } from "../convertRecords.ts"
import { at } from "../partition/at.ts"
import { isSpareType } from "../partition/Links.ts"
import type { RecordLocationTable } from "../partition/LocatedRecords.ts"
import { LocatedRecords } from "../partition/LocatedRecords.ts"
import { RecordRole } from "../partition/planPartitions.ts"
import type { FinishedVisit, PartitionDraft, PartitionOptions } from "./convertPartition.ts"
import { convertPartition } from "./convertPartition.ts"
import type { PartitionResult, PartitionTask, PartitionVisit } from "./PartitionTask.ts"

/** Converts the partitions of one run, in any thread. */
export interface PartitionConverter {
  readonly convert: (task: PartitionTask) => PartitionResult
  readonly open: (task: PartitionTask) => OpenPartition
  /** The codes by which the visits of a partition are compared with others of the run: those of the visit, its patient, and its encounters. */
  readonly codes: (task: PartitionTask) => ReadonlyArray<string>
  readonly homeOf: (task: PartitionTask, source: string, field: string) => FieldOrigin | undefined
}

/** A partition with its records loaded. Its visits must be made, finished and returned in order. */
interface OpenPartition {
  readonly drafts: () => Generator<PartitionDraft>
  readonly result: (visits: ReadonlyArray<FinishedVisit>) => PartitionResult
}

/** The records of a run, as each thread receives them. */
export interface WorkerRecords {
  readonly where: RecordLocationTable
  readonly joins: JoinRules
  /** Records that could not be read. */
  readonly lost?: ReadonlyArray<LocatedUnreadableRecord>
}

/** The context for converting partitions. */
interface PartitionContext extends Omit<PartitionOptions, "records" | "wanted" | "coverage" | "lost">, WorkerRecords {
  readonly checked: CheckedMapping
}

export const makePartitionConverter = (
  { joins, lost = [], where, ...options }: PartitionContext
): PartitionConverter => {
  const { types } = options.checked.plan.followed
  const unreadable = new UnreadableRecords(lost, options.levels?.get("incomplete-visit"))
  const located = new LocatedRecords(where)
  /** Reads the records of a partition and groups them by visit. */
  const read = ({ deletions, places, roles }: PartitionTask) => {
    const collector = new RecordCollector(joins)
    for (const deletion of deletions) collector.add({ _tag: "Deletion", deletion })
    const numbers = new Map<SourceRecord, number>()
    located.read(places, (record, number) => {
      numbers.set(record, number)
      collector.add({ _tag: "Record", record })
    })
    const records = collector.index()
    const numberOf = (record: SourceRecord): number => {
      const number = numbers.get(record)
      if (number === undefined) throw new Error("a record of another partition")
      return number
    }
    const hasRole = (record: SourceRecord, role: number): boolean => (at(roles, numberOf(record)) & role) !== 0
    const partition = convertPartition({
      ...options,
      records,
      lost: unreadable,
      wanted: (root) => {
        // A visit that no partition makes would be lost.
        if (!hasRole(root, RecordRole.root)) throw new Error("the partitioner missed a root encounter")
        return hasRole(root, RecordRole.visit)
      }
    })
    const isAccounted = (record: SourceRecord): boolean => hasRole(record, RecordRole.accounted)
    return { records, count: numbers.size, numberOf, isAccounted, partition }
  }
  const open = (task: PartitionTask): OpenPartition => {
    const { count, isAccounted, numberOf, partition, records } = read(task)
    return {
      drafts: partition.drafts,
      result: (visits) => {
        const used = new Uint8Array(count)
        const rejected: Array<PartitionResult["rejected"][number]> = []
        const placedByTime: Array<number> = []
        for (const account of partition.accounts()) {
          const { problem, record } = account
          const number = numberOf(record)
          if (account.used) used[number] = 1
          if (!isAccounted(record)) continue
          if (account.placedByTime) placedByTime.push(number)
          if (problem !== undefined) {
            rejected.push({ record: number, rank: rankOf(record, "names and content"), problem })
          }
        }
        return {
          number: task.number,
          visits: visits.map(partitionVisit),
          used,
          rejected,
          placedByTime,
          copies: records.leftOutRecords
            .filter((record) => isAccounted(record) && !isSpareType(types, recordTypeOf(record)))
            .map(numberOf),
          duplicates: duplicatesOf(records, types)
            .filter(({ record }) => isAccounted(record))
            .map(({ name, problem }) => ({ name, problem })),
          unresolved: records.unresolvedNames()
        }
      }
    }
  }

  return {
    open,
    convert: (task) => {
      const { drafts, result } = open(task)
      return result(Array.from(drafts(), ({ finish, visit }) => finish(visit, [])))
    },
    codes: (task) => {
      const codes = new Set<string>()
      for (const visit of read(task).partition.keys()) {
        const { code, patient_code: patient } = visit
        if (typeof code === "string") codes.add(`visit ${code.toLowerCase()}`)
        if (typeof patient === "string") codes.add(`patient ${patient}`)
        for (const encounter of encounterCodesOf(visit)) codes.add(`encounter ${encounter.code.toLowerCase()}`)
      }
      return [...codes]
    },
    homeOf: (task, source, field) => read(task).partition.homeOf(source, field)
  }
}

/** Reduces a visit to what the checks against other visits need. */
const partitionVisit = ({ home, unmapped, visit, ...converted }: FinishedVisit): PartitionVisit => {
  const { admitted_at, code, health_facility_code, patient_code } = visit
  const fields: Array<DraftPath> = [["code"], ["admitted_at"]]
  const keys: Record<string, unknown> = { code, health_facility_code, patient_code, admitted_at }
  for (const list of encounterLists) {
    const entries = entriesOf(visit, list)
    if (entries.length === 0) continue
    keys[list] = entries.map((entry, index) => {
      fields.push([list, index, "code"])
      return { code: entry.code }
    })
  }
  if (converted.currencies !== undefined) fields.push(["invoices"])
  return {
    ...converted,
    keys,
    unmapped,
    homes: fields.flatMap((field) => {
      const found = home.provenanceOf(field)
      if (found === undefined) return []
      const { record, ...rest } = found
      return [[fieldText(field), record === undefined ? rest : { ...rest, record: { origin: record.origin } }] as const]
    })
  }
}
