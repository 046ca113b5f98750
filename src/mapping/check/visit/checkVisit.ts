import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../../fhirpath/infer/InferredType.ts"
import { getOrMake } from "../../../maps.ts"
import type { Field } from "../../../visit/Field.ts"
import { keysOf, readKey } from "../../language/grammar/Kind.ts"
import {
  componentKeys,
  isComponentKey,
  isInherited,
  isOfAllBranches,
  rowWords
} from "../../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxMap, SyntaxScalar } from "../../language/MappingSyntax.ts"
import { isNull, withoutNulls } from "../../language/MappingSyntax.ts"
import { mergeMaps } from "../../language/mergeSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { BranchPlan, ComponentPlan, FieldPlan } from "../../MappingPlan.ts"
import { keyOfType } from "../expressions/keptInferences.ts"
import type { PathFocus } from "../expressions/PathScope.ts"
import { checkConditions, checkTogether } from "./checkConditions.ts"
import { checkLeaf } from "./checkLeaf.ts"
import { checkOrder, checkRanks } from "./checkOrder.ts"
import { checkRows } from "./checkRows.ts"
import { checkUnasked } from "./checkUnasked.ts"
import type { Target } from "./checkWords.ts"
import { checkUnused, checkWords, hint, nameOf } from "./checkWords.ts"
import { mergeSibling } from "./mergeSibling.ts"
import type { VisitScope } from "./VisitScope.ts"

/** Reads `visit:`, with a component for each component of the specification and a leaf for each field. */
export const checkVisit = (
  reader: SyntaxReader,
  root: SyntaxMap,
  scope: VisitScope
): ComponentPlan | undefined => {
  const entry = root.entries.get("visit")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not declare what a visit is made of", {
      help: ["add `visit:`, or extend a mapping that has it"]
    })
  }
  const target: Target = { name: "visit", field: null, fields: scope.fields, shape: "object" }
  return checkComponent(reader, entry.value, target, scope, { focus: oneOf(scope.rootType), parent: anything })
}

const virtual = (name: string, from: Field | null): Field => ({
  name,
  kind: "text",
  nullable: true,
  mandatory: false,
  optional: false,
  blank: null,
  section: from?.section ?? "",
  description: ""
})

const checkComponent = (
  reader: SyntaxReader,
  syntax: Syntax,
  target: Target,
  scope: VisitScope,
  pathFocus: PathFocus
): ComponentPlan | undefined => {
  const what = target.field === null ? "the visit" : `\`${target.name}\``
  if (syntax.kind !== "map" && target.field !== null) {
    return reader.report("invalid-value", syntax.span, `${what} must be a map of names and values`, {
      help: [`to have none of it:  ${target.name}: {enabled: false}`]
    })
  }
  const written = reader.map(syntax, what)
  if (written === undefined) return undefined
  const map = withoutWords(written)
  if (!readKey(reader, componentKeys, "enabled", map)) {
    checkUnused(reader, map, target)
    return emptyComponent(target, map)
  }
  const unionEntry = map.entries.get("unionAll")
  const branches: Array<BranchPlan> = []
  const orders = checkOrder(reader, map.entries.get("orderBy")?.value, target, what, scope)
  const orderPaths = orders.map(({ path }) => path)
  if (unionEntry === undefined) {
    const branch = checkBranch(reader, map, null, target, scope, pathFocus, orderPaths)
    if (branch !== undefined) branches.push(branch)
  } else {
    const union = reader.names(unionEntry.value, "`unionAll`")
    const shared: SyntaxMap = { ...map, entries: new Map([...map.entries].filter(([key]) => isInherited(key))) }
    if (union !== undefined) checkUnasked(reader, shared, union, scope.own)
    for (const [name, { value }] of union?.entries ?? []) {
      // A branch inherits what its component declares for all branches.
      const merged = reader.map(value, `the branch \`${name}\``) === undefined || value.kind !== "map"
        ? undefined
        : mergeMaps(shared, value)
      if (merged === undefined) continue
      if (!readKey(reader, componentKeys, "enabled", merged)) {
        checkUnused(reader, value, target)
        continue
      }
      reportOwnWords(reader, value)
      if (value.kind === "map") checkConditions(reader, shared.entries.get("where"), value.entries.get("where"))
      const own = { ...withoutWords(merged), span: value.span }
      const branch = checkBranch(reader, own, name, target, scope, pathFocus, orderPaths)
      if (branch !== undefined) branches.push(branch)
    }
  }
  checkTogether(reader, branches, scope.own)
  checkRanks(reader, orders, branches, scope.own)
  const orderBy = orders.map(({ order }) => order)
  const onePer = checkNames(reader, readKey(reader, componentKeys, "onePer", map), target, "to have one row for")
  const takeFirst = readKey(reader, componentKeys, "take", map) === "first"
  return { ...emptyComponent(target, map), branches, orderBy, onePer, takeFirst }
}

