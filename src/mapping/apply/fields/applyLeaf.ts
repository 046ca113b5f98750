import { shown } from "../../../diagnostic/shown.ts"
import type { Elements } from "../../../fhirpath/FhirPath.ts"
import { asListedCode } from "../../../visit/values/ReferenceList.ts"
import { assumed } from "../../assumptions/assumed.ts"
import { codesOf } from "../../codes/ConceptMap.ts"
import { forEachElement } from "../../functions/forEachElement.ts"
import type { LeafPlan, PathPlan, ValueRemark } from "../../MappingPlan.ts"
import { sourceOf } from "../scope/VisitContext.ts"
import { convertUnit } from "./convertUnit.ts"
import type { FieldContext } from "./FieldContext.ts"
import { reportOn } from "./FieldReport.ts"
import { leafValue, typeNameAt } from "./leafValue.ts"
import { translate, translateCodes, translateOne } from "./translateCodes.ts"

/**
 * Returns the value of one field in the form of the specification. It is the value that the mapping states, otherwise the first path
 * result, translated, converted and typed, otherwise the default, otherwise the field's blank. `undefined` only for an optional field
 * without a value. `stated` are the values that the source states explicitly; they take precedence.
 */
export const applyLeaf = (filling: FieldContext, stated: ReadonlyArray<unknown> | undefined): unknown => {
  const { context, focus, leaf, row, variables } = filling
  if (stated !== undefined) return statedValue(filling, stated)
  if (leaf.literal !== undefined) {
    remarkOn(filling, leaf.literalRemark)
    return fixedValue(filling, leaf.literal)
  }
  const before = context.problemCount()
  for (const path of leaf.paths) {
    const values = context.values(path, focus, variables, row, leaf.name)
    const value = values.length === 0 ? undefined : foundValue(filling, values, path)
    if (value === undefined) continue
    filling.path = path
    remarkOnFound(filling, values, path)
    return value
  }
  return valueWithoutPath(filling, before)
}

/** Reports what the mapping says about a path that found the value of a field. */
export const remarkOnFound = (filling: FieldContext, values: Elements, path: PathPlan): void => {
  remarkOn(filling, path, path.text)
  if (path.assume !== undefined) remarkOnNext(filling, values, path)
}

/**
 * Returns the value of a field for which no path found one. `before` is the number of problems before its paths were evaluated. The default is
 * not sent in place of a value that was found and cannot be used, such as an unmapped code: that has been reported.
 */
export const valueWithoutPath = (filling: FieldContext, before: number): unknown => {
  const { context, leaf } = filling
  if (leaf.fallback !== undefined && context.problemCount() === before) {
    remarkOn(filling, leaf.fallbackRemark)
    return fixedValue(filling, leaf.fallback)
  }
  if (leaf.field.kind === "strings") return leaf.field.optional && leaf.paths.length === 0 ? undefined : []
  reportNoValue(filling, before)
  return blankOf(leaf)
}

/** The value sent for an empty field; `undefined` if nothing is sent. */
const blankOf = ({ empty, field }: LeafPlan): "" | null | undefined =>
  empty !== undefined ? empty : field.optional ? undefined : field.blank

/**
 * Validation reports what the specification makes mandatory; this reports what the mapping makes required. A value that was found and could
 * not be used has been reported already. For a required value a warning is not enough.
 */
const reportNoValue = ({ context, focus, leaf, row }: FieldContext, before: number): void => {
  const { field, name, paths, required, span } = leaf
  const isExplained = required === "error" ? context.hasErrorSince(before) : context.problemCount() > before
  if (isExplained || required === "none" || (required === "error" && field.mandatory)) return
  context.problem(row, name, {
    code: "no-value",
    severity: required,
    title: `\`${name}\` has no value`,
    mapping: paths[0]?.span ?? span,
    ...(paths.length === 0 ? {} : { path: paths.map((path) => path.text).join(", otherwise ") }),
    ...sourceOf(focus)
  })
}

/** Reports that a value is sent under an assumption, or with a message of the mapping. */
export const remarkOn = (filling: FieldContext, remark: ValueRemark | undefined, path?: string): void => {
  if (remark === undefined) return
  const { assume, span: mapping, warn } = remark
  if (assume === undefined && warn === undefined) return
  const { context, focus, leaf, row } = filling
  const found = path === undefined ? sourceOf(focus) : { ...sourceOf(focus), path }
  if (assume !== undefined) context.problem(row, leaf.name, { ...assumed(assume, mapping), ...found })
  if (warn === undefined) return
  context.problem(row, leaf.name, {
    code: "substitute-value",
    severity: "warning",
    title: warn,
    mapping,
    ...found,
    ...(path === undefined ? { help: ["look at the record: is the value somewhere else? Then add a path"] } : {})
  })
}

