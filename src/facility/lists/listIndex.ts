import type { Field, ReferenceListType } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import type { StandardRow } from "./StandardData.ts"
import { TextIndex } from "./TextIndex.ts"

/** A row of a list, as shown and sent. */
export interface ListRow {
  readonly code: string
  /** Its names, the preferred one first. */
  readonly names: ReadonlyArray<string>
  readonly description: string
  /** The value in a visit: the code where fields of this list hold codes, otherwise the name. */
  readonly value: string
}

/** Members of a row that are not its names. */
const isAside = /^(?:code|id|uuid|description|.*_at|.*_date)$/u

const walk = (fields: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  fields.flatMap((field) => [field, ...walk(field.fields ?? [])])

/** Lists whose codes, not names, appear in a visit. */
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

/** An index of a list for searching by code, name and description. */
export const listIndex = (type: ReferenceListType, rows: ReadonlyArray<StandardRow>): TextIndex<ListRow> => {
  const index = new TextIndex<ListRow>()
  rows.forEach((row, order) => {
    const shown = listRow(type, row)
    index.add(shown, [
      // The brackets in the title of a diagnosis do not change its meaning: Essential (primary) hypertension.
      ...shown.names.flatMap((text) => [text, ...(text.includes("(") ? [text.replaceAll(/\([^)]*\)/gu, " ")] : [])])
        .map((text) => ({ text })),
      { text: shown.code },
      ...(shown.names.includes(shown.description) ? [] : [{ text: shown.description, weight: 0.9 }])
    ], order)
  })
  return index
}

/** An index of values that have no other name. */
export const valueIndex = (values: ReadonlyArray<string>): TextIndex<ListRow> => {
  const index = new TextIndex<ListRow>()
  for (const [order, value] of values.entries()) {
    index.add({ code: value, names: [value], description: "", value }, [{ text: value }], order)
  }
  return index
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "")