/** Returns a component without its removed keys; a field that is `null` never has a value. */
const withoutWords = (map: SyntaxMap): SyntaxMap =>
  withoutNulls(map, [...map.entries.keys()].filter((name) => !isComponentKey(name)))

/** Reports a row order or row selection in a branch: both apply to the rows of all branches together. */
const reportOwnWords = (reader: SyntaxReader, branch: Syntax): void => {
  for (const [word, { key }] of branch.kind === "map" ? branch.entries : []) {
    if (!isOfAllBranches(word)) continue
    reader.report("invalid-value", key, `\`${word}\` applies to all branches together, not to one`, {
      help: ["write it next to  unionAll:"]
    })
  }
}

const emptyComponent = (target: Target, { span }: Syntax): ComponentPlan => ({
  kind: "component",
  name: target.name,
  field: target.field,
  span,
  shape: target.shape,
  branches: [],
  orderBy: [],
  onePer: [],
  takeFirst: false
})

/** Returns the fields that a key of a component names. */
const checkNames = (
  reader: SyntaxReader,
  written: ReadonlyArray<SyntaxScalar> | undefined,
  target: Target,
  why: string
): ReadonlyArray<string> => {
  const known = target.fields.map((field) => field.name)
  return (written ?? []).flatMap((scalar) => {
    const name = String(scalar.value)
    if (known.includes(name)) return [name]
    reader.report("unknown-field", scalar.span, `${nameOf(target)} has no field \`${name}\` ${why}`, {
      label: hint(name, known),
      help: [`fields: ${known.join(", ")}`]
    })
    return []
  })
}

const checkBranch = (
  reader: SyntaxReader,
  map: SyntaxMap,
  name: string | null,
  target: Target,
  scope: VisitScope,
  pathFocus: PathFocus,
  orderPaths: ReadonlyArray<SyntaxScalar | undefined>
): BranchPlan | undefined => {
  const begun = reader.problems.length
  const { rows, found } = checkRows(reader, map, scope, pathFocus)
  const single: PathFocus = { focus: found, parent: pathFocus.focus }
  const keys = (readKey(reader, componentKeys, "groupBy", map) ?? []).flatMap((path) =>
    scope.compile(path, single)?.plan ?? []
  )
  const where = (readKey(reader, componentKeys, "where", map) ?? []).flatMap(({ path, ...remark }) => {
    const plan = scope.compile(path, single, "condition")?.plan
    return plan === undefined ? [] : [{ ...plan, ...remark }]
  })
  const { assume } = reader.remark(map)
  // Fields are evaluated on all records that have the same keys.
  const grouped = map.entries.has("groupBy")
  const inside: PathFocus = grouped ? { ...single, focus: { ...found, several: true } } : single
  const needs = (readKey(reader, componentKeys, "needs", map) ?? [])
    .map((fields) => checkNames(reader, fields, target, "to need"))
    .filter((names) => names.length > 0)
  checkWords(reader, map, target)
  const fields: Array<FieldPlan> = []
  const missing: Array<Field> = []
  for (const field of target.fields) {
    const entry = mergeSibling(reader, map, field.name, target.fields)
    if (entry === "reported") continue
    if (entry === undefined) {
      if (!field.optional) missing.push(field)
      continue
    }
    const plan = checkField(reader, entry.value, field, scope, inside)
    if (plan !== undefined) fields.push(plan)
  }
  reportInherited(reader, begun, map, found, scope.own)
  const [example] = missing
  if (example !== undefined) {
    const names = missing.map((field) => `\`${field.name}\``).join(", ")
    reader.report("missing-field", map.span, `${nameOf(target)} has no line for ${names}`, {
      help: [
        `the specification sends every field (${example.section}); if the source has nothing, write  ${example.name}: null`
      ]
    })
  }
  return {
    name,
    span: map.span,
    rows,
    where,
    ...(assume === undefined ? {} : { assume }),
    groupBy: keys,
    orderPaths: orderPaths.map((scalar) => (scalar === undefined ? undefined : scope.compile(scalar, inside)?.plan)),
    needs,
    fields
  }
}

