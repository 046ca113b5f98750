import { r4Model } from "./Model.ts"

/** Codes of elements that have a required binding and are a CodeableConcept (FHIR R4: Condition, AllergyIntolerance). */
const concepts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Condition: {
    clinicalStatus: "active recurrence relapse inactive remission resolved",
    verificationStatus: "unconfirmed provisional differential confirmed refuted entered-in-error"
  },
  AllergyIntolerance: {
    clinicalStatus: "active inactive resolved",
    verificationStatus: "unconfirmed presumed confirmed refuted entered-in-error"
  }
}

/** Elements of a record that have a status of their own, which says whether they count. */
const parts: Readonly<Record<string, readonly [path: string, ...ReadonlyArray<string>]>> = {
  CarePlan: ["CarePlan.activity.detail", "activity", "detail"],
  Encounter: ["Encounter.location", "location"]
}

/**
 * The first status of a resource that FHIR R4 does not know (a required binding), written as R4 writes it: another text, such as `CANCELLED`, or
 * a list says nothing that may be relied on. What has no status has no such status.
 */
export const unknownStatusOf = (
  resource: StatusHolder
): { readonly element: string; readonly value: unknown } | undefined => {
  const { resourceType, status } = resource
  if (isUnknown(resourceType, status)) return { element: resourceType, value: status }
  for (const [element, codes] of Object.entries(concepts[resourceType] ?? {})) {
    if (isUnknownConcept(resource[element], codes)) {
      return { element: `${resourceType}.${element}`, value: resource[element] }
    }
  }
  const [place, ...names] = parts[resourceType] ?? []
  if (place === undefined) return undefined
  const found = names.reduce<ReadonlyArray<unknown>>((all, name) => all.flatMap((one) => memberOf(one, name)), [
    resource
  ])
    .flatMap((one) => memberOf(one, "status")).find((value) => isUnknown(place, value))
  return found === undefined ? undefined : { element: place, value: found }
}

/** Elements of a resource that can be or hold a status. */
export const statusElements = (resourceType: string): ReadonlyArray<string> => [
  "status",
  ...Object.keys(concepts[resourceType] ?? {}),
  ...(parts[resourceType]?.slice(1, 2) ?? [])
]

export interface StatusHolder {
  readonly resourceType: string
  readonly [element: string]: unknown
}

const isUnknown = (place: string, status: unknown): boolean => {
  if (status === undefined || status === null) return false
  const codes = r4Model.codesOfElement(place, "status")
  return codes !== undefined && (typeof status !== "string" || !codes.includes(status))
}

/** None of the codes of a concept that says something is known. */
const isUnknownConcept = (concept: unknown, codes: string): boolean => {
  if (concept === undefined || concept === null) return false
  const given = [
    ...memberOf(concept, "coding").flatMap((coding) => memberOf(coding, "code")),
    ...memberOf(concept, "text")
  ]
  const isObject = typeof concept === "object" && !Array.isArray(concept)
  return !isObject ||
    (given.length > 0 && !given.some((code) => typeof code === "string" && codes.split(" ").includes(code)))
}

/** The values of an element, whether it is a list or one value. */
const memberOf = (of: unknown, name: string): ReadonlyArray<unknown> => {
  if (typeof of !== "object" || of === null) return []
  const value = (of as Readonly<Record<string, unknown>>)[name]
  return value === undefined || value === null ? [] : Array.isArray(value) && name !== "status" ? value : [value]
}
