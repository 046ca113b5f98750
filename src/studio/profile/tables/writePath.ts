import { fhirText } from "../../../fhirText.ts"
import { quotedText } from "../draft/Draft.ts"
import type { Person } from "./TableFinder.ts"
import type { Declared } from "./TableRole.ts"

/** FHIRPath keywords: a column with such a name is written in backticks in a path. */
const fhirPathWords: ReadonlySet<string> = new Set(
  ("and or xor implies in contains is as div mod true false year years month months week weeks day days hour hours minute minutes "
    + "second seconds millisecond milliseconds").split(" ")
)

/** Writes the name of a column as a path. */
export const pathOf = (name: string): string => (fhirPathWords.has(name) ? `\`${name}\`` : name)

/** Writes the path to a column. */
export const pathTo = (column: Declared | undefined): string | undefined =>
  column === undefined ? undefined : pathOf(column.name)

/** Writes the condition that a path gives one of some texts. */
export const inCondition = (path: string, texts: ReadonlyArray<string>): string =>
  `${path} in (${texts.map(fhirText).join(" | ")})`

/** Writes the path to the text of a column, which may be read as another type. */
export const asText = ({ yaml }: Declared, path: string): string =>
  /\b(?:integer|boolean)\b/u.test(yaml) ? `${path}.toString()` : path

/** Writes a path as a YAML value: plain if it is one word, `null` if there is none. */
export const yamlOf = (path: string | undefined): string =>
  path === undefined
    ? "null"
    : /^[a-z]\w*$/iu.test(path) && !/^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(path)
    ? path
    : quotedText(path)

/** Writes a column as a YAML value: `null` if there is none. */
export const yamlTo = (column: Declared | undefined): string => yamlOf(pathTo(column))

/** Writes several paths in order; the first that finds something wins. */
export const firstOf = (...paths: ReadonlyArray<string | undefined>): string => {
  const known = [...new Set(paths.filter((path) => path !== undefined))]
  return known.length < 2 ? yamlOf(known[0]) : `[${known.map(yamlOf).join(", ")}]`
}

/** The encounter that each visit is. */
export const ownEncounter = quotedText("%visit.keyOf('encounter')")

/** A code of rows that have none of their own: the smallest of their codes, which is the same in any order of the rows. */
export const codeOfRows = quotedText(
  "select(keyOf('record')).aggregate(iif($total.empty() or $this < $total, $this, $total), {})"
)

/** The beginning of the visit, for records without a time of their own. */
export const beginning = "%visit.admitted_at"

/** Writes the time of something as that of its record, under an assumption of the base mapping. */
export const recordedAt = (path: string): string => `{path: ${yamlOf(path)}, assume: recorded-when-it-happened}`

/** Writes the value of a group of rows: `null` without a path. If the rows have several, the first is sent with a warning. */
export const valueOfRows = (path: string | undefined, ...otherwise: ReadonlyArray<string>): string => {
  const others = otherwise.map(quotedText)
  const paths = path === undefined ? others : [
    quotedText(`iif(${path}.distinct().count() = 1, ${path}, {})`),
    `{path: ${quotedText(path)}, warn: "the rows have several: the first is sent"}`,
    ...others
  ]
  return paths.length === 0 ? "null" : `{path: [${paths.join(", ")}], take: first}`
}

/** Writes the title of the person whose name `valueOfRows` writes: the first row that has a name. */
export const titleOfRows = (person: Person | undefined): string =>
  person?.title === undefined ? "null" : quotedText(`where(${person.name}.exists()).first().${person.title}`)
