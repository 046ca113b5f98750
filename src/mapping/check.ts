import { plural } from "../diagnostic/count.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { didYouMean, suggest } from "../diagnostic/suggest.ts"
import type { PathEngine, PathFunction } from "../fhirpath/FhirPath.ts"
import { makeFhirPath } from "../fhirpath/FhirPath.ts"
import type { Found } from "../fhirpath/Found.ts"
import type { Model } from "../fhirpath/Model.ts"
import { withTables } from "../fhirpath/Model.ts"
import { groupingPaths } from "../grouping/GroupingPlan.ts"
import type { TableLayout } from "../source/tables/TableLayout.ts"
import type { Field } from "../visit/Field.ts"
import type { ReferenceLists } from "../visit/ReferenceList.ts"
import { FunctionBodies } from "./checkBodies.ts"
import { checkConceptMaps } from "./checkConceptMaps.ts"
import { checkFunctions, languageVariables, reservedVariables } from "./checkFunctions.ts"
import { checkGrouping } from "./checkGrouping.ts"
import type { CompilePath, PathScope, Standing } from "./checkPaths.ts"
import { anything, checkPath, one, tellElement } from "./checkPaths.ts"
import { checkTables } from "./checkTables.ts"
import { checkUnits, type NamedUnits } from "./checkUnits.ts"
import { checkVisit } from "./checkVisit.ts"
import type { EvaluationScope } from "./functions/EvaluationScope.ts"
import { languageFunctions } from "./functions/functions.ts"
import { gapsOf } from "./gapsOf.ts"
import type { KeyPlan, MappingPlan, TimePlan } from "./MappingPlan.ts"
import type { Syntax, SyntaxMap } from "./MappingSyntax.ts"
import { isNull } from "./MappingSyntax.ts"
import type { StatementsPlan } from "./Statements.ts"
import { SyntaxReader } from "./SyntaxReader.ts"

/** The words of the top level of a mapping file. */
export const topLevelKeys = [
  "mapping",
  "description",
  "extends",
  "fhirVersion",
  "time",
  "text",
  "stated",
  "table",
  "constant",
  "conceptMap",
  "function",
  "grouping",
  "key",
  "visit"
] as const

/** A plan, and the way to tell its functions which visit they are evaluated for. */
export interface CheckedMapping {
  readonly plan: MappingPlan
  /** How many functions the mapping defines. */
  readonly functions: number
  readonly enter: (scope: EvaluationScope) => void
}

/**
 * Turns the syntax of an effective mapping into a plan. Runs every check and reports everything: with any error there is no
 * plan. `own` tells the files whose names should all be in use from those that are there to be extended.
 */
