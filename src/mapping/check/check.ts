import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import type { PathEngine } from "../../fhirpath/FhirPath.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"
import { namedElements } from "../../fhirpath/pathSteps.ts"
import type { Field } from "../../visit/Field.ts"
import type { ReferenceLists } from "../../visit/values/ReferenceList.ts"
import { checkAssumptions } from "../assumptions/checkAssumptions.ts"
import type { ConceptMap } from "../codes/ConceptMap.ts"
import { Engine } from "../functions/Engine.ts"
import { languageFunctions } from "../functions/functions.ts"
import type { GroupingPlan } from "../grouping/GroupingPlan.ts"
import { groupingKeys } from "../language/grammar/groupingGrammar.ts"
import { keysOf, readKey, readValues } from "../language/grammar/Kind.ts"
import { mappingKeys, timeKeys } from "../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxMap } from "../language/MappingSyntax.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import { SyntaxReader } from "../language/SyntaxReader.ts"
import type { ComponentPlan, MappingPlan, TimePlan } from "../MappingPlan.ts"
import { checkConstants } from "./checkConstants.ts"
import { readHeader } from "./checkHeader.ts"
import { checkKeys, readKeys } from "./checkKeys.ts"
import { checkTakenAway, checkUnusedNames, checkUnusedParameters, usedByLines } from "./checkNames.ts"
import { FunctionBodies, type FunctionBody } from "./expressions/checkBodies.ts"
import { checkFunctionBodies, reportBodyFaults } from "./expressions/checkFunctionBodies.ts"
import { checkFunctions } from "./expressions/checkFunctions.ts"
import type { Outside } from "./expressions/checkOutside.ts"
import { checkPath } from "./expressions/checkPaths.ts"
import { type CompilePath, noteUsed } from "./expressions/PathScope.ts"
import { followedBy } from "./followedBy.ts"
import { GroupingReader } from "./GroupingReader.ts"
import { pathScopeOf } from "./pathScopeOf.ts"
import { checkConceptMaps } from "./tables/checkConceptMaps.ts"
import { checkTables, filledTables } from "./tables/checkTables.ts"
import { checkUnits, type NamedUnits } from "./visit/checkUnits.ts"
import { checkVisit } from "./visit/checkVisit.ts"

/** A plan, and its functions for another thread or the next command. */
export interface CheckedMapping {
  readonly plan: MappingPlan
  /** The functions that the mapping defines. */
  readonly functions: ReadonlyArray<FunctionBody>
}

interface CheckOptions {
  readonly hash: string
  readonly visitFields: ReadonlyArray<Field>
  /** Returns whether a file is the facility's own, so that all its names should be used. Files that it extends can have unused names. */
  readonly own?: (file: string) => boolean
  /** Returns whether a function, by its key, replaces one of the mapping below. */
  readonly replaces?: (key: Span) => boolean
  /** The standard data, if loaded, to check the values of concept maps. */
  readonly lists?: ReferenceLists
  /** The engine that evaluates expressions (default: closures where possible). */
  readonly by?: PathEngine
}

/** The plan, absent if there are errors; and all problems. */
interface Checked {
  readonly checked?: CheckedMapping
  readonly problems: ReadonlyArray<Diagnostic>
}

