import { isJsonObject, type JsonObject, jsonObjectsIn } from "../../json/JsonObject.ts"

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
