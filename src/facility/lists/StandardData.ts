import { Data, Effect, Result } from "effect"
import { hash } from "node:crypto"
import { dirname, join } from "node:path"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { isJsonObject, jsonIn } from "../../json/JsonObject.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { type ReferenceListType, referenceListTypes } from "../../visit/Field.ts"
import { makeReferenceList, type ReferenceList, type ReferenceLists } from "../../visit/values/ReferenceList.ts"
import { type Facility, serviceName } from "../Facility.ts"

/** One row of a list as the service returns it (§2.8 shows only the diagnoses). */
export type StandardRow = Readonly<Record<string, unknown>>

/** One list of the standard data (§4.3) as downloaded, and its address. */
interface PulledList {
  readonly type: ReferenceListType
  /** The address it came from. */
  readonly url: string
  /** ISO 8601. */
  readonly pulledAt: string
  readonly count: number
  readonly items: ReadonlyArray<StandardRow>
}

/** Why a list is not available in the cache. */
class NotPulled extends Data.TaggedError("NotPulled")<{
  readonly file: string
  readonly reason: "missing" | "damaged"
}> {}

/**
 * The folder of the standard data of the facility's service: one folder for each service, next to the journal. `null` if the service's
 * address is not known.
 */
export const standardDataFolder = (facility: Facility): string | null => {
  const name = serviceName(facility)
  return name === null ? null : join(dirname(facility.journal), "standard-data", name)
}

export const listFile = (folder: string, type: ReferenceListType): string => join(folder, `${type}.json`)

/** The file content of a list. */
export const encodeList = (list: PulledList): string =>
  `{\n  "type": ${JSON.stringify(list.type)},\n  "url": ${JSON.stringify(list.url)},\n  "pulledAt": ${
    JSON.stringify(list.pulledAt)
  },\n  "count": ${list.count},\n  "items": [${
    list.items.map((item) => `\n    ${JSON.stringify(item)}`).join(",")
  }\n  ]\n}\n`

/** Lists of diagnoses and medications take some megabytes. */
const maxListBytes = 256 * 1024 * 1024

/** Reads one list as it was downloaded last, with the SHA-256 of its file. */
export const readList = Effect.fn("readList")(function*(folder: string, type: ReferenceListType) {
  const file = listFile(folder, type)
  const read = yield* readTextFile(file, maxListBytes)
  if (read._tag === "Unreadable") return yield* new NotPulled({ file, reason: read.isMissing ? "missing" : "damaged" })
  const list = jsonIn(read.text)
  return isPulledList(list) && list.type === type
    ? { ...list, digest: hash("sha256", read.text) }
    : yield* new NotPulled({ file, reason: "damaged" })
})

/** Whether a file holds a whole list. */
const isPulledList = (list: unknown): list is PulledList =>
  isJsonObject(list) && typeof list["url"] === "string" && typeof list["pulledAt"] === "string" &&
  !Number.isNaN(Date.parse(list["pulledAt"])) && Array.isArray(list["items"]) && list["items"].every(isJsonObject) &&
  list["count"] === list["items"].length

/** The lists loaded for checking values, and the problems found with them. */
export interface LoadedLists {
  readonly lists: ReferenceLists
  readonly problems: ReadonlyArray<Diagnostic>
}

/**
 * Reads every list that was downloaded for the facility's service; none if there is no cache. A list without items is ignored, because
 * every value would be missing from it. `now` is in milliseconds since 1970. Lists that are too old are reported once.
 */
export const readLists = Effect.fn("readLists")(function*(facility: Facility, now: number) {
  const folder = standardDataFolder(facility)
  const lists = new Map<ReferenceListType, ReferenceList>()
  const problems: Array<Diagnostic> = []
  let oldest: string | undefined
  if (folder === null) return { lists, problems } satisfies LoadedLists
  for (const type of referenceListTypes) {
    const read = yield* Effect.result(readList(folder, type))
    if (Result.isFailure(read)) {
      if (read.failure.reason === "damaged") {
        problems.push({
          code: "unreadable-file",
          severity: "warning",
          title: `the standard data in \`${read.failure.file}\` cannot be read, and is not used`,
          help: ["fhir2visit codes pull  downloads it again"]
        })
      }
      continue
    }
    const { digest, items, pulledAt } = read.success
    if (items.length === 0) continue
    lists.set(type, makeReferenceList(items, { digest }))
    if (oldest === undefined || pulledAt < oldest) oldest = pulledAt
  }
  const days = oldest === undefined ? 0 : Math.floor((now - Date.parse(oldest)) / 86_400_000)
  if (days > facility.referenceDays) {
    problems.push({
      code: "old-standard-data",
      severity: "warning",
      title: `the downloaded standard data is ${days} days old; lists change`,
      help: ["fhir2visit codes pull  downloads it again"]
    })
  }
  return { lists, problems } satisfies LoadedLists
})
