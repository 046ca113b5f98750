import { at } from "../../at.ts"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import { beginGenerating } from "../../mapping/generatedCode.ts"
import type { Deletion } from "../../source/read/ReadItem.ts"
import { RecordCollector } from "../../source/records/RecordIndex.ts"
import type { JoinRules } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { LocatedUnreadableRecord } from "../../source/records/UnreadableRecord.ts"
import { encounterCodesOf } from "../../visit/encounterCodes.ts"
import type { PartitionAccounts } from "../accounts/partitionAccounts.ts"
import { partitionAccounts } from "../accounts/partitionAccounts.ts"
import { UnreadableRecords } from "../accounts/UnreadableRecords.ts"
import type { FieldOrigin } from "../Conversion.ts"
import type { PartitionDraft, PartitionOptions } from "../convertPartition.ts"
import { convertPartition } from "../convertPartition.ts"
import { RecordRole } from "../links/planPartitions.ts"
import { LocatedRecords, type RecordSources } from "../records/LocatedRecords.ts"
import { pickLocations } from "../records/RecordLocations.ts"
import { SharedRecords } from "../records/SharedRecords.ts"
import { separateCopies } from "../separateCopies.ts"
import { packVisit, type PartitionResult, type PartitionTask } from "./PartitionTask.ts"

/** Converts the partitions of one run, in any thread. */
export interface PartitionConverter {
  /** Loads the records of a partition; its visits are made one at a time. */
  readonly open: (task: PartitionTask) => OpenPartition
  readonly convert: (task: PartitionTask) => PartitionResult
  /** The codes by which the visits of a partition are compared with others of the run: those of the visit, its patient, and its encounters. */
  readonly codes: (task: PartitionTask) => ReadonlyArray<string>
  readonly fieldOrigin: (task: PartitionTask, source: string, field: string) => FieldOrigin | undefined
}

/** A partition with its records loaded. */
interface OpenPartition {
  readonly groups: number
  /** Its visits, which must be finished in order. */
  readonly drafts: () => Iterable<PartitionDraft>
  /** After the last visit has been made. */
  readonly accounts: () => PartitionAccounts
}

/** The records of a run, as each thread receives them. */
export interface WorkerRecords extends RecordSources {
  readonly joins: JoinRules
  readonly deletions: ReadonlyArray<Deletion>
  /** Records that could not be read. */
  readonly unreadable: ReadonlyArray<LocatedUnreadableRecord>
  /** Bytes of shared records that a thread keeps. */
  readonly sharedBytes: number
  /** The approximate number of visits that a thread makes: code is generated for many. */
  readonly visits?: number
}

/** The context for converting partitions. */
interface PartitionContext extends Omit<PartitionOptions, "records" | "wanted" | "unreadable">, WorkerRecords {
  readonly checked: CheckedMapping
}

export const makePartitionConverter = (
  { deletions, joins, sharedBytes, sources, unreadable: records, values, visits = 0, ...options }: PartitionContext
): PartitionConverter => {
  const { followed: { types }, grouping: { rootType } } = options.checked.plan
  beginGenerating(options.checked.plan, visits)
  const unreadable = new UnreadableRecords(records)
  const located = new LocatedRecords({ sources, values })
  const shared = new SharedRecords(located, sharedBytes)

  /** The records of a partition, in the order of their locations: its own are read, and shared ones are looked up. */
  const recordsOf = ({ locations, roles }: PartitionTask): ReadonlyArray<SourceRecord> => {
    const [own, common]: [Array<number>, Array<number>] = [[], []]
    for (const [number, role] of roles.entries()) ((role & RecordRole.shared) === 0 ? own : common).push(number)
    const found: Array<SourceRecord | undefined> = Array.from(roles, () => undefined)
    located.read(pickLocations(locations, own), (record, index) => {
      found[at(own, index)] = record
    })
    shared.read(pickLocations(locations, common), (record, index) => {
      found[at(common, index)] = record
    })
    return found.map((record) => {
      if (record === undefined) throw new Error("a record of the partition was not read")
      return record
    })
  }

  /** Loads the records of a partition and groups them by visit. */
  const read = (task: PartitionTask) => {
    const { roles } = task
    const collector = new RecordCollector(joins)
    for (const deletion of deletions) collector.add({ _tag: "Deletion", deletion })
    const numbers = new Map<SourceRecord, number>()
    for (const [number, record] of recordsOf(task).entries()) {
      numbers.set(record, number)
      collector.add({ _tag: "Record", record })
    }
    const index = separateCopies(collector.index(), options.checked.plan, options)
    const numberOf = (record: SourceRecord): number => {
      const number = numbers.get(record)
      if (number === undefined) throw new Error("a record of another partition")
      return number
    }
    const hasRole = (record: SourceRecord, role: number): boolean => (at(roles, numberOf(record)) & role) !== 0
    const partition = convertPartition({
      ...options,
      records: index,
      unreadable,
      wanted: (root) => {
        // A visit that no partition makes would be lost.
        if (!hasRole(root, RecordRole.root)) throw new Error("the partitioner missed a root encounter")
        return hasRole(root, RecordRole.visit)
      }
    })
    const isAccounted = (record: SourceRecord): boolean => hasRole(record, RecordRole.accounted)
    return { partition, numbered: { index, count: numbers.size, numberOf, isAccounted, rootType, read: types } }
  }

  /** The partition that was opened last: the only one if all records are in memory. */
  let latest: { readonly number: number } & ReturnType<typeof read> | undefined
  const readOnce = (task: PartitionTask): ReturnType<typeof read> => {
    if (latest?.number === task.number) return latest
    // Release the previous partition first, so that only one is in memory.
    latest = undefined
    latest = { number: task.number, ...read(task) }
    return latest
  }

  return {
    open: (task) => {
      const { numbered, partition } = readOnce(task)
      return {
        groups: partition.groups,
        drafts: partition.drafts,
        accounts: () => partitionAccounts(partition, numbered)
      }
    },
    convert: (task) => {
      // It is not kept: its records are released before V8 moves them.
      const { numbered, partition } = read(task)
      const visits = Array.from(partition.drafts(), ({ finish, visit }) => packVisit(finish(visit, [])))
      return { number: task.number, visits, accounts: partitionAccounts(partition, numbered) }
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
    fieldOrigin: (task, source, field) => readOnce(task).partition.fieldOrigin(source, field)
  }
}