export const check = (
  syntax: Syntax,
  options: {
    readonly hash: string
    readonly visitFields: ReadonlyArray<Field>
    readonly own?: (file: string) => boolean
    /** The standard data that is at hand, for the values of concept maps. */
    readonly lists?: ReferenceLists
    /** What evaluates the expressions; closures where they can be, unless said. */
    readonly by?: PathEngine
  }
): { readonly checked?: CheckedMapping; readonly problems: ReadonlyArray<Diagnostic> } => {
  const reader = new SyntaxReader()
  const root = reader.map(syntax, "a mapping", topLevelKeys)
  if (root === undefined) return { problems: reader.problems }
  const name = reader.text(root.entries.get("mapping"), "`mapping`")
  if (!root.entries.has("mapping")) {
    reader.report("missing-key", root.span, "the mapping has no name", undefined, [
      "begin the file with `mapping: NAME`"
    ])
  }

  const gaps = gapsOf(root, options.visitFields)
  if (gaps !== undefined) {
    const misspelt = [...root.entries.keys()].some((key) => suggest(key, ["extends"]) !== undefined)
    if (!misspelt) {
      reader.report("missing-field", root.entries.get("mapping")?.key ?? root.span, gaps, undefined, [
        "begin with a mapping that is whole and change what differs:  extends: fhir-r4"
      ])
    }
    return { problems: reader.problems }
  }
  const versionEntry = root.entries.get("fhirVersion")
  const version = reader.text(versionEntry, "`fhirVersion`")
  if (version !== undefined && !version.startsWith("4.0")) {
    reader.report("invalid-value", versionEntry!.value.span, `\`fhirVersion\` cannot be \`${version}\``, undefined, [
      "paths are checked against FHIR R4:  fhirVersion: 4.0.1"
    ])
  }
  const statements = checkStatements(reader, root)
  let current: EvaluationScope | undefined
  const functions = new Map<string, PathFunction>(
    languageFunctions({
      scope: () => {
        if (current === undefined) throw new Error("no visit is being mapped")
        return current
      },
      fhirPath: () => fhirPath,
      statements
    })
  )
  const constants = checkConstants(reader, root)
  const conceptMaps = checkConceptMaps(reader, root.entries.get("conceptMap")?.value, options.lists)
  const keySyntax = root.entries.get("key")
  const keyMap = keySyntax === undefined ? undefined : reader.map(keySyntax.value, "`key`")
  const errors = reader.errors
  const functionBodies = checkFunctions(reader, root, functions, () => fhirPath)
  const tables = checkTables(reader, root, options.own ?? (() => true))
  const model = withTables(tables.map(tableType))
  const rootType = rootTypeOf(root, model)
  const scope: PathScope = {
    model,
    rootType,
    patient: patientOf(root, rootType, model),
    functions,
    bodies: new FunctionBodies([]),
    lists: new Set(listNames(options.visitFields)),
    // A constant or concept map that is wrong is told where it stands; lines that use it are not wrong as well.
    variables: new Set<string>([...languageVariables, ...Object.keys(constants), ...namesIn(root, "constant")]),
    keys: new Set(keyMap?.entries.keys()),
    patientTypes: patientTypesOf(root),
    conceptMaps: new Set([...conceptMaps.keys(), ...namesIn(root, "conceptMap")]),
    used: {
      constants: new Set(),
      functions: new Set(),
      keys: new Set(neededKeys),
      // What the functions that name people follow by themselves.
      backwards: new Set(["PractitionerRole.practitioner"]),
      followsTexts: new Set(),
      types: new Set(alwaysRead),
      // What is followed without an expression: the patient of records, a document's encounter, who stands behind a role, where a visit was.
      words: new Set([
        "subject",
        "patient",
        "encounter",
        "practitioner",
        "organization",
        "location",
        "serviceProvider"
      ]),
      conceptMaps: new Set(
        [...conceptMaps.values()].flatMap(({ unmapped }) => unmapped.mode === "other-map" ? [unmapped.name] : [])
      )
    }
  }
  const fhirPath = makeFhirPath(functions, options)
  for (const { parameters, path } of functionBodies) {
    const inner = { ...scope, variables: new Set([...scope.variables, ...parameters]) }
    checkPath(reader, path, inner, fhirPath, anywhere)
  }
  const inFunctions = new Set(scope.used.backwards)
  const bodies = new FunctionBodies(reader.errors > errors ? [] : functionBodies)
  const lines: PathScope = { ...scope, bodies }
  const compileIn = (scope: PathScope): CompilePath => (scalar, standing, use) =>
    checkPath(reader, scalar, scope, fhirPath, standing, use)
  const compile = compileIn(lines)
  const keys = checkKeys(
    reader,
    keyMap,
    compileIn({ ...lines, outside: { where: "a key", variables: ["facility", "system"] } }),
    /^[A-Z]/u.test(rootType)
      ? { patient: scope.patient, root: one(rootType) }
      // A row of any table may hold the keys of the others.
      : { patient: anything, root: anything },
    model
  )
  for (const needed of neededKeys) {
    if (!keys.has(needed)) {
      reader.report(
        "missing-key",
        keySyntax?.key ?? root.span,
        `\`key\` must say how a ${needed} is named`,
        undefined,
        [
          `add  ${needed}: {path: …}  under key:`
        ]
      )
    }
  }
  const grouping = checkGrouping(
    reader,
    root,
    compileIn({ ...lines, outside: { where: "the grouping", variables: [] } }),
    model
  )
  const { used } = scope
  const units: NamedUnits = { written: [], spellings: new Set(), tables: new Set() }
  const visitTypes = new Set<string>()
  const visit = checkVisit(reader, root, {
    model,
    compile,
    conceptMaps,
    fields: options.visitFields,
    patientTypes: scope.patientTypes,
    visitTypes,
    rootType,
    own: options.own ?? (() => true),
    used,
    units,
    lists: options.lists,
    asWritten: checkText(reader, root)
  })
  for (const { call, calls, fault, path, untold } of bodies.faults()) {
    const others = calls === 1 ? "" : `, and in ${plural(calls - 1, "other place")}`
    tellElement(reader, path, fault, scope, {
      severity: untold ? "warning" : "error",
      label: { span: call, text: `called here${others}` }
    })
  }
  for (const word of ["constant", "function", "conceptMap"] as const) {
    for (const [name, { value }] of entriesOf(root, word)) {
      if (!isNull(value) || !used[`${word}s`].has(name)) continue
      reader.report(
        "invalid-value",
        value.span,
        `the ${words[word]} \`${name}\` is taken away, and lines use it`,
        undefined,
        [
          "change what uses it as well, or write another in its place; `fhir2visit mapping show` tells which lines these are"
        ]
      )
    }
  }
  checkUnits(reader, units, conceptMaps, root.entries.get("conceptMap")?.value)
  const time = checkTime(reader, root)
  if (reader.errors === 0) {
    for (const word of ["constant", "function", "key", "conceptMap"] as const) {
      const names = entriesOf(root, word)
      for (const [name, { key, value }] of names) {
        // A key that is `null` finds nothing; anything else is taken away.
        if ((isNull(value) && word !== "key") || used[`${word}s`].has(name) || options.own?.(key.file) !== true) {
          continue
        }
        const near = suggest(name, [...names.keys()].filter((other) => used[`${word}s`].has(other)))
        reader.warn(
          "unused-name",
          key,
          `no line uses the ${words[word]} \`${name}\``,
          didYouMean(near),
          near === undefined ? ["remove it"] : []
        )
      }
    }
  }
  if (reader.hasErrors || grouping === undefined || visit === undefined || name === undefined) {
    return { problems: distinct(reader.problems) }
  }
  return {
    checked: {
      plan: {
        name,
        hash: options.hash,
        fhirPath,
        constants,
        grouping,
        keys,
        conceptMaps,
        tables,
        time,
        ...(statements === undefined ? {} : { statements }),
        visit,
        visitTypes,
        followed: {
          backwards: used.backwards.has("*") ? undefined : used.backwards,
          backwardsToVisit: new Set(
            [...used.backwards].filter((element) =>
              inFunctions.has(element) || groupingPaths(grouping).some(({ text }) => text.includes(element))
            )
          ),
          texts: used.followsTexts.size > 0,
          types: used.types.has("*") ? undefined : new Set([
            ...used.types,
            ...visitTypes,
            ...grouping.patientScope.keys(),
            ...[...used.backwards].map((element) => element.split(".")[0]!),
            ...tables.map(({ name }) => name),
            grouping.rootType
          ]),
          elements: used.words.has("*") ? undefined : used.words
        }
      },
      functions: functionBodies.length,
      enter: (next) => {
        current = next
      }
    },
    problems: distinct(reader.problems)
  }
}

