import { evaluatePath, isPathFault, valueOf } from "../../fhirpath/FhirPath.ts"
import { patientName } from "../../mapping/grouping/patientName.ts"
import { idOf, nameRankOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EncounterSortKey } from "./EncounterSortKey.ts"
import { growingHashes, growingNumbers } from "./GrowableUint32Array.ts"
import { hashName } from "./hashName.ts"
import type { Linking } from "./Links.ts"
import { Link, RecordFlags, recordFlags } from "./Links.ts"
import { eachName, eachReference, isOwn } from "./referencedNames.ts"
import { Types } from "./Types.ts"

/** The links of some records, in a transferable form. */
export interface LinksData {
  /** For each record: bits of `RecordFlags`, and above them the number of its type. */
  readonly kinds: Uint32Array<ArrayBuffer>
  readonly typeNames: ReadonlyArray<string>
  /** The end index of each record's names among all names. */
  readonly ends: Uint32Array<ArrayBuffer>
  readonly hashes: Float64Array<ArrayBuffer>
  /** For each hash: bits of `Link`. */
  readonly links: Uint32Array<ArrayBuffer>
  readonly encounters: ReadonlyArray<EncounterSortKey>
}

/** Number of a record's latest names among which a name is looked up. */
const farEnough = 16

/** The names in records as they are read: only hashes, no text. Records are identified by number, in the order in which they were added. */
export class FoundLinks {
  readonly #linking: Linking
  readonly #kinds = growingNumbers()
  readonly #typesMet = new Types()
  readonly #ends = growingNumbers()
  readonly #hashes = growingHashes()
  readonly #links = growingNumbers()
  readonly #encounters: Array<EncounterSortKey> = []
  readonly #reversedOf: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>
  /** The names of the current record. */
  readonly #own = { hashes: [] as Array<number>, links: [] as Array<number> }

  constructor(linking: Linking) {
    this.#linking = linking
    this.#reversedOf = Map.groupBy(
      [...linking.backwards].map((element) => element.split(".")),
      ([type]) => type!
    ) as ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>
  }

  /** Number of records. */
  get size(): number {
    return this.#kinds.length
  }

  /** Adds the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, bundle: number): void {
    const { backwardsToVisit, followed, grouping: { bundles, patientScope, rootType, windows } } = this.#linking
    const { resource } = record
    const type = resource.resourceType
    const isEncounter = type === rootType
    const reversed = this.#reversedOf.get(type)
    const number = this.size
    this.#kinds.push(
      (this.#typesMet.numberOf(type) << recordFlags) | (isEncounter ? RecordFlags.encounter : 0) |
        (mayBePatient(type, rootType) ? RecordFlags.patient : 0) |
        (record.fullUrl === undefined && idOf(resource) === undefined ? 0 : RecordFlags.named)
    )
    eachName(record, (hash) => {
      this.#put(hash, isOwn(hash) ? Link.own : Link.loose)
    })
    if (record.bundle !== undefined && bundles.has(record.bundle.type)) {
      const leads = isEncounter || type === "Composition" ? Link.leads : 0
      this.#put(hashName(String(bundle), ofDocuments), Link.inDocument | leads)
    }
    const followsAll = followed === undefined || !/^[A-Z]/u.test(type)
    const always = Link.refers | (patientScope.has(type) ? Link.ofPatient : 0) |
      (windows.size === 0 ? 0 : isEncounter ? Link.timedEncounter : windows.has(type) ? Link.timed : 0)
    eachReference(resource, (hash, path) => {
      const element = path.at(-1)
      const follows = followsAll || element === undefined || isFollowed(element, followed) ? Link.followed : 0
      const backwards = reversed?.find((element) => isAt(element, path))
      const back = backwards === undefined
        ? 0
        : Link.backwards | (backwardsToVisit.has(backwards.join(".")) ? Link.leading : 0)
      this.#put(hash, always | follows | back)
    })
    this.#take()
    if (isEncounter) {
      const patient = patientName(record, this.#linking)
      this.#encounters.push({ number, ...nameRankOf(record), parent: this.#parentOf(record), patient })
    }
  }

  #put(hash: number, links: number): void {
    const { hashes, links: known } = this.#own
    for (let at = hashes.length - 1; at >= 0 && at >= hashes.length - farEnough; at--) {
      if (hashes[at] === hash) {
        known[at]! |= links
        return
      }
    }
    hashes.push(hash)
    known.push(links)
  }

  #take(): void {
    const { hashes, links } = this.#own
    for (let at = 0; at < hashes.length; at++) {
      this.#hashes.push(hashes[at]!)
      this.#links.push(links[at]!)
    }
    this.#ends.push(this.#hashes.length)
    hashes.length = 0
    links.length = 0
  }

  #parentOf(record: SourceRecord): string | null {
    const { constants, fhirPath, grouping: { partOf } } = this.#linking
    const found = partOf === undefined ? [] : evaluatePath(partOf, [fhirPath.elementOf(record)], constants)
    if (isPathFault(found)) return ""
    const [parent, ...others] = found.map(valueOf)
    if (parent === undefined) return null
    if (others.length > 0 || typeof parent !== "object" || parent === null || !("reference" in parent)) return ""
    return typeof parent.reference === "string" ? parent.reference : ""
  }

  data(): LinksData {
    return {
      kinds: this.#kinds.data(),
      typeNames: this.#typesMet.names,
      ends: this.#ends.data(),
      hashes: this.#hashes.data(),
      links: this.#links.data(),
      encounters: this.#encounters
    }
  }
}

const ofDocuments = 3

/** CSV rows of any table may represent a patient. */
const mayBePatient = (type: string, rootType: string): boolean =>
  type === "Patient" || type === "Group" || (/^[a-z]/u.test(rootType) && type !== rootType)

/** `medicationReference` is the JSON property of the FHIRPath element `medication`. */
const isFollowed = (element: string, followed: ReadonlySet<string>): boolean =>
  followed.has(element) || (element.endsWith("Reference") && followed.has(element.slice(0, -"Reference".length)))

const isAt = ([, ...element]: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  element.length === path.length &&
  element.every((name, at) => name === path[at] || `${name}Reference` === path[at])
