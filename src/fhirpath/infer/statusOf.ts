import { isJsonObject, type JsonObject, jsonObjectOf, oneOrMore } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { type ConceptStatus, conceptStatuses, conceptStatusOf } from "./conceptStatuses.ts"
import { r4Model } from "./Model.ts"

/** Elements of a record with their own status, which determines whether they count. */
const parts: ReadonlyMap<
  string,
  { readonly place: string; readonly holder: string; readonly names: ReadonlyArray<string> }
> = new Map([
  ["CarePlan", { place: "CarePlan.activity.detail", holder: "activity", names: ["activity", "detail"] }],
  ["Encounter", { place: "Encounter.location", holder: "location", names: ["location"] }]
])

const none: ReadonlyArray<never> = []

/**
 * Returns the first status of a resource that FHIR R4 does not define (a required binding), as R4 writes it. A different text, such as
 * `CANCELLED`, or a list is not reliable. A resource without a status has no such status.
 */
export const unknownStatusOf = (
  resource: StatusHolder
): { readonly element: string; readonly value: unknown } | undefined => {
  const { resourceType, status } = resource
  if (isUnknown(resourceType, status)) return { element: resourceType, value: status }
  for (const { codes, element } of conceptStatuses.get(resourceType) ?? none) {
    if (isUnknownConcept(resource[element], codes)) {
      return { element: `${resourceType}.${element}`, value: resource[element] }
    }
  }
  const part = parts.get(resourceType)
  if (part === undefined || resource[part.holder] === undefined) return undefined
  const { names, place } = part
  const found = names.reduce<ReadonlyArray<unknown>>((all, name) => all.flatMap((one) => memberOf(one, name)), [
    resource
  ])
    .flatMap((one) => memberOf(one, "status")).find((value) => isUnknown(place, value))
  return found === undefined ? undefined : { element: place, value: found }
}

/** The statuses that {@link unknownStatusOf} names: `Encounter`, `Encounter.location`, `Condition.clinicalStatus`. */
export const statusPlaces = (): ReadonlyArray<string> => [
  ...r4Model.resourceTypes().filter((type) => r4Model.codesOfElement(type, "status") !== undefined),
  ...[...parts.values()].map(({ place }) => place),
  ...[...conceptStatuses].flatMap(([type, elements]) => elements.map(({ element }) => `${type}.${element}`))
]

/** Returns the codes that FHIR R4 has for one of {@link statusPlaces}. */
export const codesOfStatus = (place: string): ReadonlyArray<string> => {
  const [type = "", name] = place.split(".")
  return conceptStatusOf(type, name)?.codes ?? r4Model.codesOfElement(place, "status") ?? []
}

/** By status, as {@link statusPlaces} names them: words of a facility's own, and R4's code for each. */
export type StatusWords = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Returns a resource, and those it contains, with R4's codes for a facility's own words; `undefined` if it has none of them. */
export const withKnownStatuses = (resource: StatusHolder, words: StatusWords): StatusHolder | undefined => {
  const { contained, resourceType: type } = resource
  let made = resource
  for (const [place, own] of words) {
    const names = place.split(".")
    if (names[0] !== type) continue
    const concept = conceptStatusOf(type, names[1])
    made = changeAt(made, names.slice(1), (at) => concept === undefined ? coded(at, own) : added(at, own, concept))
  }
  if (Array.isArray(contained)) {
    made = changeAt(made, ["contained"], (one) => isHolder(one) ? withKnownStatuses(one, words) ?? one : one)
  }
  return made === resource ? undefined : made
}

const isHolder = (value: JsonObject): value is StatusHolder & JsonObject => typeof value.resourceType === "string"

/** Returns the same value with other objects at a path; the value itself if `change` returns each object unchanged. */
const changeAt = <A>(value: A, names: ReadonlyArray<string>, change: (at: JsonObject) => JsonObject): A => {
  if (Array.isArray(value)) {
    const made = value.map((one: unknown) => changeAt(one, names, change))
    // The change of an item keeps its type, as below.
    return made.some((one, index) => one !== value[index]) ? made as A : value
  }
  if (!isJsonObject(value)) return value
  const [name, ...rest] = names
  // The change of a part keeps the type of the whole.
  if (name === undefined) return change(value) as A
  const made = changeAt(value[name], rest, change)
  return made === value[name] ? value : { ...value, [name]: made }
}

const coded = (holder: JsonObject, own: ReadonlyMap<string, string>): JsonObject => {
  const code = typeof holder.status === "string" ? own.get(holder.status) : undefined
  return code === undefined ? holder : { ...holder, status: code }
}

/** Adds R4's coding to a concept that has none. */
const added = (
  concept: JsonObject,
  own: ReadonlyMap<string, string>,
  { codes, system }: ConceptStatus
): JsonObject => {
  const given = givenIn(concept)
  const code = given.some((one) => isAmong(one, codes))
    ? undefined
    : given.map((one) => own.get(String(one))).find(Boolean)
  if (code === undefined) return concept
  return { ...concept, coding: [{ system, code }, ...memberOf(concept, "coding")] }
}

/** Returns the elements of a resource that can be or hold a status. */
export const statusElements = (resourceType: string): ReadonlyArray<string> => [
  "status",
  ...(conceptStatuses.get(resourceType) ?? none).map(({ element }) => element),
  ...(parts.get(resourceType)?.names.slice(0, 1) ?? none)
]

interface StatusHolder {
  readonly resourceType: string
  readonly [element: string]: unknown
}

const isUnknown = (place: string, status: unknown): boolean => {
  if (status === undefined || status === null) return false
  const codes = getOrMake(statusCodes, place, () => {
    const defined = r4Model.codesOfElement(place, "status")
    return defined === undefined ? null : new Set<unknown>(defined)
  })
  return codes !== null && !codes.has(status)
}

/** The codes of statuses by their places; `null` if FHIR defines none. */
const statusCodes = new Map<string, ReadonlySet<unknown> | null>()

/** Returns whether a concept is not an object, or has codes, a display or a text but no known code. */
const isUnknownConcept = (concept: unknown, codes: ReadonlyArray<string>): boolean => {
  if (concept === undefined || concept === null) return false
  const given = givenIn(concept)
  return !isJsonObject(concept) || (!given.some((code) => isAmong(code, codes)) &&
    (given.length > 0 || memberOf(concept, "coding").some((coding) => memberOf(coding, "display").length > 0)))
}

const isAmong = (code: unknown, codes: ReadonlyArray<string>): boolean => codes.some((one) => one === code)

/** Returns the codes and the text of a concept. */
const givenIn = (concept: unknown): ReadonlyArray<unknown> => [
  ...memberOf(concept, "coding").flatMap((coding) => memberOf(coding, "code")),
  ...memberOf(concept, "text")
]

/** Returns the values of an element, whether it is a list or one value. */
const memberOf = (of: unknown, name: string): ReadonlyArray<unknown> => {
  const value = jsonObjectOf(of)[name]
  return value === undefined || value === null ? [] : name === "status" ? [value] : oneOrMore(value)
}
