import type { Reviver } from "./exactNumber.ts"

/** A JSON object, with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns whether an object or a list is one of JSON, and not of a class. */
export const isJson = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Array.isArray(value)
}

/** Returns an object unchanged, and an empty object for anything else. */
export const jsonObjectOf = (value: unknown): JsonObject => isJsonObject(value) ? value : {}

/** Returns the items of a list; none if the value is not a list. */
export const jsonListOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** Returns the objects in a list; none if the value is not a list. */
export const jsonObjectsIn = (value: unknown): ReadonlyArray<JsonObject> => jsonListOf(value).filter(isJsonObject)

/** Returns the items of a list; a value that is not a list is the only item. */
export const oneOrMore = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : [value]

/** Returns a text that is not empty. */
export const jsonTextOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** Returns the value that a text has as JSON; `undefined` if it is not JSON. */
export const jsonIn = (text: string, revive?: Reviver): unknown => {
  try {
    return revive === undefined ? JSON.parse(text) : JSON.parse(text, revive)
  } catch {
    return undefined
  }
}
