import { isJsonObject, type JsonObject } from "./JsonObject.ts"

/**
 * Removes each `null` from the resources in a parsed value. In FHIR, `null` only holds a place in a list of primitives. The list of
 * companions (`_given`) has the rest of such an item (https://hl7.org/fhir/R4/json.html#primitive). Elsewhere, some programs write it for
 * an element that a record does not have.
 */
export const removeNulls = (value: unknown): void => {
  if (Array.isArray(value)) { for (const item of value) removeNulls(item) }
  else if (isJsonObject(value)) {
    if (typeof value.resourceType === "string" && value.resourceType !== "Bundle") removeFrom(value)
    else for (const member of Object.values(value)) removeNulls(member)
  }
}

const removeFrom = (holder: JsonObject): void => {
  for (const [name, member] of Object.entries(holder)) {
    // The caller has parsed the object, so it can be changed.
    if (member === null) delete (holder as Record<string, unknown>)[name]
    else if (Array.isArray(member)) removeFromList(member, isPlaced(holder, name))
    else if (isJsonObject(member)) removeFrom(member)
  }
}

const removeFromList = (list: Array<unknown>, isPlaced: boolean): void => {
  if (!isPlaced && list.includes(null)) list.splice(0, list.length, ...list.filter((item) => item !== null))
  for (const item of list) {
    if (Array.isArray(item)) removeFromList(item, false)
    else if (isJsonObject(item)) removeFrom(item)
  }
}

/** Whether the place of an item in a list says to which item of another list it belongs. */
const isPlaced = (holder: JsonObject, name: string): boolean =>
  name.startsWith("_") || Array.isArray(holder[`_${name}`])
