import { isJsonObject, type JsonObject, jsonObjectOf, jsonObjectsIn } from "../json/JsonObject.ts"

/** Returns the resources of a type in a Bundle of search results. */
export const resourcesIn = (bundle: unknown, type: string): ReadonlyArray<JsonObject> =>
  jsonObjectsIn(jsonObjectOf(bundle).entry)
    .map(({ resource }) => resource)
    .filter((resource) => isJsonObject(resource))
    .filter(({ resourceType }) => resourceType === type)

/** Whether a Bundle of search results says that something went wrong: an OperationOutcome among its entries with an error. */
export const hasError = (bundle: unknown): boolean =>
  resourcesIn(bundle, "OperationOutcome").some(({ issue }) =>
    jsonObjectsIn(issue).some(({ severity }) => severity === "error" || severity === "fatal")
  )

/** Returns the address that a Bundle or a manifest names as its next page; `null` on the last page. */
export const nextPageOf = ({ link }: JsonObject, base: string): string | null => {
  for (const { relation, url } of jsonObjectsIn(link)) {
    if (relation === "next" && typeof url === "string") return URL.parse(url, base)?.href ?? url
  }
  return null
}
