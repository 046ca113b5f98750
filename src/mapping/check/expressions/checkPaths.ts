import { suggest } from "../../../diagnostic/suggest.ts"
import { isPathFault, parsePath, type PathFault, type PathNames } from "../../../fhirpath/FhirPath.ts"
import { anything, type InferenceContext, type InferredType, oneOf } from "../../../fhirpath/infer/InferredType.ts"
import { inferTypePaths } from "../../../fhirpath/infer/inferTypePaths.ts"
import { callsOnElements } from "../../../fhirpath/pathSteps.ts"
import { keywordsAsNames } from "../../../fhirpath/syntax/keywordsAsNames.ts"
import { lineComments } from "../../../fhirpath/syntax/lineComments.ts"
import { spanWithin, type SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { MappingPlan, PathPlan } from "../../MappingPlan.ts"
import { CallResults } from "./CallResults.ts"
import { checkAbsent } from "./checkAbsent.ts"
import { checkCall } from "./checkCalls.ts"
import { checkOutside } from "./checkOutside.ts"
import { reportSystems } from "./checkSystems.ts"
import { type KeptInference, keptInference } from "./keptInferences.ts"
import { type CheckedPath, noteUsed, nothingUsed, type PathFocus, type PathScope, type PathUse } from "./PathScope.ts"
import { reportElement } from "./reportElement.ts"
import {
  reportCompared,
  reportMisused,
  reportNeverEqual,
  reportNoCondition,
  reportUnknownCodes
} from "./reportTypeErrors.ts"

/**
 * Checks one expression: its syntax, and every function, variable, key and concept map it names. Returns the compiled path, or
 * `undefined` after reporting all errors. An expression about which an earlier check has reported nothing is not checked again.
 */
export const checkPath = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  scope: PathScope,
  fhirPath: MappingPlan["fhirPath"],
  pathFocus: PathFocus,
  use?: PathUse
): CheckedPath | undefined => {
  const text = String(scalar.value)
  const names = parsePath(text)
  if (isPathFault(names)) return reportNoPath(reader, scalar, names, pathFocus)
  const kept = keptInference(scalar, names, scope, pathFocus, use)
  const before = { errors: reader.errors, reported: reader.reported }
  const inference = kept.known ?? infer(reader, scalar, names, scope, pathFocus, use)
  if (reader.errors > before.errors) return undefined
  if (reader.reported === before.reported) kept.keep(inference)
  const { calls, found, used } = inference
  for (const { at: { length, offset }, names } of calls) {
    scope.bodies.note(names, () => spanWithin(scalar, offset, length))
  }
  noteUsed(scope.used, used)
  scope.typeTests.note(scalar, inference.typeTests)
  const lookUps = use === "condition" ? lookUpsIn(text, fhirPath) : []
  return {
    plan: { ...fhirPath.compile(text), span: scalar.span, ...(lookUps.length === 0 ? {} : { lookUps }) },
    found
  }
}

/** Checks an expression. What it uses is noted in the result, and in the scope only if there are errors. */
const infer = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  names: PathNames,
  around: PathScope,
  pathFocus: PathFocus,
  use: PathUse | undefined
): KeptInference => {
  const scope = { ...around, used: nothingUsed() }
  const { used } = scope
  const before = reader.errors
  reportHidden(reader, scalar)
  reportSystems(reader, scalar, names)
  reportQuotedNames(reader, scalar, names, scope)
  noteUses(names, scope)
  for (const call of names.functions) checkCall(reader, scalar, call, scope)
  const defined = definedIn(names)
  checkVariables(reader, scalar, names, defined, scope)
  if (scope.outside !== undefined) checkOutside(reader, scalar, names, defined, scope.functions, scope.outside)
  const inference = reader.errors > before
    ? { found: anything, calls: [], used, typeTests: [] }
    : inferPlaces(reader, scalar, scope, pathFocus, use)
  if (reader.errors > before) noteUsed(around.used, used)
  return inference
}

/** Returns the codes that a condition looks up in concept maps. */
const lookUpsIn = (text: string, fhirPath: MappingPlan["fhirPath"]): NonNullable<PathPlan["lookUps"]> =>
  callsOnElements(text, "mapped").flatMap(({ args: [conceptMap], path }) =>
    conceptMap === undefined ? [] : [{ codes: fhirPath.compile(path), conceptMap }]
  )

const reportNoPath = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { help, length, message, offset }: PathFault,
  pathFocus: PathFocus
): undefined =>
  reader.report("invalid-path", spanWithin(scalar, offset, length ?? 1), "this is not FHIRPath", {
    label: message,
    help: [
      ...reservedColumns(String(scalar.value), pathFocus).map((word) =>
        `\`${word}\` is a keyword of FHIRPath: if you mean the column, write it in back-ticks`
      ),
      ...(scalar.comment !== undefined
        ? ["` #` begins a comment of YAML, and what follows is not in the path: write the whole path in double quotes"]
        : []),
      help ?? "write a fixed text in FHIRPath quotes: \"'text'\", or under `value:`"
    ]
  })

