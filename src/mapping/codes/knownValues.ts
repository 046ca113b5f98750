import { getOrMake } from "../../maps.ts"
import type { ConceptMap } from "./ConceptMap.ts"

/** More values would be a list of their own, such as ICD-10. */
const maxValues = 20

/** The values of a table of decisions, which can have only one of them so far. */
const decisions: ReadonlyArray<string> = ["yes", "no"]

interface KnownBy {
  readonly list?: ConceptMap["list"] | undefined
  readonly rows: ConceptMap["rows"]
  readonly values?: ConceptMap["values"] | undefined
}

/** The values that a concept map states, or has if it has few; none if they are in a list of the service. */
export const knownValuesOf = ({ list, rows, values }: KnownBy): ReadonlyArray<string> =>
  list === undefined ? values ?? getOrMake(known, rows, () => fewOf(rows)) : []

const known = new WeakMap<ConceptMap["rows"], ReadonlyArray<string>>()

const fewOf = (rows: ConceptMap["rows"]): ReadonlyArray<string> => {
  const values = [...new Set(rows.values())]
  return values.length > maxValues
    ? []
    : values.length > 0 && values.every((value) => decisions.includes(value))
    ? decisions
    : values
}
