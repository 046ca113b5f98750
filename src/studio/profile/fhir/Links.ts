import { compareTexts } from "../../../compareTexts.ts"
import { meet, rangeOf, stayOf } from "../../../mapping/grouping/placeByTime.ts"
import { getOrMake, increment } from "../../../maps.ts"
import type { Reference } from "../../../source/records/Reference.ts"
import type { BundleContext } from "../../../source/records/SourceRecord.ts"
import { BoundedCounts } from "../bounded.ts"
import type { References } from "./References.ts"

/** How the records of a type reach an encounter. */
export interface LinksOfType {
  readonly type: string
  readonly records: number
  /** By the element that refers to an encounter: records that have it, and those whose encounter is in the input. */
  readonly paths: ReadonlyArray<{ readonly path: string; readonly records: number; readonly found: number }>
  /** Without one, but with a link to or from a record that may have one: by the element that links them. */
  readonly namedBy: ReadonlyArray<readonly [path: string, records: number]>
  /** Without one, in a document Bundle that has an encounter. */
  readonly inDocument: number
  /** None of these. */
  readonly none: number
  /** The records among them that no window would place, in Bundles of a type that each have one visit: by this type. */
  readonly inBundles: ReadonlyArray<readonly [type: string, records: number]>
  /** The records among them with a patient and a time. */
  readonly withPatientAndTime: number
  /** The records among them whose time is within one visit of their patient. A window places no record that fits several. */
  readonly duringVisit: number
}

/** Types that belong to no single visit: other records refer to them. */
const sharedTypes: ReadonlySet<string> = new Set(
  ("Patient Practitioner PractitionerRole Organization Location Medication Encounter RelatedPerson Device Endpoint "
    + "HealthcareService Substance Group List Provenance MessageHeader Coverage Questionnaire ValueSet CodeSystem "
    + "StructureDefinition ImplementationGuide Person Schedule Slot OperationOutcome Parameters Binary Library "
    + "AuditEvent EpisodeOfCare").split(" ")
)

/** Types of Bundles that a facility can declare to be one visit each. */
const groupable: ReadonlySet<string> = new Set(["collection", "message", "transaction", "batch"])

/** Elements whose references lead from a record with an encounter to one without. */
const elementsToOpen = (
  "DiagnosticReport.result Observation.hasMember DiagnosticReport.imagingStudy DiagnosticReport.specimen "
  + "DiagnosticReport.basedOn Encounter.diagnosis.condition Encounter.reasonReference Encounter.account "
  + "Encounter.appointment Composition.section.entry"
).split(" ")

/** Elements that lead from a record without an encounter to one that may have it. */
const elementsToLinked: ReadonlySet<string> = new Set(
  "authorizingPrescription basedOn partOf request focus account chargeItem prescription result".split(" ")
)

/** Whether a reference at an element may lead to a record that has an encounter. */
export const canReachEncounter = (element: string): boolean => elementsToLinked.has(element)

interface Open {
  readonly type: string
  /** Records it refers to that may have an encounter. */
  readonly onward: ReadonlyArray<{ readonly path: string; readonly target: number }>
  readonly names: ReadonlyArray<number>
  readonly document: string | undefined
  /** The Bundle that it was sent in. */
  readonly bundle: string | undefined
  /** Its patient and the times it names; `undefined` without a patient or a time. */
  readonly when: { readonly who: number; readonly times: ReadonlyArray<string> } | undefined
}

/** An encounter, and when it began and ended, as its record writes it. */
interface WrittenStay {
  readonly encounter: number
  readonly start: string
  readonly end: string | undefined
}

/** Records without an encounter that are held until all records have been read. */
const openLimit = 500_000
const linkedLimit = 1_000_000

/** Counts how records reach encounters. */
export class Links {
  readonly #types = new Map<string, { records: number; readonly paths: Map<string, Map<number, number>> }>()
  readonly #open: Array<Open> = []
  readonly #documents = new Set<string>()
  /** By their keys: the types of Bundles, and how many encounters in each are outermost ones. */
  readonly #bundles = new Map<string, { readonly type: string; tops: number }>()
  /** By the name of a record that refers to an encounter: the element that does. */
  readonly #linked = new Map<number, string>()
  /** By the type and element of records without an encounter: the elements by which the records they name refer to one. */
  readonly #beyondElement = new Map<string, Set<string>>()
  /** By patient. */
  readonly #stays = new Map<number, Array<WrittenStay>>()
  #held = 0
  /** Records beyond the limit: they are counted as reaching none. */
  readonly #beyond = new BoundedCounts()

