import { suggest } from "../diagnostic/suggest.ts"
import type { Found } from "../fhirpath/inferPlaces.ts"
import type { Model } from "../fhirpath/Model.ts"
import type { Field } from "../visit/Field.ts"
import { visitFields } from "../visit/fields.ts"
import type { ReferenceLists } from "../visit/ReferenceList.ts"
import { notOfPatient, patientAdvice } from "./checkCalls.ts"
import { checkConditions } from "./checkConditions.ts"
import { checkLeaf, leafWords } from "./checkLeaf.ts"
import type { CompilePath, Standing, UsedNames } from "./checkPaths.ts"
import { anything, one } from "./checkPaths.ts"
import type { NamedUnits } from "./checkUnits.ts"
import type { ConceptMap } from "./ConceptMap.ts"
import type { BranchPlan, ComponentPlan, FieldPlan, RowOrder, Rows } from "./MappingPlan.ts"
import type { Syntax, SyntaxEntry, SyntaxMap, SyntaxScalar } from "./MappingSyntax.ts"
import { mergeSyntax } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Structural words of a component; no field of the specification has one of these names. */
export const componentWords = [
  "sameAs",
  "resource",
  "scope",
  "forEach",
  "forEachOrNull",
  "unionAll",
  "where",
  "groupBy",
  "orderBy",
  "take",
  "needs",
  "enabled",
  "description"
] as const

export interface VisitScope {
  readonly model: Model
  readonly compile: CompilePath
  readonly conceptMaps: ReadonlyMap<string, ConceptMap>
  readonly fields: ReadonlyArray<Field>
  readonly patientTypes: ReadonlySet<string>
  readonly used: UsedNames
  /** Gathers the units that lines name. */
  readonly units: NamedUnits
  /** The standard data that is at hand. */
  readonly lists: ReferenceLists | undefined
  readonly asWritten: boolean
  /** The type a visit grows from. */
  readonly rootType: string
}

/** Reads `visit:`: a component for each component of the specification, a leaf for each field. */
export const checkVisit = (
  reader: SyntaxReader,
  root: SyntaxMap,
  scope: VisitScope
): { readonly plan: ComponentPlan; readonly visitTypes: ReadonlySet<string> } | undefined => {
  const entry = root.entries.get("visit")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not say what a visit is made of", undefined, [
      "add `visit:`, or extend a mapping that has it"
    ])
  }
  const visitTypes = new Set<string>()
  const plan = checkComponent(
    reader,
    entry.value,
    { name: "visit", field: null, fields: scope.fields, shape: "object" },
    scope,
    visitTypes,
    { focus: one(scope.rootType), parent: anything }
  )
  return plan === undefined ? undefined : { plan, visitTypes }
}