/** Reports a comment of FHIRPath that hides further lines, because YAML has joined them to one. */
const reportHidden = (reader: SyntaxReader, scalar: SyntaxScalar): void => {
  const text = String(scalar.value)
  if (scalar.verbatim && text.includes("\n")) return
  for (const { length, offset } of lineComments(text)) {
    const [begin, end] = [spanWithin(scalar, offset, 2), spanWithin(scalar, offset + length - 1, 1)]
    if (begin.line === end.line) {
      reader.warn("invalid-path", begin, "`//` begins a comment of FHIRPath: the path ends before it", {
        help: ["if this is a URL, put it in single quotes; a comment of the mapping begins with  #"]
      })
      continue
    }
    reader.report("invalid-path", begin, "`//` begins a comment, and the lines after it are in it", {
      help: [
        "YAML joins the lines of this text to one: write the path as a block that keeps them,  path: |",
        "a comment can also be written as  /* … */  or above the path, after  #"
      ]
    })
    return
  }
}

/** Reports the name of a constant or a variable in quotes: it is a text then. */
const reportQuotedNames = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { texts }: PathNames,
  { variables }: PathScope
): void => {
  for (const { length, name, offset } of texts) {
    const [, variable] = /^'%(\w+)'$/u.exec(name) ?? []
    if (variable === undefined || !variables.has(variable)) continue
    reader.warn("invalid-path", spanWithin(scalar, offset, length), `\`${name}\` is a text because of its quotes`, {
      label: `write  %${variable}`
    })
  }
}

/** Records the types and elements an expression uses; `*` if computed. Functions, keys and concept maps are recorded by their checks. */
const noteUses = (names: PathNames, { functions: known, used }: PathScope): void => {
  const { functions, variables, words } = names
  for (const word of words) used.words.add(word)
  for (const { args: [first], name } of functions) {
    const argument = first?.kind === "text" ? first.name : "*"
    const { backwards = [], types = [], words = [] } = known.get(name)?.reads?.(argument) ?? {}
    for (const type of types) used.types.add(type)
    for (const element of backwards) used.backwards.add(element)
    for (const word of words) used.words.add(word)
    if (wandering.has(name)) used.words.add("*")
  }
  const defined = definedIn(names)
  for (const { name } of variables) if (!defined.has(name)) used.constants.add(name)
}

/** Functions that reach elements without naming them. */
const wandering: ReadonlySet<string> = new Set(["children", "descendants", "repeat"])

/** Returns the variables that an expression defines. */
const definedIn = ({ functions }: PathNames): ReadonlySet<string> =>
  new Set(
    functions.flatMap(({ args: [first], name }) =>
      name === "defineVariable" && first?.kind === "text" ? [first.name] : []
    )
  )

const checkVariables = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { variables }: PathNames,
  defined: ReadonlySet<string>,
  scope: PathScope
): void => {
  for (const { name, offset, length } of variables) {
    if (defined.has(name) || scope.variables.has(name) || name === "ucum") continue
    const near = suggest(name, scope.variables)
    reader.report("unknown-constant", spanWithin(scalar, offset, length), `there is no constant \`%${name}\``, {
      label: near === undefined ? undefined : `did you mean \`%${near}\`?`,
      help: near === undefined
        ? ["define it under  constant:  or use an existing one;  fhir2visit mapping show  lists the constants"]
        : []
    })
  }
}

/** Infers the types along an expression: its result, and the steps that can find nothing. */
const inferPlaces = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  scope: PathScope,
  pathFocus: PathFocus,
  use: PathUse | undefined
): KeptInference => {
  const before = reader.errors
  const { model } = scope
  const context = inferenceContextOf(scope, pathFocus)
  const results = new CallResults(reader, scalar, scope, context)
  const { compared, faults, known: _, misused, neverEqual, typeTests, unknownCodes, uncertain: __, ...found } =
    inferTypePaths(
      String(scalar.value),
      { ...context, focus: pathFocus.focus, functionResult: results.resultOf }
    )
  reportCompared(reader, scalar, compared)
  reportUnknownCodes(reader, scalar, unknownCodes)
  reportNeverEqual(reader, scalar, neverEqual, model)
  reportMisused(reader, scalar, misused)
  for (const fault of faults) reportElement(reader, scalar, fault, scope)
  if (use === "condition") {
    if (found.typePaths !== null && found.typePaths.size > 0 && !mayBeTrue(found.typePaths)) {
      reportNoCondition(reader, scalar, [...found.typePaths], model)
    }
    if (reader.errors === before && compared.length === 0) {
      checkAbsent(reader, scalar, pathFocus.focus.typePaths, model)
    }
  }
  return { found, calls: results.calls, used: scope.used, typeTests }
}

const inferenceContextOf = (
  { functions, model, patient, rootType }: PathScope,
  { parent }: PathFocus
): Omit<InferenceContext, "focus" | "functionResult"> => {
  const root = oneOf(rootType)
  return {
    model,
    takesCodes: (name) => functions.get(name)?.names === "codes",
    variables: new Map<string, InferredType>([
      ["visit", root],
      ["main", root],
      ["encounters", { ...root, several: true }],
      ["patient", patient],
      ["parent", parent]
    ])
  }
}

/** Returns reserved words that may be intended as columns: the whole path, or any word if the focus is a table row. */
const reservedColumns = (text: string, { focus }: PathFocus): ReadonlyArray<string> => {
  const onRow = focus.typePaths === null || [...focus.typePaths].some((typePath) => /^[a-z]/u.test(typePath))
  return onRow ? keywordsAsNames(text) : []
}

const mayBeTrue = (typePaths: ReadonlySet<string>): boolean =>
  ["boolean", "Element", "Resource", "DomainResource"].some((typePath) => typePaths.has(typePath))
