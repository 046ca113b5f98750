import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { assumed } from "../assumptions/assumed.ts"
import { isNumbered, statedFields } from "../language/Statements.ts"
import type { BranchPlan, ComponentPlan, LeafPlan, MappingPlan } from "../MappingPlan.ts"
import { compileLeaf } from "./compileLeaf.ts"
import type { FindRows } from "./compileRows.ts"
import { compileRows, keyText } from "./compileRows.ts"
import { rowOrder } from "./rowOrder.ts"
import type { RowProvenance, SectionRow, VisitContext } from "./VisitContext.ts"
import { sourceOf } from "./VisitContext.ts"

/** Makes the value of a component from the focus of the component around it. */
type MakeComponent = (making: VisitContext, focus: Elements, variables: Variables, parent: SectionRow) => unknown

/** The values that the source states explicitly for the fields of a row. */
type Stated = ReturnType<typeof statedFields>

/** Fills one field of a row. */
type FillField = (making: VisitContext, row: SectionRow, focus: Elements, variables: Variables, stated: Stated) => void

/**
 * How the fields of a row are filled, in order. Either each row is completed in turn, or one field is filled in several rows before the
 * next field.
 */
export interface RowFields {
  readonly statedFor: (focus: Elements) => Stated
  readonly fill: ReadonlyArray<FillField>
}

interface BranchCode {
  readonly branch: BranchPlan
  readonly find: FindRows
  readonly fields: RowFields
}

/** Compiles one component. Decisions that depend only on its plan are made once, not for each row. */
const compileComponent = (component: ComponentPlan, plan: MappingPlan): MakeComponent => {
  const { statements } = plan
  const { name, onePer, orderBy, takeFirst } = component
  const branches = component.branches.map((branch): BranchCode => ({
    branch,
    find: compileRows(name, branch, statements),
    fields: compileFields(name, branch, plan)
  }))
  const shape = shapes[component.shape]

  return (making, focus, around, parent) => {
    const made: Array<RowProvenance> = []
    let numbers: Map<SectionRow, number> | undefined
    let outside: Variables | undefined
    // The index of a row that is still looked for is not known: it is that of the row around it.
    const variables = (): Variables => (outside ??= making.standing(focus, around.rowIndex))
    for (const { branch, fields, find } of branches) {
      const found = find(making, focus, variables, parent)
      for (let rowIndex = 0; rowIndex < found.length; rowIndex++) {
        const { focus: standsOn, number } = found[rowIndex]!
        const row: SectionRow = {}
        const own = making.standing(focus, rowIndex)
        const story = { row, parent, name, branch, focus: standsOn, variables: own, index: null, dropped: false }
        making.stories.push(story)
        if (branch.assume !== undefined) {
          making.problem(row, "", { ...assumed(branch.assume, branch.span), ...sourceOf(standsOn) })
        }
        const stated = fields.statedFor(standsOn)
        for (const fill of fields.fill) fill(making, row, standsOn, own, stated)
        // A row that the source numbers, or whose focus is such a record, is already complete and in order.
        const place = number ??
          (statements !== undefined && isNumbered(statements, standsOn[0]) ? made.length + 1 : undefined)
        if (place !== undefined) (numbers ??= new Map()).set(row, place)
        const lacks = place === undefined && branch.needs.length > 0
          ? branch.needs.find((needed) => needed.every((name) => isMissing(row[name])))
          : undefined
        if (lacks === undefined) made.push(story)
        else dropRow(making, story, lacks[0]!, incomplete(name, lacks))
      }
    }
    const sorted = orderBy.length === 0 || made.length < 2 ? made : inOrder(making, component, made, parent)
    const kept = onePer.length === 0 || sorted.length < 2 ? sorted : lastOfEach(making, component, sorted, numbers)
    const ordered = numbers === undefined ? kept : numberedFirst(kept, numbers)
    return shape(takeFirst && ordered.length > 1 ? firstOf(making, component, ordered) : ordered)
  }
}

const isMissing = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

const shapes: Readonly<Record<ComponentPlan["shape"], (rows: ReadonlyArray<RowProvenance>) => unknown>> = {
  object: (rows) => rows[0]?.row ?? null,
  strings: (rows) => rows.flatMap(({ row }) => (Array.isArray(row.value) ? row.value : [])),
  examination: (rows) =>
    rows.map((story) => {
      story.finding = { [String(story.row.key)]: story.row.value }
      return story.finding
    }),
  list: (rows) =>
    rows.map((story, index) => {
      story.index = index
      return story.row
    })
}

/** The fields of a row in the order of the specification. Values that the source states explicitly come first. */
export const compileFields = (name: string, branch: BranchPlan, plan: MappingPlan): RowFields => {
  const { statements } = plan
  return {
    statedFor: statements === undefined ? () => undefined : (focus) => statedFields(statements, name, focus),
    fill: branch.fields.map((field) => compileField(name, field, plan))
  }
}

const compileField = (
  section: string,
  field: BranchPlan["fields"][number],
  plan: MappingPlan
): FillField => {
  const make = field.kind === "leaf" ? compileNotedLeaf(section, field) : compilePart(field, plan)
  const { name } = field
  return (making, row, focus, variables, stated) => {
    const said = stated?.get(name)
    const value = make(making, focus, variables, row, said)
    if (value !== undefined) row[name] = value
  }
}

