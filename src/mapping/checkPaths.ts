import { suggest } from "../diagnostic/suggest.ts"
import type { FhirPath } from "../fhirpath/FhirPath.ts"
import { forbiddenFunctions, isPathFault, parsePath, standardFunctions } from "../fhirpath/FhirPath.ts"
import type { Places } from "../fhirpath/inferPlaces.ts"
import { inferPlaces } from "../fhirpath/inferPlaces.ts"
import { elementNames, elementOfPlace, isResourceType, resourceTypes } from "../fhirpath/Model.ts"
import type { PathPlan } from "./MappingPlan.ts"
import type { SyntaxScalar } from "./MappingSyntax.ts"
import { spanWithin } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Names that expressions may use, known before any expression is compiled. */
export interface PathScope {
  readonly functions: ReadonlySet<string>
  readonly variables: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  readonly conceptMaps: ReadonlySet<string>
}

/** What an expression stands on; `null` is anything. */
export interface Standing {
  readonly focus: Places
  readonly parent: Places
}

/** A path that passed every check, and what it can find. */
export interface CheckedPath {
  readonly plan: PathPlan
  readonly places: Places
}

/** Checks an expression that stands on something. */
export type CompilePath = (scalar: SyntaxScalar, standing: Standing) => CheckedPath | undefined

/** Variables that FHIRPath itself defines. */
const builtInVariables: ReadonlySet<string> = new Set(["ucum", "context", "resource", "rootResource", "sct", "loinc"])

/**
 * Checks one expression: its syntax, and every function, variable, key and concept map it names. Gives the compiled path, or
 * `undefined` after reporting all that is wrong.
 */
export const checkPath = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  scope: PathScope,
  fhirPath: FhirPath,
  standing: Standing,
  rootType: string
): CheckedPath | undefined => {
  const text = String(scalar.value)
  const names = parsePath(text)
  if (isPathFault(names)) {
    return reader.report("invalid-path", spanWithin(scalar, names.offset, 1), "this is not FHIRPath", names.message, [
      "a text that is meant as it stands goes in FHIRPath quotes: \"'text'\", or under `value:`"
    ])
  }
  const before = reader.problems.length
  for (const { name, offset, length, literals } of names.functions) {
    const span = spanWithin(scalar, offset, length)
    if (scope.functions.has(name)) {
      const [literal] = literals
      if (literal !== undefined) checkModelNames(reader, name, literal, span)
      if (name === "keyOf" && literal !== undefined && !scope.keys.has(literal)) {
        unknown(reader, "unknown-key-name", span, `no key is called \`${literal}\``, literal, scope.keys)
      }
      if ((name === "mapped" || name === "translated") && literal !== undefined && !scope.conceptMaps.has(literal)) {
        unknown(
          reader,
          "unknown-concept-map",
          span,
          `no concept map is called \`${literal}\``,
          literal,
          scope.conceptMaps
        )
      }
    } else if (forbiddenFunctions.has(name)) {
      reader.report("unknown-function", span, `\`${name}()\` is not available in mappings`, undefined, [
        "the same input must give the same visit at any time, without a network"
      ])
    } else if (!standardFunctions.has(name)) {
      unknown(reader, "unknown-function", span, `there is no function \`${name}()\``, name, [
        ...scope.functions,
        ...standardFunctions
      ])
    }
  }
  const defined = new Set(
    names.functions.flatMap(({ name, literals }) => (name === "defineVariable" ? literals.slice(0, 1) : []))
  )
  for (const { name, offset, length } of names.variables) {
    if (defined.has(name)) continue
    if (scope.variables.has(name) || builtInVariables.has(name) || name.startsWith("vs-") || name.startsWith("ext-")) {
      continue
    }
    unknown(reader, "unknown-constant", spanWithin(scalar, offset, length), `there is no constant \`%${name}\``, name, [
      ...scope.variables
    ])
  }
  if (reader.problems.length > before) return undefined
  const root: Places = new Set([rootType])
  const { places, faults } = inferPlaces(text, {
    focus: standing.focus,
    variables: new Map<string, Places>([
      ["visit", root],
      ["main", root],
      ["encounters", root],
      ["patient", new Set(["Patient"])],
      ["parent", standing.parent]
    ]),
    functionResult
  })
  for (const { offset, length, message, candidates, instead } of faults) {
    const span = spanWithin(scalar, offset, length)
    const name = text.slice(offset, offset + length)
    const near = instead ?? suggest(name, candidates)
    const names = [...new Set(candidates)]
    reader.report("unknown-element", span, message, near === undefined ? undefined : `did you mean \`${near}\`?`, [
      ...(instead === undefined && names.length < 60 ? [`elements: ${names.join(", ")}`] : []),
      ...(instead === undefined ? [] : ["a choice element is written by its name and narrowed by its type"])
    ])
  }
  return faults.length > 0 ? undefined : { plan: { ...fhirPath.compile(text), span: scalar.span }, places }
}

const texts: Places = new Set(["string"])
const textFunctions: ReadonlySet<string> = new Set(
  ("keyOf encounterCode getResourceKey getReferenceKey conceptText conceptCode conceptDisplay identifierIn translated who whoTitle " +
    "whoPhone humanName toString substring upper lower join trim replace replaceMatches").split(" ")
)

const functionResult = (name: string, _input: Places, literal: string | undefined): Places => {
  if (literal !== undefined && (name === "inVisit" || name === "ofPatient")) return new Set([literal])
  if (literal !== undefined && name === "reverseResolve") return new Set([literal.split(".")[0]!])
  return textFunctions.has(name) ? texts : null
}

/** The literal arguments of functions that name a resource type or an element. */
const checkModelNames = (reader: SyntaxReader, name: string, literal: string, span: PathPlan["span"]): void => {
  if (name !== "inVisit" && name !== "ofPatient" && name !== "reverseResolve") return
  const [type, ...steps] = literal.split(".")
  if (type === undefined || !isResourceType(type)) {
    const near = suggest(type ?? "", resourceTypes())
    reader.report(
      "unknown-element",
      span,
      `FHIR R4 has no resource type \`${type}\``,
      near === undefined ? undefined : `did you mean \`${near}\`?`
    )
    return
  }
  let places: ReadonlyArray<string> = [type]
  for (const step of steps) {
    const next = places.flatMap((place) => [...(elementOfPlace(place, step) ?? [])])
    if (next.length === 0) {
      const near = suggest(step, places.flatMap(elementNames))
      reader.report(
        "unknown-element",
        span,
        `${places.join(" or ")} has no element \`${step}\``,
        near === undefined ? undefined : `did you mean \`${near}\`?`
      )
      return
    }
    places = next
  }
}

const unknown = (
  reader: SyntaxReader,
  code: "unknown-function" | "unknown-constant" | "unknown-key-name" | "unknown-concept-map",
  span: PathPlan["span"],
  title: string,
  name: string,
  known: Iterable<string>
): void => {
  const near = suggest(name, [...known])
  reader.report(code, span, title, near === undefined ? undefined : `did you mean \`${near}\`?`)
}