interface Target {
  readonly name: string
  readonly field: Field | null
  readonly fields: ReadonlyArray<Field>
  readonly shape: ComponentPlan["shape"]
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
  visitTypes: Set<string>,
  standing: Standing
): ComponentPlan | undefined => {
  const what = target.field === null ? "the visit" : `\`${target.name}\``
  if (syntax.kind !== "map" && target.field !== null) {
    return reader.report("invalid-value", syntax.span, `${what} is a map of names and values`, undefined, [
      `to have none of it:  ${target.name}: {enabled: false}`
    ])
  }
  const map = reader.map(syntax, what)
  if (map === undefined) return undefined
  if (reader.boolean(map.entries.get("enabled"), "`enabled`") === false) {
    checkUnused(reader, map, target)
    return emptyComponent(target, map)
  }
  const unionEntry = map.entries.get("unionAll")
  const branches: Array<BranchPlan> = []
  const orderSyntax = map.entries.get("orderBy")?.value
  const orderPaths = orderSyntax?.kind === "list" ? orderSyntax.items.map(orderPath) : [orderPath(orderSyntax)]
  if (unionEntry === undefined) {
    const branch = checkBranch(reader, map, null, target, scope, visitTypes, standing, orderPaths)
    if (branch !== undefined) branches.push(branch)
  } else {
    const union = reader.map(unionEntry.value, "`unionAll`")
    const shared: SyntaxMap = { ...map, entries: new Map([...map.entries].filter(([key]) => !ownWords.has(key))) }
    for (const [name, { value }] of union?.entries ?? []) {
      // A branch inherits what its component says once for all branches.
      const merged = reader.map(value, `the branch \`${name}\``) === undefined ? undefined : mergeSyntax(shared, value)
      if (merged === undefined || merged.kind !== "map") continue
      if (reader.boolean(merged.entries.get("enabled"), "`enabled`") === false) {
        checkUnused(reader, value, target)
        continue
      }
      if (value.kind === "map") checkConditions(reader, shared.entries.get("where"), value.entries.get("where"))
      const own = { ...merged, span: value.span }
      const branch = checkBranch(reader, own, name, target, scope, visitTypes, standing, orderPaths)
      if (branch !== undefined) branches.push(branch)
    }
  }
  const orderBy = checkOrder(reader, map.entries.get("orderBy")?.value, target, what, scope)
  const take = reader.oneOf(map.entries.get("take"), "`take`", ["first", "all"])
  return {
    kind: "component",
    name: target.name,
    field: target.field,
    span: map.span,
    shape: target.shape,
    branches,
    orderBy,
    takeFirst: take === "first"
  }
}

/** `field`, `-field`, or `{field: name, conceptMap: vital_name}`: in the order in which a concept map's values are written. */
const checkOrder = (
  reader: SyntaxReader,
  syntax: Syntax | undefined,
  target: Target,
  what: string,
  scope: VisitScope
): ComponentPlan["orderBy"] => {
  const items = syntax === undefined ? [] : syntax.kind === "list" ? syntax.items : [syntax]
  return items.flatMap((item): ReadonlyArray<RowOrder> => {
    const long = item.kind === "map"
      ? reader.map(item, "`orderBy`", ["field", "conceptMap", "path", "descending"])
      : undefined
    if (orderPath(item) !== undefined) {
      return [{ name: undefined, descending: reader.boolean(long?.entries.get("descending"), "`descending`") ?? false }]
    }
    const entry = long?.entries.get("field")
    const text = long === undefined
      ? (item.kind === "scalar" ? String(item.value) : "")
      : (reader.text(entry, "`field`") ?? "")
    if (long !== undefined && entry === undefined) {
      if (!long.entries.has("field") && [...long.entries.keys()].every((key) => key === "conceptMap")) {
        reader.report("missing-key", item.span, "`orderBy` needs the `field`")
      }
      return []
    }
    const name = text.replace(/^-/u, "")
    if (!target.fields.some((field) => field.name === name)) {
      reader.report(
        "unknown-field",
        entry?.value.span ?? item.span,
        `${what} cannot be ordered by \`${name}\``,
        hint(name, target.fields.map((field) => field.name))
      )
      return []
    }
    const mapEntry = long?.entries.get("conceptMap")
    const mapName = reader.text(mapEntry, "`conceptMap`")
    const conceptMap = mapName === undefined ? undefined : scope.conceptMaps.get(mapName)
    if (mapName !== undefined) scope.used.conceptMaps.add(mapName)
    if (mapName !== undefined && conceptMap === undefined) {
      reader.report(
        "unknown-concept-map",
        mapEntry!.value.span,
        `no concept map is called \`${mapName}\``,
        hint(mapName, [...scope.conceptMaps.keys()])
      )
    }
    const ranks = conceptMap === undefined
      ? undefined
      : new Map([...new Set(conceptMap.rows.values())].map((value, rank) => [value, rank] as const))
    return [{ name, descending: text.startsWith("-"), ...(ranks === undefined ? {} : { ranks }) }]
  })
}

/** `{path: row}`: rows in the order of what a path finds on each. */
const orderPath = (item: Syntax | undefined): SyntaxScalar | undefined => {
  const path = item?.kind === "map" ? item.entries.get("path")?.value : undefined
  return path?.kind === "scalar" && typeof path.value === "string" ? path : undefined
}

