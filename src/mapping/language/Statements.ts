import type { Element, Elements } from "../../fhirpath/FhirPath.ts"
import { valueOf } from "../../fhirpath/FhirPath.ts"

/**
 * How a source says outright what a record is to become, in extensions on the element that a row stands on. The address of such
 * an extension is one of these followed by a name:
 *
 * - `row` + list: the number of the row in that list of the visit. Records with one number are one row where the mapping groups;
 *   rows with a number come first, in its order, and a numbered record is a row of no other list and of no other visit.
 * - `part` + list: where several records are one row, their order.
 * - `field` + component + `.` + field: the value to send. Without a value (with FHIR's data-absent-reason) there is none.
 */
export interface StatementsPlan {
  readonly row: string
  readonly part: string
  readonly field: string
}

type Json = { readonly [key: string]: unknown }

/** The extensions of an element; most have none, and nothing more is asked of them. */
const extensionsOf = (element: Element): ReadonlyArray<Json | null> | undefined => {
  const value = valueOf(element)
  const found = typeof value === "object" && value !== null ? (value as Json).extension : undefined
  return Array.isArray(found) ? (found as ReadonlyArray<Json | null>) : undefined
}

const urlOf = (extension: Json | null): string | undefined =>
  typeof extension?.url === "string" ? extension.url : undefined

const numberIn = (extensions: ReadonlyArray<Json | null>, url: string): number | undefined => {
  for (const extension of extensions) {
    if (urlOf(extension) !== url) continue
    const number = extension!.valuePositiveInt ?? extension!.valueUnsignedInt ?? extension!.valueInteger
    if (typeof number === "number") return number
  }
  return undefined
}

/** The number an element states for a list. */
export const rowNumber = (plan: StatementsPlan, list: string, element: Element): number | undefined => {
  const extensions = extensionsOf(element)
  return extensions === undefined ? undefined : numberIn(extensions, plan.row + list)
}

/** The place an element states among those of its row. */
export const partNumber = (plan: StatementsPlan, list: string, element: Element): number => {
  const extensions = extensionsOf(element)
  return (extensions === undefined ? undefined : numberIn(extensions, plan.part + list)) ?? 0
}

/** Whether an element states a number for any list. */
export const isNumbered = (plan: StatementsPlan, element: Element): boolean =>
  extensionsOf(element)?.some((extension) => urlOf(extension)?.startsWith(plan.row)) ?? false

/** The fields of a component that the elements of its row state: each with the values given for it, none when it is said to be missing. */
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
      if (url === undefined || !url.startsWith(plan.field) || !url.startsWith(`${component}.`, plan.field.length)) {
        continue
      }
      const name = url.slice(plan.field.length + component.length + 1)
      found ??= new Map()
      // What the first record of a row says counts; it may say several values.
      if (found.has(name) && !own.has(name)) continue
      own.add(name)
      const values = found.get(name) ?? []
      found.set(name, values)
      for (const [key, value] of Object.entries(extension!)) if (/^value[A-Z]/u.test(key)) values.push(value)
    }
  }
  return found
}