/**
 * Reports lines of the mapping below that do not fit the rows of the facility's own lines. It is one problem, at the line that sets the rows.
 */
const reportInherited = (
  reader: SyntaxReader,
  begun: number,
  { entries }: SyntaxMap,
  { typePaths }: InferredType,
  own: (file: string) => boolean
): void => {
  const rows = rowWords.map((word) => entries.get(word)).find((entry) => entry !== undefined && own(entry.key.file))
  const isBelow = ({ mapping }: Diagnostic): boolean => mapping !== undefined && !own(mapping.file)
  const found = reader.problems.slice(begun)
  const below = found.filter(isBelow)
  const [first] = [...below.filter(({ severity }) => severity === "error"), ...below]
  if (rows === undefined || first === undefined) return
  reader.problems.splice(begun, found.length, ...found.filter((one) => !isBelow(one)))
  const types = typePaths === null || typePaths.size === 0 ? "" : ` (${[...typePaths].slice(0, 3).join(", ")})`
  const title = `lines of the mapping below do not fit these rows${types}`
  const byLine = new Map(
    below.flatMap(({ mapping: span, title }) =>
      span === undefined ? [] : [[`${span.file}:${span.line}`, { span, text: title }]]
    )
  )
  reader[first.severity === "error" ? "report" : "warn"](first.code, rows.value.span, title, {
    help: ["write these lines here, too, or remove a condition:  where: {NAME: null}"],
    labels: [...byLine.values()].slice(0, 10)
  })
}

/**
 * Checks what a line gives a field. Many branches inherit a line: it is checked once for all whose rows have the same types, unless there is
 * something to report.
 */
const checkField = (
  reader: SyntaxReader,
  syntax: Syntax,
  field: Field,
  scope: VisitScope,
  pathFocus: PathFocus
): FieldPlan | undefined => {
  const ofTypes = getOrMake(getOrMake(scope.checked, syntax, () => new Map()), field, () => new Map())
  const types = `${keyOfType(pathFocus.focus)} ${keyOfType(pathFocus.parent)}`
  const known = ofTypes.get(types)
  if (known !== undefined) return known
  const before = reader.reported
  const plan = checkEach(reader, syntax, field, scope, pathFocus)
  if (plan !== undefined && reader.reported === before) ofTypes.set(types, plan)
  return plan
}

const checkEach = (
  reader: SyntaxReader,
  syntax: Syntax,
  field: Field,
  scope: VisitScope,
  pathFocus: PathFocus
): FieldPlan | undefined => {
  const hasRows = syntax.kind === "map" &&
    keysOf(componentKeys).some((word) =>
      syntax.entries.has(word) && word !== "description" && word !== "assume" &&
      (word !== "take" || !syntax.entries.has("path"))
    )
  switch (field.kind) {
    case "object":
    case "list": {
      if (isNull(syntax)) {
        return emptyComponent({ name: field.name, field, fields: [], shape: field.kind }, syntax)
      }
      // An object whose form the specification does not define is one value.
      if (field.kind === "object" && field.fields === undefined) {
        return checkLeaf(reader, syntax, field, scope, pathFocus)
      }
      return checkComponent(
        reader,
        syntax,
        { name: field.name, field, fields: field.fields ?? [], shape: field.kind },
        scope,
        pathFocus
      )
    }
    case "strings":
    case "examination": {
      if (!hasRows) return checkLeaf(reader, syntax, field, scope, pathFocus)
      const value = virtual("value", field)
      const fields: ReadonlyArray<Field> = field.kind === "strings"
        ? [{ ...value, kind: "strings" }]
        : [virtual("key", field), value]
      const target = { name: field.name, field, fields, shape: field.kind }
      return checkComponent(reader, syntax, target, scope, pathFocus)
    }
    default:
      return checkLeaf(reader, syntax, field, scope, pathFocus)
  }
}
