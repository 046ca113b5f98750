import { recordOf } from "../../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../../maps.ts"
import type { LeafPlan } from "../../MappingPlan.ts"
import type { RowProvenance } from "../scope/VisitContext.ts"

/*
 * Records that the values of a finished visit show by themselves, without an evaluation. A field shows the record of its row if its paths
 * only find values of records, and have read no other record. The value must be of this one. A path can add texts of its own, such as
 * `code.text & ': '`. It shows the record if the value has a character that is in none of these texts.
 */

/** Returns true if a field that has a value holds one of each record in the focus of its row, and of no other record. */
export const isSeen = (made: RowProvenance, leaf: LeafPlan): boolean => {
  const { focus, row } = made
  const shows = showsOf(leaf)
  if (shows === undefined || hasLooked(made, leaf)) return false
  const value = row[leaf.name]
  if (focus.length === 1) return recordOf(focus[0]) !== undefined && listOf(value).some(shows.isOfRecord)
  return shows.isEach && isOfEach(made, value) && value.every(shows.isOfRecord)
}

/** Returns true if a field holds a value of one element of the focus by itself, and of no other record. */
export const isSeenInEach = (made: RowProvenance, leaf: LeafPlan, at: number): boolean => {
  const shows = showsOf(leaf)
  if (shows?.isEach !== true || hasLooked(made, leaf)) return false
  const value = made.row[leaf.name]
  return isOfEach(made, value) && shows.isOfRecord(value[at])
}

/** Returns whether the paths of a field have read other records than that of the row. */
const hasLooked = ({ filled }: RowProvenance, leaf: LeafPlan): boolean =>
  filled?.some((one) => one.leaf === leaf && one.records.length > 0) === true

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** Returns whether a field that has at most one value for each element of the focus has one for each. */
const isOfEach = ({ focus }: RowProvenance, value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.length === focus.length

/** How the values of a field show that they are of records. */
interface Shows {
  readonly isOfRecord: (value: unknown) => boolean
  /** The field is a list with at most one value for each element of the focus, in their order. */
  readonly isEach: boolean
}

const shown = new WeakMap<LeafPlan, Shows | null>()

const showsOf = (leaf: LeafPlan): Shows | undefined => getOrMake(shown, leaf, showsByText) ?? undefined

const showsByText = (
  { conceptMap, fallback, field: { kind }, join, listed, literal, paths, unit }: LeafPlan
): Shows | null => {
  if (literal !== undefined || fallback !== undefined || paths.length === 0) return null
  const isUnchanged = conceptMap === undefined && unit === undefined && listed === undefined && texts.has(kind)
  let written = ""
  let isEach = kind === "strings" && isUnchanged
  for (const path of paths) {
    const contents = path.contents()
    if (contents === undefined) return null
    written += contents.texts
    isEach &&= contents.isEach
  }
  if (written === "") return { isOfRecord: () => true, isEach }
  if (!isUnchanged) return null
  const others = otherCharacters(`${written}${join ?? ""}`)
  return others === undefined
    ? null
    : { isOfRecord: (value) => typeof value === "string" && others.test(value), isEach }
}

/** Kinds of fields that take a text unchanged, except for characters that cannot be sent. */
const texts: ReadonlySet<string> = new Set(["code", "identifier", "strings", "text"])

/** Returns what finds characters other than some; `undefined` if some of these may be sent in another form. */
const otherCharacters = (own: string): RegExp | undefined => {
  if (!/^[\n\r\t -~]*$/u.test(own)) return undefined
  const escaped = [...new Set(own)].map((sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`)
  return new RegExp(`[^\\s${escaped.join("")}]`, "u")
}
