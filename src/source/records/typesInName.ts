import { resourceTypes } from "./resourceTypes.ts"

/**
 * The resource types that the name of a file with records says, as those of Bulk Data do: `Observation.000.ndjson`, and
 * `export-observation-3.ndjson.gz` too.
 */
export const typesInName = (file: string): ReadonlyArray<string> => {
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
  if (!/\.(?:ndjson|jsonl?)(?:\.gz)?$/iu.test(name)) return []
  const words = name.toLowerCase().split(/[^a-z]+/u).flatMap((word) => byWord.get(word) ?? [])
  return [...new Set(words)]
}

/** A Bundle holds records of any type. */
const byWord = new Map([...resourceTypes].filter((type) => type !== "Bundle").map((type) => [type.toLowerCase(), type]))
