import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { SourceCode } from "./ConceptMap.ts"

/** Endings of a column of codes, and of the column with their texts, in names without separators. */
const codeEnding = /(?:code|cd|icd(?:9|10)?(?:cm)?|loinc|atc|snomed|id|no)$/u
const textEnding =
  /(?:shortname|longname|fullname|name|description|descr?|display|text|label|title|libelle|designation|descripcion|nombre|nama)$/u

/**
 * Returns the text of a code in its table row: the cell of the column that is named after the column of the code. That is
 * `reason_description` for `reason_code`, and `description` for `code` or `icd10`. `null` if the names show no such column.
 */
const textBeside = ({ resource }: SourceRecord, code: string): string | null => {
  // Descriptors do not count as read: no mapping line reads these columns.
  const cells = Object.entries(Object.getOwnPropertyDescriptors(resource)).flatMap(([name, { value }]) =>
    typeof value === "string" && value !== "" && name !== "resourceType" && name !== "id"
      ? [[name, value] as const]
      : []
  )
  const [own, ...equal] = cells.filter(([, text]) => text === code).map(([name]) => name)
  // If another column has the same text, it is not known which one has the code. The text next to an identifier is a person's name.
  if (own === undefined || equal.length > 0) return null
  const name = plain(own)
  const stem = name.replace(codeEnding, "")
  const others = cells.filter(([, text]) => text !== code)
  // A column that is only called `name` or `text` belongs to one that is only called `code`. Next to another it may be a person's name.
  return others.find(([other]) => textStem(plain(other)) === stem)?.[1] ??
    (stem === name ? undefined : others.find(([other]) => plain(other) === stem)?.[1]) ?? null
}

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** The name of a column of texts without the word for a text; `undefined` for another column. */
const textStem = (name: string): string | undefined => {
  const stem = name.replace(textEnding, "")
  return stem === name ? undefined : stem
}

/** A code of the source with its text. A code of a table row has its text in another cell. */
export const withText = (code: SourceCode, record: SourceRecord | undefined): SourceCode =>
  record?.row === undefined || code.display !== null || code.words === true
    ? code
    : { ...code, display: textBeside(record, code.code) }
