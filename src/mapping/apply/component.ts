import { compareTexts } from "../../compareTexts.ts"
import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { compare as compareDecimals, isDecimal } from "../../json/Decimal.ts"
import { compareIds } from "../../source/records/compareRecords.ts"
import { assumed } from "../assumptions/assumed.ts"
import { isNumbered, statedFields } from "../language/Statements.ts"
import type { ComponentPlan } from "../MappingPlan.ts"
import { fillFields, partsOf } from "./fields/FieldFiller.ts"
import { findRows, keyText } from "./findRows.ts"
import { isBlankValue, type RowProvenance, type SectionRow, sourceOf, type VisitContext } from "./scope/VisitContext.ts"

/** Fills the fields of a row, in the order of the specification. Values that the source states explicitly take precedence. */
export const fillRow = (context: VisitContext, made: RowProvenance): void => {
  const { branch, focus, name, row, variables } = made
  const { plan: { statements } } = context
  const stated = statements === undefined ? undefined : statedFields(statements, name, focus)
  for (const part of partsOf(context, branch)) {
    if ("fields" in part) fillFields(context, part.fields, made, stated)
    else {
      const { component } = part
      row[component.name] = stated?.get(component.name)?.length === 0
        ? (component.shape === "object" ? null : [])
        : componentValue(context, component, focus, variables, row)
    }
  }
}

/** Returns the value of a component: the rows of all its branches, in order, in the shape that the specification requires. */
const componentValue = (
  context: VisitContext,
  component: ComponentPlan,
  focus: Elements,
  around: Variables,
  parent: SectionRow
): unknown => {
  const { name, shape, takeFirst } = component
  const { plan: { statements } } = context
  // While the rows are searched, their indexes are not known: paths use the index of the parent row.
  const place = { section: name, focus, variables: context.variablesAt(focus, around.rowIndex), parent }
  const made: Array<RowProvenance> = []
  for (const branch of component.branches) {
    let index = 0
    for (const found of findRows(context, branch, place)) {
      const variables = context.variablesAt(focus, index++)
      // Rows of a numbered record are complete and in order, even if the source gives the row itself no number.
      const number = found.number ??
        (statements !== undefined && isNumbered(statements, found.focus[0]) ? made.length + 1 : undefined)
      const row = { row: {}, parent, name, branch, focus: found.focus, variables, number, index: null, dropped: false }
      if (makeRow(context, row)) made.push(row)
    }
  }
  const kept = numberedFirst(lastOfEach(context, component, inOrder(context, component, made, parent)))
  return inShape(component, takeFirst || shape === "object" ? firstOf(context, component, kept) : kept)
}