const patientTypesOf = (root: SyntaxMap): ReadonlySet<string> => {
  const grouping = root.entries.get("grouping")?.value
  const entries = grouping?.kind === "map" ? entriesOf(grouping, "patientScope") : []
  return new Set([...entries].flatMap(([type, { value }]) => (isNull(value) ? [] : [type])))
}

const entriesOf = (root: SyntaxMap, section: string): SyntaxMap["entries"] => {
  const syntax = root.entries.get(section)?.value
  return syntax?.kind === "map" ? syntax.entries : new Map()
}

const namesIn = (root: SyntaxMap, section: string): ReadonlyArray<string> => [...entriesOf(root, section).keys()]

/** The lists among fields, at any depth. */
const listNames = (fields: ReadonlyArray<Field>): ReadonlyArray<string> =>
  fields.flatMap((field) => [...(field.kind === "list" ? [field.name] : []), ...listNames(field.fields ?? [])])

/** Types that functions and the grouping read without being told: people and places, and what leads a document to its encounter. */
const alwaysRead =
  "Patient Practitioner PractitionerRole RelatedPerson Person Group Organization Location Medication Device Composition"
    .split(" ")

const neededKeys = ["patient", "visit", "encounter"] as const
const words = { constant: "constant", function: "function", key: "key", conceptMap: "concept map" } as const
const anywhere: Standing = { focus: anything, parent: anything }
/** `stated:` the beginnings of the extension addresses by which a source says what a record is to become. */
const checkStatements = (reader: SyntaxReader, root: SyntaxMap): StatementsPlan | undefined => {
  const entry = root.entries.get("stated")
  if (entry === undefined || (entry.value.kind === "scalar" && entry.value.value === null)) return undefined
  const map = reader.names(entry.value, "`stated`", ["row", "part", "field"])
  const [row, part, field] = (["row", "part", "field"] as const).map((word) =>
    reader.text(map?.entries.get(word), `\`${word}\``)
  )
  if (map === undefined) return undefined
  if (row === undefined || part === undefined || field === undefined) {
    return reader.report("missing-key", map.span, "`stated` needs `row`, `part` and `field`")
  }
  return { row, part, field }
}