  record(
    type: string,
    found: ReadonlyArray<{ readonly path: string; readonly target: number | undefined }>,
    open: Omit<Open, "type">
  ): void {
    if (type === "Encounter" && open.document !== undefined) this.#documents.add(open.document)
    if (sharedTypes.has(type)) return
    const tally = getOrMake(this.#types, type, () => ({ records: 0, paths: new Map() }))
    tally.records++
    const [first] = found
    if (first !== undefined) {
      const targets = getOrMake(tally.paths, first.path, () => new Map())
      const target = first.target ?? 0
      increment(targets, target)
      for (const name of open.names) if (this.#linked.size < linkedLimit) this.#linked.set(name, first.path)
      return
    }
    if (this.#open.length < openLimit) this.#open.push({ type, ...open })
    else this.#beyond.add(type)
  }

  /** Takes the outermost encounter of a visit in a Bundle. */
  top({ key, type }: BundleContext): void {
    if (this.#bundles.size < openLimit) getOrMake(this.#bundles, key, () => ({ type, tops: 0 })).tops++
  }

  /** Returns the types of Bundles that have no more than one visit each, except documents. */
  #typesOfOneVisit(): ReadonlySet<string> {
    const bundles = [...this.#bundles.values()]
    const several = new Set(bundles.filter(({ tops }) => tops > 1).map(({ type }) => type))
    return new Set(bundles.map(({ type }) => type).filter((type) => groupable.has(type) && !several.has(type)))
  }

  /** Takes a patient's stay. */
  stay(who: number, stay: WrittenStay): void {
    if (this.#held >= openLimit) return
    this.#held++
    getOrMake(this.#stays, who, () => []).push(stay)
  }

  /** Whether the first time that meets a visit of the patient meets only one, by the rule of a window. */
  #isDuringOneVisit(
    { times, who }: NonNullable<Open["when"]>,
    { parents, zone }: { readonly parents: ReadonlyMap<number, number>; readonly zone: string }
  ): boolean {
    const stays = this.#stays.get(who) ?? []
    for (const text of times) {
      // A month or a year is no evidence for one visit.
      const time = text.length < 10 ? undefined : rangeOf(text, zone)
      const staysThen = time === undefined ? [] : stays.filter(({ end, start }) => {
        const began = rangeOf(start, zone)
        return began !== undefined && meet(stayOf(began, rangeOf(end, zone), zone), time)
      })
      if (staysThen.length > 0) return new Set(staysThen.map(({ encounter }) => topOf(encounter, parents))).size === 1
    }
    return false
  }

  /** The elements by which records that an element names refer to an encounter: `ChargeItem.context`. Known when all are counted. */
  beyond(type: string, element: string): ReadonlyArray<string> {
    return [...this.#beyondElement.get(`${type} ${element}`) ?? []]
  }

  /** Returns the first element of a record that names a record with an encounter. */
  #onwardFrom({ onward, type }: Open): string | undefined {
    for (const { path, target } of onward) {
      const other = this.#linked.get(target)
      if (other === undefined) continue
      getOrMake(this.#beyondElement, `${type} ${path}`, () => new Set()).add(other)
      return path
    }
    return undefined
  }

  /** Returns how records of each type reach encounters. Call it after every record has been read. `parents` are those of encounters. */
  count(
    references: References,
    context: { readonly parents: ReadonlyMap<number, number>; readonly zone: string }
  ): ReadonlyArray<LinksOfType> {
    const naming = elementsToOpen.map((element) => [element, references.targetsOf(element)] as const)
      .filter(([, targets]) => targets.size > 0)
    const namedBy = new Map<string, BoundedCounts>()
    const inDocument = new BoundedCounts()
    const none = new BoundedCounts()
    const dated = new BoundedCounts()
    const during = new BoundedCounts()
    const inBundles = new Map<string, BoundedCounts>()
    const ofOneVisit = this.#typesOfOneVisit()
    for (const one of this.#open) {
      const isInDocument = one.document !== undefined && this.#documents.has(one.document)
      const element = this.#onwardFrom(one) ??
        naming.find(([element, targets]) =>
          !(isInDocument && element === "Composition.section.entry") && one.names.some((name) => targets.has(name))
        )?.[0]
      if (element !== undefined) {
        getOrMake(namedBy, one.type, () => new BoundedCounts()).add(element)
      } else if (isInDocument) inDocument.add(one.type)
      else {
        none.add(one.type)
        if (one.when !== undefined) dated.add(one.type)
        if (one.when !== undefined && this.#isDuringOneVisit(one.when, context)) during.add(one.type)
        else {
          const type = one.bundle === undefined ? undefined : this.#bundles.get(one.bundle)?.type
          if (type !== undefined && ofOneVisit.has(type)) {
            getOrMake(inBundles, one.type, () => new BoundedCounts()).add(type)
          }
        }
      }
    }
    return [...this.#types].map(([type, { paths, records }]) => ({
      type,
      records,
      paths: [...paths].map(([path, targets]) => ({
        path,
        records: sum(targets.values()),
        found: sum([...targets].map(([target, times]) => (references.isNamed(target) ? times : 0)))
      })).toSorted((a, b) => b.records - a.records),
      namedBy: namedBy.get(type)?.sorted() ?? [],
      inDocument: inDocument.get(type),
      none: none.get(type) + this.#beyond.get(type),
      inBundles: inBundles.get(type)?.sorted() ?? [],
      withPatientAndTime: dated.get(type),
      duringVisit: during.get(type)
    })).toSorted((a, b) => b.records - a.records || compareTexts(a.type, b.type))
  }
}

/** Returns the outermost encounter. */
const topOf = (encounter: number, parents: ReadonlyMap<number, number>): number => {
  let top = encounter
  for (let depth = 0; depth < 20; depth++) top = parents.get(top) ?? top
  return top
}

const sum = (numbers: Iterable<number>): number => {
  let all = 0
  for (const one of numbers) all += one
  return all
}

/** Whether a reference at an element leads to an encounter. */
export const leadsToEncounter = (path: string, reference: Reference): boolean => {
  const name = path.slice(path.lastIndexOf(".") + 1)
  if ("type" in reference && reference.type !== undefined) return reference.type === "Encounter" && name !== "partOf"
  return (name === "encounter" || name === "context") && reference._tag !== "Display" && reference._tag !== "Nothing"
}