/** Turns the syntax of an effective mapping into a plan. Runs every check and reports everything: with any error there is no plan. */
export const check = (
  syntax: Syntax,
  { by, hash, lists, own, replaces = () => false, visitFields }: CheckOptions
): Checked => {
  const reader = new SyntaxReader()
  const root = reader.map(syntax, "a mapping", keysOf(mappingKeys))
  if (root === undefined) return { problems: reader.problems }
  const header = readHeader(reader, root, visitFields)
  if (header === undefined) return { problems: reader.problems }

  // Names that expressions can use.
  const statements = checkStatements(reader, root)
  const engine = new Engine(statements)
  const functions = new Map(languageFunctions(engine))
  const ofLanguage = new Set(functions.keys())
  const assumptions = checkAssumptions(reader, root, own ?? (() => true))
  reader.assumptions = assumptions
  const constants = checkConstants(reader, root)
  const conceptMapSyntax = root.entries.get("conceptMap")?.value
  const conceptMaps = checkConceptMaps(reader, conceptMapSyntax, lists)
  const keyMap = readKeys(reader, root)
  const errors = reader.errors
  const functionBodies = checkFunctions(reader, root, functions, engine.fhirPath)
  const tables = checkTables(reader, root, { own: own ?? (() => true), cancelled: wordsForCancelled(conceptMaps) })
  const scope = pathScopeOf(root, { constants, conceptMaps, functions, tables, fields: visitFields })
  const fhirPath = engine.begin(functions, by)
  const usedInBodies = checkFunctionBodies(reader, functionBodies, scope, fhirPath)
  const inFunctions = new Set([scope.used, ...usedInBodies.values()].flatMap(({ backwards }) => [...backwards]))

  // Expressions are followed into the functions they call, unless the functions themselves have errors.
  const areFollowed = reader.errors === errors
  const bodies = new FunctionBodies(functionBodies, scope.results, areFollowed ? undefined : "unfollowed")
  const compileIn = (outside?: Outside): CompilePath => {
    const lines = { ...scope, bodies, ...(outside === undefined ? {} : { outside }) }
    return (scalar, pathFocus, use) => checkPath(reader, scalar, lines, fhirPath, pathFocus, use)
  }
  const { model, used } = scope
  const compileKey = compileIn({ where: "a key", variables: ["facility", "system"] })
  const keys = checkKeys(reader, root, keyMap, scope, compileKey)
  const grouping = checkGrouping(reader, root, compileIn({ where: "the grouping", variables: [] }), model)
  const units: NamedUnits = { written: [], spellings: new Set(), tables: new Map() }
  const visitTypes = new Set<string>()
  const visit = checkVisit(reader, root, {
    model,
    compile: compileIn(),
    conceptMaps,
    constants,
    fields: visitFields,
    patientTypes: scope.patientTypes,
    visitTypes,
    rootType: scope.rootType,
    own: own ?? (() => true),
    used,
    units,
    lists,
    asWritten: checkText(reader, root),
    checked: new Map()
  })

  // Checks that need all lines.
  reportBodyFaults(reader, bodies, scope, own ?? (() => true))
  for (const tests of [scope.typeTests, ...bodies.futileTypeTests()]) tests.report(reader, model, own ?? (() => true))
  const byLines = usedByLines(used, usedInBodies)
  for (const names of usedInBodies.values()) noteUsed(used, names)
  checkTakenAway(reader, root, used)
  checkUnits(reader, units, conceptMaps, conceptMapSyntax, own ?? (() => true))
  const time = checkTime(reader, root)
  if (reader.errors === 0 && own !== undefined) {
    checkUnusedNames(reader, root, byLines, usedInBodies, own)
    checkUnusedParameters(reader, root, (name, key) => ofLanguage.has(name) || replaces(key))
  }

  const filled = filledTables(reader, root)
  const problems = distinct(reader.problems)
  const { name } = header
  const beginnings = visit === undefined || tables.length === 0 ? new Set<string>() : columnsOf(visit, "admitted_at")
  if (reader.hasErrors || grouping === undefined || visit === undefined || name === undefined) return { problems }
  const plan: MappingPlan = {
    name,
    hash,
    fhirPath,
    constants,
    grouping: filled.size === 0 ? grouping : { ...grouping, filled },
    keys,
    conceptMaps,
    assumptions,
    tables: tables.map((table) => ({ ...table, beginnings })),
    time,
    ...(statements === undefined ? {} : { statements }),
    visit,
    visitTypes,
    followed: followedBy(used, { grouping, inFunctions, tables, visitTypes })
  }
  return { checked: { plan, functions: functionBodies }, problems }
}

/** The names in the paths of a field of the visit. */
const columnsOf = ({ branches }: ComponentPlan, name: string): ReadonlySet<string> =>
  new Set(
    branches.flatMap(({ fields }) => fields).flatMap((field) =>
      field.kind === "leaf" && field.name === name ? field.paths : []
    ).flatMap(({ text }) => namedElements(text))
  )

/** The words that mean a cancelled row in a column of any name. */
const wordsForCancelled = (conceptMaps: ReadonlyMap<string, ConceptMap>): ReadonlySet<string> =>
  new Set(
    [...conceptMaps.get("word_for_cancelled")?.rows ?? []].flatMap(([word, value]) => value === "yes" ? [word] : [])
  )

/**
 * A line inherited by several branches is checked in each; its error is reported once. An element that it names can be missing in the
 * records of several branches, so it is reported for the first of them.
 */
const distinct = (problems: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const seen = new Set<string>()
  return problems.filter(({ code, mapping, title }) => {
    const what = code === "unknown-element" ? "" : title
    const key = `${code}\u0000${mapping?.file}\u0000${mapping?.line}\u0000${mapping?.column}\u0000${what}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

/** Reads `grouping:`: which encounters form a visit, and how other records reach them. */
const checkGrouping = (
  reader: SyntaxReader,
  root: SyntaxMap,
  compile: CompilePath,
  model: Model
): GroupingPlan | undefined => {
  const entry = root.entries.get("grouping")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not declare which records make a visit", {
      help: ["add `grouping:`, or extend a mapping that has it"]
    })
  }
  const map = reader.names(entry.value, "`grouping`", keysOf(groupingKeys))
  return map === undefined ? undefined : new GroupingReader(reader, map, entry.key, compile, model).plan()
}

/** Reads `stated:`, the prefixes of the extension URLs by which a source states what a record becomes. */
const checkStatements = (reader: SyntaxReader, root: SyntaxMap): StatementsPlan | undefined => {
  const stated = readKey(reader, mappingKeys, "stated", root)
  if (stated === undefined) return undefined
  const { field, part, row } = stated
  if (row === undefined || part === undefined || field === undefined) {
    const span = root.entries.get("stated")?.value.span ?? root.span
    return reader.report("missing-key", span, "`stated` needs `row`, `part` and `field`")
  }
  return { row, part, field }
}

/** Reads `text: {normalise: none}`: letters in decomposed form are sent unchanged. */
const checkText = (reader: SyntaxReader, root: SyntaxMap): boolean =>
  readKey(reader, mappingKeys, "text", root)?.normalise === "none"

/** Reads `time:`, the policy for dates and times that are less precise than their field requires. */
const checkTime = (reader: SyntaxReader, root: SyntaxMap): TimePlan =>
  readKey(reader, mappingKeys, "time", root) ?? readValues(reader, timeKeys, undefined)
