import type { Field, ReferenceListType } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import type { StandardRow } from "./StandardData.ts"
import { TextIndex } from "./TextIndex.ts"

/** A row of a list, as it is shown and sent. */
export interface ListRow {
  readonly code: string
  /** Its names, the first one first. */
  readonly names: ReadonlyArray<string>
  readonly description: string
  /** What a visit carries: the code where fields of this list hold codes, else the name. */
  readonly value: string
}

/** Members of a row that are no name of it. */
const isAside = /^(?:code|id|uuid|description|.*_at|.*_date)$/u

const walk = (fields: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  fields.flatMap((field) => [field, ...walk(field.fields ?? [])])

/** Lists whose codes, not names, stand in a visit. */
const codeLists: ReadonlySet<ReferenceListType> = new Set(
  walk(visitFields).flatMap(({ kind, list }) => (list !== undefined && kind === "code" ? [list] : []))
)

export const listRow = (type: ReferenceListType, row: StandardRow): ListRow => {
  const code = textOf(row.code)
  const names = [
    ...new Set([
      textOf(row.name),
      ...Object.entries(row).map(([key, value]) => (isAside.test(key) ? "" : textOf(value)))
    ])
  ].filter((name) => name !== "")
  const [name = ""] = names
  return {
    code,
    names,
    description: textOf(row.description),
    value: (codeLists.has(type) ? code : name) || name || code
  }
}

/** A list, to be searched by codes, names and descriptions. */
export const listIndex = (type: ReferenceListType, rows: ReadonlyArray<StandardRow>): TextIndex<ListRow> => {
  const index = new TextIndex<ListRow>()
  rows.forEach((row, order) => {
    const shown = listRow(type, row)
    index.add(shown, [
      // What stands in brackets in the title of a diagnosis changes nothing: Essential (primary) hypertension.
      ...shown.names.flatMap((text) => [text, ...(text.includes("(") ? [text.replaceAll(/\([^)]*\)/gu, " ")] : [])])
        .map((text) => ({ text })),
      { text: shown.code },
      ...(shown.names.includes(shown.description) ? [] : [{ text: shown.description, weight: 0.9 }])
    ], order)
  })
  return index
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "")