const rootTypeOf = (root: SyntaxMap, { isResourceType }: Model): string => {
  const grouping = root.entries.get("grouping")?.value
  const type = grouping?.kind === "map" ? grouping.entries.get("resource")?.value : undefined
  return type?.kind === "scalar" && typeof type.value === "string" && isResourceType(type.value)
    ? type.value
    : "Encounter"
}

/** What `%patient` is: a FHIR Patient, or the row that the root's link leads to. */
const patientOf = (root: SyntaxMap, rootType: string, { isResourceType, linkTarget }: Model): Found => {
  if (/^[A-Z]/u.test(rootType) || !isResourceType(rootType)) return one("Patient")
  const grouping = root.entries.get("grouping")?.value
  const path = grouping?.kind === "map" ? grouping.entries.get("patient")?.value : undefined
  const text = path?.kind === "scalar" ? String(path.value) : ""
  const table = text === "$this" ? rootType : linkTarget(`${rootType}.${text}`)
  return table === undefined ? anything : one(table)
}

/** FHIR's names for what columns hold. */
const primitives = {
  text: "string",
  integer: "integer",
  decimal: "decimal",
  boolean: "boolean",
  date: "date",
  timestamp: "dateTime"
} as const

const tableType = ({ columns, key, links, name }: TableLayout) => ({
  name,
  columns: [
    ...columns.map((column) => ({ name: column.name, type: primitives[column.type] })),
    ...(key.length > 0 && !columns.some((column) => column.name === "id") ? [{ name: "id", type: "string" }] : [])
  ],
  links,
  key
})

/** A line that several branches inherit is checked in each; its mistake is told once. */
const distinct = (problems: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const seen = new Set<string>()
  return problems.filter(({ code, mapping, title }) => {
    const key = `${code}\u0000${mapping?.file}\u0000${mapping?.line}\u0000${mapping?.column}\u0000${title}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

const checkConstants = (reader: SyntaxReader, root: SyntaxMap): Readonly<Record<string, unknown>> => {
  const constants: Record<string, unknown> = Object.create(null)
  const entry = root.entries.get("constant")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`constant`")
  for (const [key, constant] of map?.entries ?? []) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/u.test(key)) {
      reader.report(
        "invalid-value",
        constant.key,
        `\`${key}\` cannot be the name of a constant`,
        "letters, digits and _ only"
      )
    }
    if (reservedVariables.has(key)) {
      reader.report("invalid-value", constant.key, `\`%${key}\` is a variable of the language`, undefined, [
        "give the constant another name"
      ])
    }
    const value = reader.literal(constant, `the constant \`${key}\``)
    if (value !== undefined) constants[key] = value
  }
  return constants
}

