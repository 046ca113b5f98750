import { r4Model } from "./Model.ts"

const codes = (text: string): ReadonlySet<unknown> => new Set(text.split(" "))

/** Codes of elements with a required binding that are a CodeableConcept (FHIR R4: Condition, AllergyIntolerance). */
const concepts: ReadonlyMap<string, ReadonlyArray<readonly [element: string, codes: ReadonlySet<unknown>]>> = new Map([
  ["Condition", [
    ["clinicalStatus", codes("active recurrence relapse inactive remission resolved")],
    ["verificationStatus", codes("unconfirmed provisional differential confirmed refuted entered-in-error")]
  ]],
  ["AllergyIntolerance", [
    ["clinicalStatus", codes("active inactive resolved")],
    ["verificationStatus", codes("unconfirmed presumed confirmed refuted entered-in-error")]
  ]]
])

/** Elements of a record with their own status, which determines whether they count. */
const parts: ReadonlyMap<string, { readonly place: string; readonly names: ReadonlyArray<string> }> = new Map([
  ["CarePlan", { place: "CarePlan.activity.detail", names: ["activity", "detail"] }],
  ["Encounter", { place: "Encounter.location", names: ["location"] }]
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
  for (const [element, codes] of concepts.get(resourceType) ?? none) {
    if (isUnknownConcept(resource[element], codes)) {
      return { element: `${resourceType}.${element}`, value: resource[element] }
    }
  }
  const part = parts.get(resourceType)
  if (part === undefined) return undefined
  const { names, place } = part
  const found = names.reduce<ReadonlyArray<unknown>>((all, name) => all.flatMap((one) => memberOf(one, name)), [
    resource
  ])
    .flatMap((one) => memberOf(one, "status")).find((value) => isUnknown(place, value))
  return found === undefined ? undefined : { element: place, value: found }
}

/** Returns the elements of a resource that can be or hold a status. */
export const statusElements = (resourceType: string): ReadonlyArray<string> => [
  "status",
  ...(concepts.get(resourceType) ?? none).map(([element]) => element),
  ...(parts.get(resourceType)?.names.slice(0, 1) ?? none)
]

interface StatusHolder {
  readonly resourceType: string
  readonly [element: string]: unknown
}

const isUnknown = (place: string, status: unknown): boolean => {
  if (status === undefined || status === null) return false
  const codes = r4Model.codesOfElement(place, "status")
  return codes !== undefined && (typeof status !== "string" || !codes.includes(status))
}

/** Returns whether a concept is not an object, or has codes or a text but no known code. */
const isUnknownConcept = (concept: unknown, codes: ReadonlySet<unknown>): boolean => {
  if (concept === undefined || concept === null) return false
  const given = [
    ...memberOf(concept, "coding").flatMap((coding) => memberOf(coding, "code")),
    ...memberOf(concept, "text")
  ]
  const isObject = typeof concept === "object" && !Array.isArray(concept)
  return !isObject ||
    (given.length > 0 && !given.some((code) => codes.has(code)))
}

/** Returns the values of an element, whether it is a list or one value. */
const memberOf = (of: unknown, name: string): ReadonlyArray<unknown> => {
  if (typeof of !== "object" || of === null) return []
  const value = (of as Readonly<Record<string, unknown>>)[name]
  return value === undefined || value === null ? [] : Array.isArray(value) && name !== "status" ? value : [value]
}