/** Makes one row. Returns false if it is dropped because it lacks a required field. */
const makeRow = (context: VisitContext, made: RowProvenance): boolean => {
  const { branch, focus, name, number, row } = made
  context.rows.push(made)
  if (branch.assume !== undefined) {
    context.problem(row, "", { ...assumed(branch.assume, branch.span), ...sourceOf(focus) })
  }
  fillRow(context, made)
  const missing = number === undefined
    ? branch.needs.find((fields) => fields.every((field) => isBlankValue(row[field])))
    : undefined
  if (missing === undefined) return true
  const [first = ""] = missing
  made.lacks = missing
  dropRow(context, made, first, {
    code: "no-value",
    title: `a row of \`${name}\` is dropped: it has no ${missing.map((field) => `\`${field}\``).join(" or ")}`,
    help: "to exclude such rows, add a condition:  where: {NAME: PATH}"
  })
  return false
}

/** Returns the rows in the shape of the component, and notes the index of each in its list. */
const inShape = ({ shape }: ComponentPlan, rows: ReadonlyArray<RowProvenance>): unknown => {
  switch (shape) {
    case "object":
      return rows[0]?.row ?? null
    case "strings":
      return rows.flatMap(({ row }) => (Array.isArray(row.value) ? row.value : []))
    case "examination":
      return rows.map((made) => {
        made.finding = { [String(made.row.key)]: made.row.value }
        return made.finding
      })
    case "list":
      return rows.map((made, index) => {
        made.index = index
        return made.row
      })
  }
}

/** Returns the rows in the order of the component. Each path of an order is evaluated once for a row. */
const inOrder = (
  context: VisitContext,
  { name, orderBy }: ComponentPlan,
  rows: ReadonlyArray<RowProvenance>,
  parent: SectionRow
): ReadonlyArray<RowProvenance> => {
  if (orderBy.length === 0 || rows.length < 2) return rows
  const known = new Map<RowProvenance, ReadonlyArray<string>>()
  const pathText = (made: RowProvenance, index: number): string => {
    let texts = known.get(made)
    if (texts === undefined) {
      const { branch, focus, variables } = made
      texts = branch.orderPaths.map((path) => {
        const found = path === undefined ? [] : context.values(path, focus, variables, parent, name)
        return found.length === 0 ? "" : keyText(found[0])
      })
      known.set(made, texts)
    }
    return texts[index] ?? ""
  }
  return rows.toSorted(rowOrder(orderBy, pathText))
}

/** Rows that the source numbers come first, in the order of their numbers. */
const numberedFirst = (rows: ReadonlyArray<RowProvenance>): ReadonlyArray<RowProvenance> =>
  rows.every(({ number }) => number === undefined)
    ? rows
    : rows.toSorted((one, other) => (one.number ?? Infinity) - (other.number ?? Infinity) || 0)

/** Keeps the last of the rows with the same values in the fields of `onePer`, and all rows that the source numbers. */
const lastOfEach = (
  context: VisitContext,
  { name, onePer }: ComponentPlan,
  rows: ReadonlyArray<RowProvenance>
): ReadonlyArray<RowProvenance> => {
  const [field] = onePer
  if (field === undefined || rows.length < 2) return rows
  const keyOf = ({ row }: RowProvenance): string => JSON.stringify(onePer.map((one) => row[one]))
  const last = new Map(rows.map((made) => [keyOf(made), made]))
  return rows.filter((made) => {
    if (made.number !== undefined || last.get(keyOf(made)) === made) return true
    dropRow(context, made, field, {
      code: "too-many-values",
      title: `a row of \`${name}\` is dropped: a later one has the same ${
        onePer.map((one) => `\`${one}\``).join(", ")
      }`,
      help: "the last in the order of `orderBy` is kept; to keep all of them:  onePer: []"
    })
    return false
  })
}

/** Keeps the first row of a component that takes one, and reports each further row. */
const firstOf = (
  context: VisitContext,
  { name }: ComponentPlan,
  rows: ReadonlyArray<RowProvenance>
): ReadonlyArray<RowProvenance> => {
  for (const made of rows.slice(1)) {
    made.dropped = true
    context.problem(made.parent, name, {
      code: "dropped-record",
      severity: "warning",
      title: `\`${name}\` takes one row: a second one is dropped`,
      mapping: made.branch.span,
      ...sourceOf(made.focus),
      help: ["the first is sent; to exclude the others, add a condition:  where: {NAME: PATH}"]
    })
  }
  return rows.slice(0, 1)
}

/** Why a row is dropped. */
interface DropReason {
  readonly code: "no-value" | "too-many-values"
  readonly title: string
  readonly help: string
}

/** Drops a row, and reports it unless a problem of the row already explains why. */
const dropRow = (
  context: VisitContext,
  made: RowProvenance,
  name: string,
  { code, help, title }: DropReason
): void => {
  const { branch, focus, row } = made
  made.dropped = true
  const within = new Set(context.rows.flatMap((inner) => (inner.parent === row ? [inner.row] : [])))
  // A remark on a value does not explain why its row is dropped.
  const isReported = context.pending.some((one) =>
    one.diagnostic.assumption === undefined && one.diagnostic.code !== "substitute-value" &&
    (one.row === row || (one.row !== null && within.has(one.row)))
  )
  if (isReported) return
  const field = branch.fields.find((one) => one.name === name)
  const paths = field?.kind === "leaf" ? field.paths : []
  context.problem(row, name, {
    code,
    severity: "warning",
    title,
    mapping: paths[0]?.span ?? field?.span ?? branch.span,
    ...(paths.length === 0 ? {} : { path: paths.map(({ text }) => text).join(", otherwise ") }),
    ...sourceOf(focus),
    help: [help]
  })
}

/** Compares rows of a component: by fields, by the ranks of their values, or by a path. `pathText` is the result of such a path for a row. */
const rowOrder = (
  orderBy: ComponentPlan["orderBy"],
  pathText: (made: RowProvenance, index: number) => string
) =>
(one: RowProvenance, other: RowProvenance): number => {
  for (const [index, { descending, name, ranks }] of orderBy.entries()) {
    const order = name === undefined
      ? compareIds(pathText(one, index), pathText(other, index))
      : compareFields(one.row[name], other.row[name], ranks)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** A row without a value, or with one that has no rank, comes last. */
const compareFields = (one: unknown, other: unknown, ranks: ReadonlyMap<string, number> | undefined): number => {
  if (ranks !== undefined) return rankOf(one, ranks) - rankOf(other, ranks)
  const [lacksOne, lacksOther] = [one === undefined || one === null, other === undefined || other === null]
  if (lacksOne || lacksOther) return Number(lacksOne) - Number(lacksOther)
  return compare(one, other)
}

const rankOf = (value: unknown, ranks: ReadonlyMap<string, number>): number => ranks.get(orderText(value)) ?? ranks.size

const compare = (a: unknown, b: unknown): number => {
  if (isDecimal(a) && isDecimal(b)) return compareDecimals(a, b)
  return compareTexts(orderText(a), orderText(b))
}

const orderText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