/** A field with one value, which notes the records that its paths reach. */
const compileNotedLeaf = (section: string, leaf: LeafPlan): ReturnType<typeof compilePart> => {
  const make = compileLeaf(leaf)
  return (making, focus, variables, row, said) => {
    const { lookups, reads } = making
    // The conditions have read these; clear them before the field.
    if (reads.length > 0) reads.length = 0
    const value = make(making, focus, variables, row, said)
    if (reads.length > 0) {
      lookups.push({ section, leaf, row, focus, variables, records: reads.splice(0) })
    }
    return value
  }
}

/** A component within a row; it is empty if the source states so explicitly. */
const compilePart = (
  component: ComponentPlan,
  plan: MappingPlan
): (
  making: VisitContext,
  focus: Elements,
  variables: Variables,
  row: SectionRow,
  said: ReadonlyArray<unknown> | undefined
) => unknown => {
  const make = compileComponent(component, plan)
  return (making, focus, variables, row, said) =>
    said !== undefined && said.length === 0
      ? (component.shape === "object" ? null : [])
      : make(making, focus, variables, row)
}

const inOrder = (
  making: VisitContext,
  { name, orderBy }: ComponentPlan,
  made: ReadonlyArray<RowProvenance>,
  parent: SectionRow
): ReadonlyArray<RowProvenance> => {
  const known = new Map<SectionRow, ReadonlyArray<string>>()
  const stories = new Map(made.map((story) => [story.row, story]))
  /** Returns the results of the paths of an order for a row, evaluated once for each. */
  const pathText = (row: SectionRow, index: number): string => {
    let texts = known.get(row)
    if (texts === undefined) {
      const { branch, focus, variables } = stories.get(row)!
      texts = branch.orderPaths.map((path) => {
        const found = path === undefined ? [] : making.values(path, focus, variables, parent, name)
        return found.length === 0 ? "" : keyText(found[0])
      })
      known.set(row, texts)
    }
    return texts[index] ?? ""
  }
  const compare = rowOrder(orderBy, pathText)
  return made.toSorted((one, other) => compare(one.row, other.row))
}

const numberedFirst = (
  rows: ReadonlyArray<RowProvenance>,
  numbers: ReadonlyMap<SectionRow, number>
): ReadonlyArray<RowProvenance> => [
  ...rows.filter(({ row }) => numbers.has(row)).toSorted((one, other) =>
    numbers.get(one.row)! - numbers.get(other.row)!
  ),
  ...rows.filter(({ row }) => !numbers.has(row))
]

/** Keeps the last of the rows with the same values in the fields of `onePer`. Rows that the source numbers are complete already. */
const lastOfEach = (
  making: VisitContext,
  { name, onePer }: ComponentPlan,
  rows: ReadonlyArray<RowProvenance>,
  numbers: ReadonlyMap<SectionRow, number> | undefined
): ReadonlyArray<RowProvenance> => {
  const keyOf = ({ row }: RowProvenance): string => JSON.stringify(onePer.map((field) => row[field]))
  const last = new Map(rows.map((story) => [keyOf(story), story]))
  if (last.size === rows.length) return rows
  const fields = onePer.map((field) => `\`${field}\``).join(", ")
  return rows.filter((story) => {
    if (numbers?.has(story.row) === true || last.get(keyOf(story)) === story) return true
    dropRow(making, story, onePer[0]!, {
      code: "too-many-values",
      title: `a row of \`${name}\` is left out: a later one has the same ${fields}`,
      help: "the last in the order of `orderBy` is kept; to keep all of them:  onePer: []"
    })
    return false
  })
}

/** Keeps the first row of a component that takes one, and reports each further row. */
const firstOf = (
  making: VisitContext,
  { name }: ComponentPlan,
  [first, ...others]: ReadonlyArray<RowProvenance>
): ReadonlyArray<RowProvenance> => {
  for (const story of others) {
    story.dropped = true
    making.problem(story.parent, name, {
      code: "left-out",
      severity: "warning",
      title: `\`${name}\` takes one row, and there is another: it is left out`,
      mapping: story.branch.span,
      ...sourceOf(story.focus),
      help: ["the first is sent; to exclude the others, add a condition:  where: {NAME: PATH}"]
    })
  }
  return first === undefined ? [] : [first]
}

/** Why a row is dropped. */
interface LeftOut {
  readonly code: "no-value" | "too-many-values"
  readonly title: string
  readonly help: string
}

const incomplete = (component: string, lacks: ReadonlyArray<string>): LeftOut => ({
  code: "no-value",
  title: `a row of \`${component}\` is left out: it has no ${lacks.map((name) => `\`${name}\``).join(" or ")}`,
  help: "to exclude such rows, add a condition:  where: {NAME: PATH}"
})

// Report the problems of a dropped row at the path of its component. If it has none, report that it is dropped.
const dropRow = (making: VisitContext, story: RowProvenance, name: string, { code, title, help }: LeftOut): void => {
  const { branch, focus, row } = story
  story.dropped = true
  const within = new Set(making.stories.flatMap((inner) => (inner.parent === row ? [inner.row] : [])))
  // A remark on a value does not explain why its row is dropped.
  const isReported = making.pending.some((one) =>
    one.diagnostic.assumption === undefined && one.diagnostic.code !== "stand-in" &&
    (one.row === row || (one.row !== null && within.has(one.row)))
  )
  if (isReported) return
  const field = branch.fields.find((one) => one.name === name)
  const paths = field?.kind === "leaf" ? field.paths : []
  making.problem(row, name, {
    code,
    severity: "warning",
    title,
    mapping: paths[0]?.span ?? field?.span ?? branch.span,
    ...(paths.length === 0 ? {} : { path: paths.map(({ text }) => text).join(", else ") }),
    ...sourceOf(focus),
    help: [help]
  })
}
