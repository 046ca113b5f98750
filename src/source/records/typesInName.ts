import { resourceTypes } from "./resourceTypes.ts"

/**
 * Returns the resource types in a file name, as Bulk Data names files: `Observation.000.ndjson`, and also
 * `export-observation-3.ndjson.gz`.
 */
export const typesInName = (file: string): ReadonlyArray<string> => {
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
  if (!isNamedAsRecords(name)) return []
  const words = name.toLowerCase().split(/[^a-z]+/u).flatMap((word) => byWord.get(word) ?? [])
  return [...new Set(words)]
}

/** Returns whether a file name announces JSON, compressed in any way. */
export const isNamedAsRecords = (file: string): boolean =>
  /\.(?:ndjson|jsonl?)(?:\.(?:gz|br|bz2|lz4|xz|z|zip|zlib|zst))?$/iu.test(file)

/** A Bundle holds records of any type. */
const byWord = new Map([...resourceTypes].filter((type) => type !== "Bundle").map((type) => [type.toLowerCase(), type]))
