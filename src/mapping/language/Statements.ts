import type { Element, Elements } from "../../fhirpath/FhirPath.ts"
import { valueOf } from "../../fhirpath/FhirPath.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import type { JsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"

/**
 * How a source states outright what a record becomes, in extensions on the row's focus. The URL of such an extension is one of
 * these prefixes followed by a name:
 *
 * - `row` + list: the number of the row in that list of the visit. Where the mapping groups, records with one number form one row.
 *   Numbered rows come first, in order of their numbers. A numbered record is a row of no other list and of no other visit.
 * - `part` + list: the order of the records that form one row.
 * - `field` + component + `.` + field: the value to send. Without a value (with FHIR's data-absent-reason) none is sent.
 */
export interface StatementsPlan {
  readonly row: string
  readonly part: string
  readonly field: string
}

/** Returns the extensions of an element. Most elements have none, so this check comes first. */
const extensionsOf = (element: Element): ReadonlyArray<JsonObject | null> | undefined => {
  const value = valueOf(element)
  const found = isJsonObject(value) ? value.extension : undefined
  return Array.isArray(found) ? found : undefined
}

const urlOf = (extension: JsonObject | null): string | undefined =>
  typeof extension?.url === "string" ? extension.url : undefined

const numberIn = (extensions: ReadonlyArray<JsonObject | null>, url: string): number | undefined => {
  for (const extension of extensions) {
    if (extension === null || urlOf(extension) !== url) continue
    const number = extension.valuePositiveInt ?? extension.valueUnsignedInt ?? extension.valueInteger
    if (typeof number === "number") return number
  }
  return undefined
}

/** Returns the number that an element states for a list. */
export const rowNumber = (plan: StatementsPlan, list: string, element: Element): number | undefined => {
  const extensions = extensionsOf(element)
  return extensions === undefined ? undefined : numberIn(extensions, plan.row + list)
}

/** Returns the position that an element states among the records of its row. */
export const partNumber = (plan: StatementsPlan, list: string, element: Element): number => {
  const extensions = extensionsOf(element)
  return (extensions === undefined ? undefined : numberIn(extensions, plan.part + list)) ?? 0
}

/** Returns whether an element states a number for any list. */
export const isNumbered = (plan: StatementsPlan, element: Element): boolean => {
  for (const extension of extensionsOf(element) ?? none) {
    if (urlOf(extension)?.startsWith(plan.row) === true) return true
  }
  return false
}

const none: ReadonlyArray<never> = []

/** Returns the fields that a row's elements state, each with its values; a field stated as missing has none. */
export const statedFields = (
  plan: StatementsPlan,
  component: string,
  focus: Elements
): ReadonlyMap<string, ReadonlyArray<unknown>> | undefined => {
  let found: Map<string, Array<unknown>> | undefined
  for (const element of focus) {
    const extensions = extensionsOf(element)
    if (extensions === undefined) continue
    const own = new Set<string>()
    for (const extension of extensions) {
      const url = urlOf(extension)
      if (
        extension === null || url === undefined || !url.startsWith(plan.field) ||
        !url.startsWith(`${component}.`, plan.field.length)
      ) {
        continue
      }
      const name = url.slice(plan.field.length + component.length + 1)
      found ??= new Map()
      // The statement of a row's first record is used; it can have several values.
      if (found.has(name) && !own.has(name)) continue
      own.add(name)
      const values = getOrMake(found, name, () => [])
      for (const [key, value] of Object.entries(extension)) if (/^value[A-Z]/u.test(key)) values.push(value)
    }
  }
  return found
}
