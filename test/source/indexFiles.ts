import { Effect } from "effect"
import type { ReadItem } from "../../src/source/read/ReadItem.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import { readText } from "./readText.ts"

export type Json = Readonly<Record<string, unknown>>
export const resource = (type: string, id: string | undefined, rest: Json = {}): Json => ({
  resourceType: type,
  ...(id === undefined ? {} : { id }),
  ...rest
})
export const entry = (resource: Json, fullUrl?: string, rest: Json = {}): Json => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  resource,
  ...rest
})
export const bundle = (type: string, ...entry: ReadonlyArray<Json>): Json => ({ resourceType: "Bundle", type, entry })
export const to = (reference: string): Json => ({ reference })

/** The items of several files. */
const readFiles = (files: ReadonlyArray<Json | ReadonlyArray<Json>>) =>
  Effect.forEach(
    files,
    (file, n) =>
      readText(
        Array.isArray(file) ? file.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(file, null, 1)
      ).pipe(
        Effect.map(({ items }) => items.map((item) => inFile(item, `file${n}`)))
      )
  ).pipe(Effect.map((files) => files.flat()))
const inFile = (item: ReadItem, file: string): ReadItem =>
  item._tag === "Record" ? { ...item, record: { ...item.record, origin: { ...item.record.origin, file } } } : item
const indexOf = (items: Iterable<ReadItem>): RecordIndex => {
  const collector = new RecordCollector()
  for (const item of items) collector.add(item)
  return collector.index()
}
export const index = (...files: ReadonlyArray<Json | ReadonlyArray<Json>>) => readFiles(files).pipe(Effect.map(indexOf))

/** The number of dangling references, by type. */
export const danglingCounts = (index: Pick<RecordIndex, "unresolvedNames">): ReadonlyArray<readonly [string, number]> =>
  [...index.unresolvedNames()].map(([type, names]) => [type, names.size] as const).toSorted()
