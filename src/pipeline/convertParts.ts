import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { fieldText } from "../draft/VisitDraft.ts"
import { Bits } from "../partition/Bits.ts"
import { cutParts, Role } from "../partition/cutParts.ts"
import type { RunPart, Shard } from "../partition/cutParts.ts"
import { hashName } from "../partition/hashName.ts"
import { orderOf } from "../partition/Places.ts"
import type { PutAside } from "../partition/RecordStore.ts"
import { StoredParts } from "../partition/StoredParts.ts"
import { compareIds, standIn } from "../source/compareRecords.ts"
import { SourceError } from "../source/SourceError.ts"
import type { FinishedVisit } from "./convertPart.ts"
import type { CheckVisit, ConvertedVisit, Home, RecordTotals } from "./convertRecords.ts"
import type { PartConverter } from "./partConverter.ts"
import type { PartResult, PartTask, PartVisit } from "./PartTask.ts"
import { RecordAccounts } from "./RecordAccounts.ts"
import { RunVisits, type RunVisitsOptions } from "./RunVisits.ts"

/** A run that is converted part by part. */
export interface ConvertedParts {
  /** How many visits there will be, about. */
  readonly expected: number
  /** The parts to be converted, each of which is cut when it is asked for. */
  readonly tasks: () => Generator<PartTask>
  /** Takes what came of the parts, in their order. */
  readonly take: (result: PartResult) => ReadonlyArray<ConvertedVisit>
  /** Complete once all parts have been taken. */
  readonly totals: () => RecordTotals
  /** `duplicate-record`, in the order of the records. */
  readonly problems: () => ReadonlyArray<Diagnostic>
  readonly homeOf: (source: string, field: string) => Home | undefined
}

/** Cuts a run into parts and converts them: what comes of it is what comes of the run as a whole, byte for byte. */
export const convertParts = (
  options: {
    readonly records: PutAside
    readonly partBytes: number
    /** The whole run, unless said. */
    readonly shard?: Shard
    /** For a second look at single visits. */
    readonly converter: () => PartConverter
    readonly compareVisit: CheckVisit
  } & RunVisitsOptions
): ConvertedParts => {
  const { compareVisit, converter, partBytes, records, shard } = options
  const { links } = records
  const run = new RunVisits(compareVisit, options)
  const used = new Bits(links.size)
  const accounted = new Bits(links.size)
  const rejected = new Map<number, PartResult["rejected"][number]>()
  const duplicates: Array<PartResult["duplicates"][number]> = []
  const placedByTime: Array<number> = []
  const unresolved = new RecordAccounts()
  /** As far as they have been cut. */
  const parts = new StoredParts()
  /** The visits of each part, by the hashes of the encounters they grow from. */
  const visitsOf: Array<Float64Array> = []

  const taskOf = (part: RunPart): PartTask => ({
    number: part.number,
    places: records.places.lists(part.records),
    roles: part.roles,
    deletions: records.deletions
  })

  function* tasks(): Generator<PartTask> {
    for (
      const part of cutParts({
        links,
        partBytes,
        sizeOf: (record) => records.places.lengthAt(record),
        ...(shard === undefined ? {} : { shard })
      })
    ) {
      const asTheyStand = inOrderOfPlaces(part, records)
      parts.push(asTheyStand)
      yield taskOf(asTheyStand)
    }
  }

  const take = (result: PartResult): ReadonlyArray<ConvertedVisit> => {
    const part = parts.at(result.number)
    if (result.used.length !== part.records.length) throw new Error("a part of the run was not converted as a whole")
    part.records.forEach((record, index) => {
      if (result.used[index] === 1) used.add(record)
      if ((part.roles[index]! & Role.accounted) !== 0) accounted.add(record)
    })
    for (const one of result.rejected) rejected.set(part.records[one.record]!, one)
    for (const one of result.placedByTime) placedByTime.push(part.records[one]!)
    unresolved.addUnresolved(result.unresolved)
    duplicates.push(...result.duplicates)
    visitsOf[result.number] = Float64Array.from(result.visits, ({ source }) => hashName(source))
    return result.visits.map((visit) => run.complete(finished(visit)))
  }

  return {
    expected: Math.ceil(links.roots.length / (shard?.count ?? 1)),
    tasks,
    take,
    totals: () => {
      const accounts = new RecordAccounts()
      for (let record = 0; record < links.size; record++) {
        if (!accounted.has(record)) continue
        if (used.has(record)) accounts.addUsed(links.typeOf(record))
        else {
          const one = rejected.get(record)
          if (one === undefined) accounts.addUnused(links.typeOf(record), 1)
          else accounts.reject(standIn(one.rank), one.problem)
        }
      }
      if (shard === undefined || shard.index === 1) {
        for (const [type, count] of records.unused) accounts.addUnused(type, count)
      }
      for (const record of placedByTime) accounts.addPlacedByTime(links.typeOf(record))
      return { ...accounts.all(), unresolved: unresolved.all().unresolved, unmapped: run.unmapped() }
    },
    problems: () => duplicates.toSorted((one, other) => compareIds(one.name, other.name)).map(({ problem }) => problem),
    homeOf: (source, field) => {
      const hash = hashName(source)
      for (const [number, visits] of visitsOf.entries()) {
        if (!visits.includes(hash)) continue
        const home = ifUnchanged(() => converter().homeOf(taskOf(parts.at(number)), source, field))
        if (home !== undefined) return home
      }
      return undefined
    }
  }
}

/** What is asked long after a run was read is not told when an input has changed since. */
const ifUnchanged = <A>(ask: () => A): A | undefined => {
  try {
    return ask()
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

/** The records of a part as they stand on disk, so that they are read in one go. */
const inOrderOfPlaces = (part: RunPart, { places }: PutAside): RunPart => {
  const order = orderOf(places.lists(part.records))
  return order === undefined ? part : {
    number: part.number,
    records: order.map((at) => part.records[at]!),
    roles: Uint8Array.from(order, (at) => part.roles[at]!)
  }
}

const finished = ({ homes, keys, unmapped, ...converted }: PartVisit): FinishedVisit => {
  const byField = new Map(homes)
  return {
    ...converted,
    visit: keys,
    unmapped,
    home: {
      root: converted,
      visit: keys,
      provenanceOf: (path) => byField.get(fieldText(path))
    }
  }
}
