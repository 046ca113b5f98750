import { hash } from "node:crypto"
import { isJsonObject, type JsonObject, jsonObjectOf, jsonObjectsIn } from "../../json/JsonObject.ts"
import { parseReferenceText, targetType } from "../records/Reference.ts"
import { namesOf, type UnreadableRecord } from "../records/UnreadableRecord.ts"

/** Returns the resources that an operation takes or returns, as `Parameters.parameter` holds them. */
export const resourcesOfParameters = (parameters: unknown): ReadonlyArray<unknown> =>
  jsonObjectsIn(parameters).flatMap(({ part, resource }) => [
    ...(isJsonObject(resource) ? [resource] : []),
    ...resourcesOfParameters(part)
  ])

/** Returns whether an object has entries with resources, as a Bundle has. */
export const isBundleLike = (value: JsonObject): boolean =>
  jsonObjectsIn(value.entry).some(({ resource }) => isJsonObject(resource))

/** Returns `Bundle.link` by relation, each with the query of its address. */
export const linksOf = (link: unknown): ReadonlyMap<string, string> =>
  new Map(
    jsonObjectsIn(link).flatMap(({ relation, url }) =>
      typeof relation === "string" && typeof url === "string" ? [[relation, queryOf(url)] as const] : []
    )
  )

/** Returns the last part of the path, and the parameters in alphabetical order. */
const queryOf = (url: string): string => {
  const [path = "", query = ""] = url.split("?", 2)
  return `${path.slice(path.lastIndexOf("/") + 1)}?${query.split("&").toSorted().join("&")}`
}

/** Returns the record that a request of a Bundle is about; `undefined` if its URL is a search. */
export const requestedRecord = (request: unknown) => {
  const { url } = jsonObjectOf(request)
  const target = typeof url === "string" ? parseReferenceText(url) : undefined
  return { url, target: target?._tag === "Relative" || target?._tag === "Absolute" ? target : undefined }
}

/** The record of an address. Nothing shows which visit lacks it. */
export const missingAt = (address: string): UnreadableRecord => {
  const type = targetType(parseReferenceText(address))
  return { ...(type === undefined ? {} : { type }), names: namesOf(address), references: [], rest: "export" }
}

/** Any record of the type that a search names. */
export const anyOfType = (url: unknown): UnreadableRecord => {
  const type = typeof url === "string" ? /([A-Z][A-Za-z]+)\?/u.exec(url)?.[1] : undefined
  return { ...(type === undefined ? {} : { type }), names: [], references: [], rest: "export" }
}

/** Returns the hash of one entry's text. */
export const contentHashOf = (text: string | Buffer): string => hash("sha256", text, "base64")

/** Returns when a Bundle was written, which is the time of its content that has none. */
export const bundleTime = ({ meta, timestamp }: JsonObject): string | undefined =>
  [timestamp, jsonObjectOf(meta).lastUpdated].find((time) => typeof time === "string")

export const bundleKey = (header: JsonObject, hashes: ReadonlyArray<string>): string =>
  contentHashOf(
    JSON.stringify(header, (key, value: unknown) => (key === "entry" ? undefined : value)) + hashes.toSorted().join("")
  )
