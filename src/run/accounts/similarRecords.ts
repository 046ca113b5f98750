import { isPathFault, parsePath, type PathFunction } from "../../fhirpath/FhirPath.ts"
import { typeElements } from "../../fhirpath/model/typeElements.ts"
import { type PathStep, pathStepsOf } from "../../fhirpath/pathSteps.ts"
import { standardFunctions } from "../../fhirpath/syntax/functionForms.ts"
import { isJsonObject, oneOrMore } from "../../json/JsonObject.ts"
import { escapeOfAscii } from "../../json/unparsed.ts"
import type { VisitIdentity } from "../../mapping/grouping/groupByEncounter.ts"
import type { RecordSource } from "../../mapping/grouping/GroupingContext.ts"
import type { GroupingPath } from "../../mapping/grouping/GroupingPlan.ts"
import type { MappingPlan } from "../../mapping/MappingPlan.ts"
import { getOrMake } from "../../maps.ts"
import { compareRecords } from "../../source/records/compareRecords.ts"
import { isLazy, type LazyRecord, mentioning } from "../../source/records/LazyRecord.ts"
import type { RecordIndex } from "../../source/records/RecordIndex.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { eachReference, isOwn, ownHash } from "../read/referencedNames.ts"

/**
 * Returns the records of a run that may belong to one of a few visits. A line is not read if it contains no name of an encounter of these
 * visits. For types that are found by their patient, the names of the patient count too. Some lines reach a visit through another record,
 * and are still read. Either they refer to that record, or the record refers to them and to the visit.
 */
export const similarRecords = (
  source: RecordIndex,
  plan: MappingPlan,
  visits: ReadonlyArray<VisitIdentity>
): RecordSource => {
  const withCopies = (record: SourceRecord): ReadonlyArray<SourceRecord> => [record, ...copiesOf(source, record)]
  const encounters = visits.flatMap((visit) => visit.encounters).flatMap(withCopies).map(namesOf)
  const patients = visits.flatMap(({ patient }) => patient ?? []).flatMap(withCopies).map(namesOf)
  const names = [...encounters, ...patients]
  const { grouping } = plan
  // Searching for many names would take longer than reading.
  if (names.includes(undefined) || names.length > 8) return source
  const unread = memo((type) => source.unsorted(type).filter(isLazy))
  const byName = memo((type) => Map.groupBy(unread(type), ({ id }) => ownHash(`${type}/${id}`)))
  const search = (texts: ReadonlyArray<Buffer>) => memo((type) => mentioning(unread(type), texts))
  const ofVisits = search([...bytesOf(encounters), ...disguises])
  const ofPatients = search(bytesOf(patients))
  const ofEither = memo((type) => ofVisits(type).union(ofPatients(type)))
  const near = memo((type) => {
    const hops = hopsOf(plan, type)
    if (type === grouping.rootType || hops === undefined) return source.all(type)
    const mentioned = grouping.windows.has(type) || grouping.patientScope.has(type) ? ofEither : ofVisits
    const referred = new Set<LazyRecord>()
    for (const { from } of hops) {
      // Each element is one of records that the previous one refers to, or of records that name the visit.
      let found: ReadonlySet<LazyRecord> | undefined
      for (const [at, { element, type: ofType }] of (from ?? []).entries()) {
        const near = found ?? mentioned(ofType)
        const names = namesIn(element, source.unsorted(ofType).filter((record) => !isLazy(record) || near.has(record)))
        // A record that is referenced by an identifier, or only by an id, is found only by reading it.
        if (!names.every(isOwn)) return source.all(type)
        const records = byName(from?.[at + 1]?.type ?? type)
        found = new Set(names.flatMap((name) => records.get(name) ?? []))
      }
      for (const record of found ?? none) referred.add(record)
    }
    // Without the first quote: a search for a byte that is everywhere takes five times as long.
    const elements = hops.flatMap((hop) => hop.through ?? []).flatMap((name) => keysOf(type, name)).map((key) =>
      Buffer.from(`${key}"`)
    )
    const found = mentioned(type).union(elements.length === 0 ? none : mentioning(unread(type), elements))
    return source.unsorted(type).filter((record) => !isLazy(record) || found.has(record) || referred.has(record))
      .toSorted(compareRecords)
  })
  return { types: source.types, resolve: source.resolve, all: near }
}

/** The keys of an element that refers to a record: of a choice, the one of its type Reference. */
const keysOf = (type: string, name: string): ReadonlyArray<string> =>
  typeElements(type).choices.has(name) ? [name, `${name}Reference`] : [name]

const bytesOf = (names: ReadonlyArray<ReadonlyArray<string> | undefined>): ReadonlyArray<Buffer> =>
  Array.from(new Set(names.flatMap((some) => some ?? [])), (text) => Buffer.from(text))

const none: ReadonlySet<LazyRecord> = new Set()

