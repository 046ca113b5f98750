import { isProxy } from "node:util/types"
import type { Element } from "../../fhirpath/FhirPath.ts"
import { recordOf, valueOf } from "../../fhirpath/FhirPath.ts"
import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { conceptText, nonEmpty } from "./concepts.ts"
import { current } from "./current.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forEach } from "./ofElements.ts"
import { textOfEach } from "./results.ts"

const list = (
  value: unknown
): ReadonlyArray<unknown> => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value])

/** The qualifiers of a given name (ISO 21090). */
const qualifiersOf = (part: unknown): ReadonlyArray<unknown> =>
  jsonListOf(jsonObjectOf(part).extension).flatMap((one) =>
    isJsonObject(one) && one.url === "http://hl7.org/fhir/StructureDefinition/iso21090-EN-qualifier"
      ? [one.valueCode]
      : []
  )

/**
 * The given names without initials, which only repeat them. The name of address repeats them, too, if others are marked as those of birth;
 * otherwise it marks one of them.
 */
const fullNames = (name: JsonObject): ReadonlyArray<unknown> => {
  const given = list(name.given)
  const marks = jsonListOf(name._given).map(qualifiersOf)
  const ofBirth = marks.some((one) => one.includes("BR"))
  const full = given.filter((_, at) => {
    const own = marks[at] ?? []
    return own.includes("BR") || !own.includes("IN") && !(ofBirth && own.includes("CL"))
  })
  return full.length > 0 ? full : given
}

const family = "http://hl7.org/fhir/StructureDefinition/humanname-"

/** The mother's part of the family name, and whether the source is known to write the other part in `family`. */
const mothersName = (
  extensions: ReadonlyArray<JsonObject>
): { readonly text: string; readonly isSecond: boolean } | undefined => {
  const found = extensions.find(({ url }) =>
    typeof url === "string" &&
    (url === `${family}mothers-family` || /\/(SegundoApellido|ExtensionMothersFamilyName)$/.test(url))
  )
  const text = nonEmpty(found?.valueString)
  if (text === undefined) return undefined
  const isSecond = found?.url !== `${family}mothers-family` ||
    extensions.some(({ url }) => url === `${family}fathers-family`)
  return { text, isSecond }
}

/** The family name, with the part from the mother's family if a source writes that only next to it. */
const familyName = (name: JsonObject): string | undefined => {
  const own = nonEmpty(name.family)
  const mothers = mothersName(jsonListOf(jsonObjectOf(name._family).extension).filter(isJsonObject))
  if (own === undefined || mothers === undefined) return own ?? mothers?.text
  const isComplete = own === mothers.text ? !mothers.isSecond : ` ${own} `.includes(` ${mothers.text} `)
  return isComplete ? own : `${own} ${mothers.text}`
}

const nameText = (name: JsonObject): string | undefined => {
  const parts: Array<unknown> = []
  for (const some of [name.prefix, fullNames(name)]) {
    for (const part of list(some)) if (nonEmpty(part) !== undefined) parts.push(part)
  }
  parts.push(familyName(name) ?? "")
  return nonEmpty(name.text) ?? nonEmpty(parts.filter((part) => part !== "").join(" "))
}

/** Returns a person's name as one text. Uses the preferred name in use, or any name; its text, or its parts if it has none. */
const personName = (names: unknown): string | undefined => {
  const given: Array<{ readonly name: JsonObject; readonly text: string }> = []
  for (const name of list(names)) {
    const text = isJsonObject(name) ? nameText(name) : undefined
    if (isJsonObject(name) && text !== undefined) given.push({ name, text })
  }
  const [found = given[0]] = current(given, ({ name }) => name)
  return found?.text
}

const phonesOf = (record: SourceRecord | undefined): ReadonlyArray<JsonObject> =>
  list(record?.resource.telecom).filter(isJsonObject).filter(({ system, value }) =>
    system === "phone" && nonEmpty(value) !== undefined
  )

/**
 * Makes a function on a record that remembers its results: many rows name the same few people. A tracked record is read each time, because
 * the tracker notes for each field what it has read.
 */
const remembered = (
  of: (resource: SourceRecord["resource"]) => string | undefined
): (record: SourceRecord) => string | undefined => {
  const known = new WeakMap<SourceRecord["resource"], { readonly text: string | undefined }>()
  return ({ resource }) =>
    isProxy(resource) ? of(resource) : getOrMake(known, resource, () => ({ text: of(resource) })).text
}

/** Returns the name of a person, organization, place or device. */
const nameOf = remembered(({ deviceName, name }) =>
  nonEmpty(name) ?? personName(name) ??
    list(deviceName).map((one) => (isJsonObject(one) ? nonEmpty(one.name) : undefined)).find((one) => one !== undefined)
)