/** Words that belong to a component with branches and not to each branch. */
const ownWords: ReadonlySet<string> = new Set(["sameAs", "unionAll", "orderBy", "take", "enabled", "description"])

const emptyComponent = (target: Target, map: SyntaxMap): ComponentPlan => ({
  kind: "component",
  name: target.name,
  field: target.field,
  span: map.span,
  shape: target.shape,
  branches: [],
  orderBy: [],
  takeFirst: false
})

const hint = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const near = suggest(name, names)
  return near === undefined ? undefined : `did you mean \`${near}\`?`
}

const nameOf = (target: Target): string => (target.field === null ? "the visit" : `\`${target.name}\``)

/** Where the specification has a field, for one that is written elsewhere; names that several sections have are left out. */
const homes: ReadonlyMap<string, string> = (() => {
  const found = new Map<string, string>()
  const several = new Set<string>()
  const look = (fields: ReadonlyArray<Field>, path: string): void => {
    for (const field of fields) {
      if (found.has(field.name)) several.add(field.name)
      found.set(field.name, path === "" ? "the visit itself" : `\`${path}\``)
      look(field.fields ?? [], path === "" ? field.name : `${path}.${field.name}`)
    }
  }
  look(visitFields, "")
  for (const name of several) found.delete(name)
  return found
})()

/** Every word of a component is one of the language, or a field. */
const checkWords = (reader: SyntaxReader, map: SyntaxMap, target: Target): void => {
  const known = target.fields.map((field) => field.name)
  for (const [key, entry] of map.entries) {
    if (known.includes(key) || (componentWords as ReadonlyArray<string>).includes(key)) continue
    reader.report(
      "unknown-field",
      entry.key,
      `${nameOf(target)} has no field \`${key}\``,
      hint(key, [...known, ...componentWords]),
      [
        `fields: ${known.join(", ")}${target.field === null ? "" : `  (specification ${target.field.section})`}`,
        `words: ${componentWords.join(", ")}`,
        ...(homes.has(key) ? [`it is a field of ${homes.get(key)}`] : [])
      ]
    )
  }
}

/** The words of what is switched off: nothing of it is used, and a misspelt word is one all the same. */
const checkUnused = (reader: SyntaxReader, syntax: Syntax, target: Target): void => {
  if (syntax.kind !== "map") return
  checkWords(reader, syntax, target)
  const branches = syntax.entries.get("unionAll")?.value
  if (branches?.kind === "map") {
    for (const { value } of branches.entries.values()) {
      checkUnused(reader, value, target)
    }
  }
  for (const field of target.fields) {
    const inner = syntax.entries.get(field.name)?.value
    if (inner?.kind !== "map") continue
    const { fields = [], kind } = field
    if ((kind === "object" && fields.length > 0) || kind === "list") {
      checkUnused(reader, inner, { name: field.name, field, fields, shape: kind })
    } else if (kind !== "strings" && kind !== "examination") reader.map(inner, `the field \`${field.name}\``, leafWords)
  }
}