/**
 * Reports the assumptions of the paths that follow one with an assumption and find the same. They state further doubts about one value, and
 * accepting the first must not hide the others.
 */
const remarkOnNext = (filling: FieldContext, values: Elements, first: PathPlan): void => {
  const { context, focus, leaf: { name, paths }, row, variables } = filling
  for (let at = paths.indexOf(first) + 1; at < paths.length; at++) {
    const path = paths[at]
    if (path?.assume === undefined) return
    const found = context.values(path, focus, variables, row, name)
    if (JSON.stringify(found) === JSON.stringify(values)) remarkOn(filling, path, path.text)
  }
}

/** A value that the source states explicitly is sent unchanged. An empty statement means that there is no value. */
const statedValue = (filling: FieldContext, stated: ReadonlyArray<unknown>): unknown => {
  const { field } = filling.leaf
  const values = stated.flatMap((value, at) => leafValue(filling, value, at) ?? [])
  if (field.kind === "strings") return values
  const [first] = values
  return first === undefined ? blankOf(filling.leaf) : first
}

/** A fixed value of the mapping is sent unchanged: not translated, not converted. It comes from no record. */
const fixedValue = (filling: FieldContext, value: string | number | boolean): unknown => {
  const { context, leaf, row, variables } = filling
  const { field } = leaf
  const one = leafValue({ leaf, focus: noRecord, variables, row, context }, value, 0)
  return field.kind === "strings" ? (one === undefined ? [] : [one]) : (one ?? field.blank)
}

const noRecord: Elements = []

/** Returns the field value for the result of one path; `undefined` if there is none. */
export const foundValue = (filling: FieldContext, values: Elements, path: PathPlan): unknown => {
  const { conceptMap, field, join, unit } = filling.leaf
  if (values.length !== 1 || unit !== undefined || join !== undefined || field.kind === "strings") {
    return foundValues(filling, values, path)
  }
  const value = conceptMap === undefined ? values[0] : translate(filling, conceptMap, codesOf(values[0]), path)
  return inList(filling.leaf, leafValue(filling, value, 0, path))
}

/** Like `foundValue`, for results that are converted or translated, or that have several values. */
const foundValues = (filling: FieldContext, values: Elements, path: PathPlan): unknown => {
  const { leaf } = filling
  const { conceptMap, field, join, unit } = leaf
  const isSeveral = field.kind === "strings" || join !== undefined
  let found = values
  if (unit !== undefined) found = found.flatMap((value) => convertUnit(filling, unit, value, path))
  if (conceptMap !== undefined) found = (isSeveral ? translateCodes : translateOne)(filling, conceptMap, found, path)
  const all = forEachElement(found, (value, at) => inList(leaf, leafValue(filling, value, at, path)))
  if (field.kind === "strings") return all.length === 0 ? undefined : all
  // One value is sent unchanged, a number as a number.
  if (join !== undefined) return all.length < 2 ? all[0] : all.map(writtenOut).join(join)
  const [first] = all
  if (first !== undefined && !leaf.takeFirst && all.length > 1) reportSeveral(filling, all, found, path)
  return first
}

/** Reports that one of several different values is sent. */
const reportSeveral = (filling: FieldContext, all: ReadonlyArray<unknown>, found: Elements, path: PathPlan): void => {
  const first = JSON.stringify(all[0])
  if (all.every((value) => JSON.stringify(value) === first)) return
  const types = found.slice(0, 4).map((value, at) => typeNameAt(filling, value, path, at))
  reportOn(filling, path)({
    code: "too-many-values",
    severity: "warning",
    title: `\`${filling.leaf.name}\` takes one value, this path found ${all.length}`,
    label: `${all.length} values: ${types.join(", ")}`,
    value: shown(all.map(writtenOut).join(" | ")),
    help: ["the first was taken; to accept that, set  take: first", "or join them:  join: \", \""]
  })
}

/** Returns a value as text: a number by its digits. */
const writtenOut = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Returns a code as its list writes it: `J189` is `J18.9`. */
const inList = ({ listed }: LeafPlan, value: unknown): unknown =>
  listed === undefined || typeof value !== "string" ? value : asListedCode(listed, value) ?? value