/** Returns the qualifications of a person, or the prefix of the name. */
const ownTitle = remembered(({ name, qualification }) => {
  const prefix = list(name).flatMap((one) => (isJsonObject(one) ? list(one.prefix) : [])).map(nonEmpty)
  const titles = list(qualification).flatMap((one) => (isJsonObject(one) ? conceptText(one.code) ?? [] : []))
  return titles.length > 0 ? [...new Set(titles)].join(", ") : prefix.find((one) => one !== undefined)
})

/** Returns a text about the target of an element; `made` receives the record that holds the text. */
type TextOf = (
  element: Element,
  scope: EvaluationScope,
  made: ((record: SourceRecord) => void) | undefined
) => string | undefined

/** Returns a text, and passes the record that holds it to `made`. */
const of = (
  record: SourceRecord | undefined,
  text: string | undefined,
  made: ((record: SourceRecord) => void) | undefined
): string | undefined => {
  if (text !== undefined && record !== undefined) made?.(record)
  return text
}

const target = (
  reference: unknown,
  from: SourceRecord | undefined,
  scope: EvaluationScope
): SourceRecord | undefined => {
  if (from === undefined || reference === undefined) return undefined
  const record = scope.resolve(reference, from)
  if (record !== undefined) scope.read(record)
  return record
}

const whoOf = (
  element: Element,
  scope: EvaluationScope
): { readonly record: SourceRecord | undefined; readonly value: unknown } => {
  const value = valueOf(element)
  const isResource = isJsonObject(value) && typeof value.resourceType === "string"
  // A name written as text has no record.
  return {
    value,
    record: isResource
      ? recordOf(element)
      : isJsonObject(value)
      ? target(value, recordOf(element), scope)
      : undefined
  }
}

const name: TextOf = (element, scope, made) => {
  const { record, value } = whoOf(element, scope)
  const person = record?.resource.resourceType === "PractitionerRole"
    ? (target(record.resource.practitioner, record, scope) ?? target(record.resource.organization, record, scope))
    : record
  const practitioner = record?.resource.practitioner
  return of(person, person === undefined ? undefined : nameOf(person), made) ??
    of(record, isJsonObject(practitioner) ? nonEmpty(practitioner.display) : undefined, made) ??
    of(recordOf(element), isJsonObject(value) ? nonEmpty(value.display) : undefined, made)
}

/** Returns one text per role: a practitioner with several roles has several titles, and no record shows which one applies. */
const titles = (
  element: Element,
  scope: EvaluationScope,
  made: ((record: SourceRecord) => void) | undefined
): ReadonlyArray<string> => {
  const { record } = whoOf(element, scope)
  if (record === undefined) return []
  const isRole = record.resource.resourceType === "PractitionerRole"
  const roles = isRole
    ? [record]
    : record.resource.resourceType === "Practitioner"
    ? scope.reverse(record, "PractitionerRole.practitioner").filter(({ resource }) => resource.active !== false)
    : []
  for (const role of roles) scope.read(role)
  const ofRoles = roles.flatMap((role) => of(role, firstText(role.resource.code), made) ?? [])
  if (ofRoles.length > 0) return [...new Set(ofRoles)]
  const person = isRole ? target(record.resource.practitioner, record, scope) : record
  const own = of(person, person === undefined ? undefined : ownTitle(person), made)
  return own === undefined ? [] : [own]
}

const phone: TextOf = (element, scope, made) => {
  const { record } = whoOf(element, scope)
  if (record === undefined) return undefined
  const person = record.resource.resourceType === "PractitionerRole"
    ? target(record.resource.practitioner, record, scope)
    : undefined
  for (const one of [record, person]) {
    const [found] = current(phonesOf(one), (phone) => phone)
    if (found !== undefined) return of(one, nonEmpty(found.value), made)
  }
  return undefined
}

const over = (text: TextOf): LanguageFunction => ({
  parameters: [],
  gives: textOfEach,
  effect: "reads",
  reaches: "values",
  ...forEach((element, _, scope, made) => text(element, scope, made))
})

/**
 * Functions over references to people: who did it, in what capacity, and how to reach them. A PractitionerRole leads to its
 * practitioner; a reference whose target is not in the input falls back to its display.
 */
export const peopleFunctions: Readonly<Record<string, LanguageFunction>> = {
  /** Returns the names of the targets of references. */
  who: { ...over(name), takes: "name" },
  /** Returns the capacity: the role's code, or the qualification, or the prefix of the name. */
  whoTitle: {
    parameters: [],
    gives: textOfEach,
    takes: "name",
    effect: "reads",
    reaches: "values",
    call: (input, _, scope, made) => input.flatMap((element) => titles(element, scope, made))
  },
  /** Returns the telephone number. */
  whoPhone: { ...over(phone), takes: "name" },
  /** Returns a HumanName as one text. */
  humanName: over((element) => personName(valueOf(element)))
}

const firstText = (concepts: unknown): string | undefined =>
  list(concepts).map(conceptText).find((text) => text !== undefined)