const checkBranch = (
  reader: SyntaxReader,
  map: SyntaxMap,
  name: string | null,
  target: Target,
  scope: VisitScope,
  visitTypes: Set<string>,
  standing: Standing,
  orderPaths: ReadonlyArray<SyntaxScalar | undefined>
): BranchPlan | undefined => {
  const { rows, found } = checkRows(reader, map, scope, visitTypes, standing)
  const single: Standing = { focus: found, parent: standing.focus }
  const texts = (key: "where" | "groupBy") =>
    reader.texts(map.entries.get(key)?.value, `\`${key}\``).flatMap((scalar) =>
      scope.compile(scalar, single, key === "where" ? "condition" : undefined)?.plan ?? []
    )
  // Fields stand on all records that have the same keys.
  const grouped = map.entries.has("groupBy")
  const inside: Standing = grouped ? { ...single, focus: { ...found, several: true } } : single
  const known = target.fields.map((field) => field.name)
  const what = nameOf(target)
  const needs = reader.texts(map.entries.get("needs")?.value, "`needs`").flatMap((scalar) => {
    const needed = String(scalar.value)
    if (known.includes(needed)) return [needed]
    reader.report("unknown-field", scalar.span, `${what} has no field \`${needed}\` to need`, hint(needed, known), [
      `fields: ${known.join(", ")}`
    ])
    return []
  })
  checkWords(reader, map, target)
  const fields: Array<FieldPlan> = []
  const missing: Array<Field> = []
  for (const field of target.fields) {
    const entry = likeSibling(reader, map, field.name, target.fields)
    if (entry === "reported") continue
    if (entry === undefined) {
      if (!field.optional) missing.push(field)
      continue
    }
    const plan = checkField(reader, entry.value, field, scope, visitTypes, inside)
    if (plan !== undefined) fields.push(plan)
  }
  if (missing.length > 0) {
    const names = missing.map((field) => `\`${field.name}\``).join(", ")
    const [{ name: example, section }] = missing as [Field]
    reader.report("missing-field", map.span, `${what} has no line for ${names}`, undefined, [
      `the specification sends every field (${section}); where the source has nothing, write  ${example}: null`
    ])
  }
  return {
    name,
    span: map.span,
    rows,
    where: texts("where"),
    groupBy: texts("groupBy"),
    orderPaths: orderPaths.map((scalar) => (scalar === undefined ? undefined : scope.compile(scalar, inside)?.plan)),
    needs,
    fields
  }
}

/** `sameAs: outpatients` begins a component with what its sibling says; its own words come on top, as an overlay's do. */
const likeSibling = (
  reader: SyntaxReader,
  map: SyntaxMap,
  name: string,
  fields: ReadonlyArray<Field>
): SyntaxEntry | "reported" | undefined => {
  const entry = map.entries.get(name)
  if (entry === undefined || entry.value.kind !== "map") return entry
  const same = entry.value.entries.get("sameAs")
  const sibling = reader.text(same, "`sameAs`")
  if (same === undefined || sibling === undefined) return entry
  const below = map.entries.get(sibling)
  if (sibling === name || (below?.value.kind === "map" && below.value.entries.has("sameAs"))) {
    const what = sibling === name
      ? `\`${name}\` is the same as itself`
      : `\`${sibling}\` is itself the same as another section`
    reader.report("invalid-value", same.value.span, what, undefined, ["name a section that says everything itself"])
    return "reported"
  }
  if (below === undefined || below.value.kind !== "map") {
    reader.report(
      "invalid-value",
      same.value.span,
      `there is no \`${sibling}\` beside \`${name}\` to be the same as`,
      hint(sibling, [...map.entries.keys()])
    )
    return "reported"
  }
  const componentOf = (field: string): string | undefined => fields.find((one) => one.name === field)?.component
  if (componentOf(sibling) !== componentOf(name)) {
    const alike = fields.filter((one) => one.name !== name && one.component === componentOf(name))
    reader.report(
      "invalid-value",
      same.value.span,
      `\`${name}\` cannot be the same as \`${sibling}\`: it has other fields`,
      undefined,
      alike.length === 0 ? [] : [`these have the same: ${alike.map((one) => one.name).join(", ")}`]
    )
    return "reported"
  }
  checkConditions(reader, below.value.entries.get("where"), entry.value.entries.get("where"))
  return { key: entry.key, value: mergeSyntax(below.value, entry.value) }
}