const checkKeys = (
  reader: SyntaxReader,
  map: SyntaxMap | undefined,
  compile: CompilePath,
  types: { readonly patient: Found; readonly root: Found },
  { isPrimitive }: Model
): ReadonlyMap<string, KeyPlan> => {
  const standings: ReadonlyMap<string, Standing> = new Map([
    ["patient", { focus: types.patient, parent: anything }],
    ["visit", { focus: types.root, parent: anything }],
    ["encounter", { focus: types.root, parent: anything }]
  ])
  const keys = new Map<string, KeyPlan>()
  for (const [name, { key, value }] of map?.entries ?? []) {
    const before = reader.errors
    const long = value.kind === "map"
      ? reader.map(value, `the key \`${name}\``, ["path", "mint", "description"])
      : undefined
    const paths = reader.texts(long === undefined ? value : long.entries.get("path")?.value, `the path of \`${name}\``)
    const mintEntry = long?.entries.get("mint")
    const mint = mintEntry?.value.kind === "scalar" && mintEntry.value.value === null
      ? undefined
      : reader.text(mintEntry, "`mint`")
    if (mint !== undefined && name === "patient") {
      reader.report("invalid-value", mintEntry!.value.span, "a patient code is never minted", undefined, [
        "§4.5 rule 1: the patient code must already exist at the service"
      ])
    }
    const compiled = paths.flatMap((scalar) => {
      const checked = compile(scalar, standings.get(name) ?? anywhere)
      const places = [...checked?.found.places ?? []]
      if (
        places.length > 0 && !places.some((place) => isPrimitive(place) || place === "Element" || place === "Resource")
      ) {
        reader.report("wrong-type", scalar.span, "a key is a text", `finds ${places.slice(0, 3).join(" or ")}`, [
          "end the path in an element that is a text:  identifier.value,  coding.code"
        ])
      }
      return checked?.plan ?? []
    })
    if (standings.has(name) && paths.length === 0 && mint === undefined && reader.errors === before) {
      reader.warn("required-field", key, `the key \`${name}\` never has a value`, undefined, [
        `every visit is rejected for want of its ${name} code; give it a path`
      ])
    }
    keys.set(name, { name, span: key, paths: compiled, ...(mint === undefined ? {} : { mint }) })
  }
  return keys
}

/** `text: {normalise: none}`: letters that are written in parts are sent so. */
const checkText = (reader: SyntaxReader, root: SyntaxMap): boolean => {
  const entry = root.entries.get("text")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`text`", ["normalise"])
  return reader.oneOf(map?.entries.get("normalise"), "`normalise`", ["NFC", "none"]) === "none"
}

const checkTime = (reader: SyntaxReader, root: SyntaxMap): TimePlan => {
  const entry = root.entries.get("time")
  const map = entry === undefined
    ? undefined
    : reader.names(entry.value, "`time`", ["partialTimestamp", "partialDate", "missingOffset"])
  return {
    partialTimestamp:
      reader.oneOf(map?.entries.get("partialTimestamp"), "`partialTimestamp`", ["reject", "start-of-day", "midday"]) ??
        "start-of-day",
    partialDate: reader.oneOf(map?.entries.get("partialDate"), "`partialDate`", ["reject", "blank", "first-day"]) ??
      "reject",
    missingOffset: reader.oneOf(map?.entries.get("missingOffset"), "`missingOffset`", ["zone", "local", "reject"]) ??
      "zone"
  }
}