/** Returns the hash of every name that an element of the records refers to. */
const namesIn = (element: string, records: ReadonlyArray<SourceRecord>): ReadonlyArray<number> => {
  const names: Array<number> = []
  for (const { resource } of records) {
    eachReference(resource, (hash, path) => {
      if (path[0] === element || path[0] === `${element}Reference`) names.push(hash)
    })
  }
  return names
}

const memo = <A>(find: (type: string) => A): (type: string) => A => {
  const found = new Map<string, A>()
  return (type) => getOrMake(found, type, find)
}

/** Alternative spellings of a name: a letter as an escape, a search in place of a reference. */
const disguises = [escapeOfAscii, Buffer.from("?")]

/** The text that a reference to a record must contain; `undefined` if it may be written in forms that cannot be searched for. */
const namesOf = ({ fullUrl, resource: { id, identifier } }: SourceRecord): ReadonlyArray<string> | undefined => {
  const values = oneOrMore(identifier).map((one) => isJsonObject(one) && "value" in one ? String(one.value) : undefined)
  // A reference by type and id has the end of a full URL, such as the UUID of `urn:uuid:…`.
  const names = [id, fullUrl?.split(/[/:]/u).at(-1), ...values]
    .filter((name): name is string => typeof name === "string" && name !== "")
    // JSON has several spellings of a slash, a quote and letters beyond ASCII.
    .map((name) => longestOf(name.split(/[^\w .:-]+/u)))
  return names.some((name) => name.length < 2) ? undefined : names
}

/** Older copies of a record: references by their names lead to it. */
const copiesOf = (
  { obsoleteRecords }: RecordIndex,
  { origin: { reference } }: SourceRecord
): ReadonlyArray<SourceRecord> => obsoleteRecords.filter(({ origin }) => origin.reference === reference)

const longestOf = (parts: ReadonlyArray<string>): string =>
  parts.reduce((best, part) => (part.length > best.length ? part : best))

/** The first steps of a path to another record: an element that refers to it, or references that are followed backwards. */
interface Hop {
  readonly through?: string
  /** The last one that the path follows is the first. */
  readonly from?: ReadonlyArray<{ readonly type: string; readonly element: string }>
}

/** The first steps of the paths that assign records of a type; `undefined` if a path has another form, or further steps. */
const hopsOf = (
  { fhirPath: { functions }, grouping: { links, patientScope, windows } }: MappingPlan,
  type: string
): ReadonlyArray<Hop> | undefined => {
  const window = windows.get(type)
  const scope = patientScope.get(type)
  const hops = [
    ...(links.get(type) ?? links.get("*") ?? []),
    ...(window === undefined ? [] : [...window.patient, ...window.time]),
    ...(scope === undefined ? [] : [scope])
  ].map((path) => hopOf(path, functions))
  return hops.includes(undefined) ? undefined : hops.filter((hop) => hop !== undefined)
}

type Functions = ReadonlyMap<string, PathFunction>

const hopOf = ({ text }: GroupingPath, functions: Functions): Hop | undefined => {
  const steps = stepsFrom(text, functions) ?? []
  const [first] = steps
  const [call, ...others] = steps.filter(({ args }) => args !== undefined)
  if (first !== undefined && call !== undefined) {
    const isNarrowed = others.every(({ name }) => narrowing.has(name))
    if (call.name === "resolve" && call !== first && isNarrowed) return { through: first.name }
    const from = referringOf(steps)
    if (call === first && from !== undefined) return { from }
  }
  const names = parsePath(text)
  return !isPathFault(names) && names.functions.every(({ name }) => standardFunctions.has(name)) ? {} : undefined
}

/** Returns the elements of the calls of `reverseResolve`, the last first; `undefined` if a path has other calls that leave a record. */
const referringOf = (steps: ReadonlyArray<PathStep>): Hop["from"] => {
  const from: Array<{ readonly type: string; readonly element: string }> = []
  for (const { args, name } of steps) {
    if (args === undefined || narrowing.has(name)) continue
    const [type, element] = name === "reverseResolve" ? (args[0]?.split(".") ?? []) : []
    if (type === undefined || element === undefined) return undefined
    from.unshift({ type, element })
  }
  return from.length === 0 ? undefined : from
}

/** Functions that return only elements of their input. */
const narrowing: ReadonlySet<string> = new Set(["first", "ofType", "where"])

/** Returns the steps of a path. If it begins with a call of a function of the mapping, these are the steps of the function, and what follows. */
const stepsFrom = (text: string, functions: Functions, calls = 0): ReadonlyArray<PathStep> | undefined => {
  const steps = pathStepsOf(text)
  const [first, ...others] = steps ?? []
  const body = first?.args === undefined ? undefined : functions.get(first.name)?.body
  if (body === undefined) return steps
  const ofBody = calls < maxCalls ? stepsFrom(body.text, functions, calls + 1) : undefined
  return ofBody && [...ofBody, ...others]
}

/** To this depth functions of the mapping are looked into: they may call each other. */
const maxCalls = 4