const checkRows = (
  reader: SyntaxReader,
  map: SyntaxMap,
  scope: VisitScope,
  visitTypes: Set<string>,
  standing: Standing
): { readonly rows: Rows; readonly found: Found } => {
  const given = (["resource", "forEach", "forEachOrNull"] as const).filter((key) => {
    const value = map.entries.get(key)?.value
    // An overlay takes a word away with `null`.
    return value !== undefined && !(value.kind === "scalar" && value.value === null)
  })
  const [first] = given
  if (first === undefined) return { rows: { from: "focus" }, found: standing.focus }
  if (given.length > 1) {
    reader.report(
      "invalid-value",
      map.entries.get(given[1]!)!.key,
      `rows come from \`${first}\` or from \`${given[1]}\`, not both`
    )
  }
  const entry = map.entries.get(first)!
  if (first === "resource") {
    const types = reader.texts(entry.value, "`resource`").map((scalar) => {
      const type = String(scalar.value)
      if (!scope.model.isResourceType(type)) {
        const { noSuchType, resourceTypes } = scope.model
        reader.report("unknown-element", scalar.span, noSuchType(type), hint(type, resourceTypes()))
      }
      return type
    })
    const rowScope = reader.oneOf(map.entries.get("scope"), "`scope`", ["visit", "patient"]) ?? "visit"
    for (const scalar of rowScope === "visit" ? [] : reader.texts(entry.value, "`resource`")) {
      const type = String(scalar.value)
      if (!scope.model.isResourceType(type) || scope.patientTypes.has(type)) continue
      reader.report(
        "wrong-arguments",
        scalar.span,
        notOfPatient(type),
        undefined,
        patientAdvice(scope.patientTypes, type)
      )
    }
    if (rowScope === "visit") { for (const type of types) visitTypes.add(type) }
    return {
      rows: { from: "resource", types, scope: rowScope },
      found: types.length > 0 && types.every(scope.model.isResourceType) ? one(...types) : anything
    }
  }
  if (entry.value.kind !== "scalar") {
    reader.report("invalid-value", entry.value.span, `\`${first}\` is one path`, undefined, [
      "rows of several places:  a | b  in one path, or a branch for each under  unionAll:"
    ])
    return { rows: { from: "focus" }, found: anything }
  }
  const [path] = reader.texts(entry.value, `\`${first}\``).flatMap((scalar) =>
    scope.compile(scalar, { focus: standing.focus, parent: standing.focus }) ?? []
  )
  return path === undefined
    ? { rows: { from: "focus" }, found: anything }
    : {
      rows: { from: "forEach", path: path.plan, orNull: first === "forEachOrNull" },
      found: { ...path.found, several: false }
    }
}

const checkField = (
  reader: SyntaxReader,
  syntax: Syntax,
  field: Field,
  scope: VisitScope,
  visitTypes: Set<string>,
  standing: Standing
): FieldPlan | undefined => {
  const hasRows = syntax.kind === "map" &&
    componentWords.some((word) => word !== "description" && syntax.entries.has(word))
  switch (field.kind) {
    case "object":
    case "list": {
      if (syntax.kind === "scalar" && syntax.value === null) {
        return {
          kind: "component",
          name: field.name,
          field,
          span: syntax.span,
          shape: field.kind,
          branches: [],
          orderBy: [],
          takeFirst: false
        }
      }
      // An object of which the specification does not show the form is one value.
      if (field.kind === "object" && field.fields === undefined) {
        return checkLeaf(reader, syntax, field, scope, standing)
      }
      return checkComponent(
        reader,
        syntax,
        { name: field.name, field, fields: field.fields ?? [], shape: field.kind },
        scope,
        visitTypes,
        standing
      )
    }
    case "strings": {
      if (!hasRows) return checkLeaf(reader, syntax, field, scope, standing)
      const value: Field = { ...virtual("value", field), kind: "strings" }
      return checkComponent(
        reader,
        syntax,
        { name: field.name, field, fields: [value], shape: "strings" },
        scope,
        visitTypes,
        standing
      )
    }
    case "examination": {
      if (!hasRows) return checkLeaf(reader, syntax, field, scope, standing)
      const fields = [virtual("key", field), virtual("value", field)]
      return checkComponent(
        reader,
        syntax,
        { name: field.name, field, fields, shape: "examination" },
        scope,
        visitTypes,
        standing
      )
    }
    default:
      return checkLeaf(reader, syntax, field, scope, standing)
  }
}
