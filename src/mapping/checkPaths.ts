import { suggest } from "../diagnostic/suggest.ts"
import type { FhirPath } from "../fhirpath/FhirPath.ts"
import { forbiddenFunctions, isPathFault, parsePath, standardFunctions } from "../fhirpath/FhirPath.ts"
import type { Found, Places } from "../fhirpath/inferPlaces.ts"
import { inferPlaces } from "../fhirpath/inferPlaces.ts"
import type { Model } from "../fhirpath/Model.ts"
import { repeatsRepetition } from "./checkPattern.ts"
import type { PathPlan } from "./MappingPlan.ts"
import type { SyntaxScalar } from "./MappingSyntax.ts"
import { spanWithin } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Names that expressions may use, known before any expression is compiled. */
export interface PathScope {
  readonly model: Model
  /** What `%patient` is. */
  readonly patient: Found
  readonly functions: ReadonlySet<string>
  readonly variables: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  readonly conceptMaps: ReadonlySet<string>
  readonly used: UsedNames
}

/** Names that some line of the mapping uses. */
export interface UsedNames {
  readonly constants: Set<string>
  readonly functions: Set<string>
  readonly keys: Set<string>
  readonly conceptMaps: Set<string>
}

/** What an expression stands on. */
export interface Standing {
  readonly focus: Found
  readonly parent: Found
}

/** Standing on what cannot be told. */
export const anything: Found = { places: null, several: false }

/** One element of a type. */
export const one = (...types: ReadonlyArray<string>): Found => ({ places: new Set(types), several: false })

/** A path that passed every check, and what it can find. */
export interface CheckedPath {
  readonly plan: PathPlan
  readonly found: Found
}

/** Checks an expression that stands on something. */
export type CompilePath = (scalar: SyntaxScalar, standing: Standing) => CheckedPath | undefined

/** Variables that FHIRPath itself defines. */
const builtInVariables: ReadonlySet<string> = new Set(["ucum", "sct", "loinc"])

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
      ...reservedColumns(text, standing).map((word) =>
        `\`${word}\` is a word of FHIRPath: where the column is meant, write it in back-ticks`
      ),
      "a text that is meant as it stands goes in FHIRPath quotes: \"'text'\", or under `value:`"
    ])
  }
  const before = reader.errors
  for (const { name, offset, length, literals } of names.functions) {
    const span = spanWithin(scalar, offset, length)
    if (scope.functions.has(name)) {
      scope.used.functions.add(name)
      const [literal] = literals
      if (literal !== undefined) checkModelNames(reader, name, literal, span, scope.model)
      if (name === "keyOf") {
        use(scope.used.keys, scope.keys, literal)
        if (literal !== undefined && !scope.keys.has(literal)) {
          unknown(reader, "unknown-key-name", span, `no key is called \`${literal}\``, literal, scope.keys)
        }
      }
      if (name === "mapped" || name === "translated") {
        use(scope.used.conceptMaps, scope.conceptMaps, literal)
        if (literal !== undefined && !scope.conceptMaps.has(literal)) {
          const title = `no concept map is called \`${literal}\``
          unknown(reader, "unknown-concept-map", span, title, literal, scope.conceptMaps)
        }
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
    if (patternFunctions.has(name) && literals[0] !== undefined && repeatsRepetition(literals[0])) {
      reader.warn("slow-pattern", span, "this pattern repeats a repetition", "it can take very long on a long text", [
        "write one repetition only:  (a+)+  is  a+"
      ])
    }
  }
  const defined = new Set(
    names.functions.flatMap(({ name, literals }) => (name === "defineVariable" ? literals.slice(0, 1) : []))
  )
  for (const { name, offset, length } of names.variables) {
    if (defined.has(name)) continue
    scope.used.constants.add(name)
    if (scope.variables.has(name) || builtInVariables.has(name) || name.startsWith("vs-") || name.startsWith("ext-")) {
      continue
    }
    unknown(reader, "unknown-constant", spanWithin(scalar, offset, length), `there is no constant \`%${name}\``, name, [
      ...scope.variables
    ])
  }
  if (reader.errors > before) return undefined
  const root = one(rootType)
  const { compared, faults, ...found } = inferPlaces(text, {
    model: scope.model,
    focus: standing.focus,
    variables: new Map<string, Found>([
      ["visit", root],
      ["main", root],
      ["encounters", { ...root, several: true }],
      ["patient", scope.patient],
      ["parent", standing.parent]
    ]),
    functionResult: (name, input, literal) => functionResult(name, input, literal, scope.model)
  })
  for (const { length, offset, operator } of compared) {
    const side = text.slice(offset, offset + length)
    const span = spanWithin(scalar, offset, length)
    reader.warn("several-compared", span, `\`${operator}\` compares one value and this may be several`, undefined, [
      operator === "="
        ? "of several values none is equal: the comparison is false, whatever they are"
        : `with several values \`${operator}\` does not say what it seems to say`,
      `ask whether one of them is:  ${side}.exists($this ${operator} …)   or take one:  ${side}.first() ${operator} …`
    ])
  }
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
  return faults.length > 0 ? undefined : { plan: { ...fhirPath.compile(text), span: scalar.span }, found }
}

/** Words of FHIRPath that are no names by themselves. */
const reserved =
  /(?<![\w`'%.])(?:as|is|in|and|or|xor|implies|contains|div|mod|(?:year|month|week|day|hour|minute|second|millisecond)s?)(?![\w`'(])/gu

/** Reserved words that may be meant for columns: the whole path, or where a row of a table is stood on. */
const reservedColumns = (text: string, { focus }: Standing): ReadonlyArray<string> => {
  const onRow = focus.places === null || [...focus.places].some((place) => /^[a-z]/u.test(place))
  return onRow
    ? [...new Set(text.match(reserved) ?? [])].filter((word) =>
      /^(?:year|month|week|day|hour|minute|second)/u.test(word) || word === text
    )
    : []
}

const texts: Places = new Set(["string"])
const textFunctions: ReadonlySet<string> = new Set(
  ("keyOf encounterCode getResourceKey getReferenceKey conceptText conceptCode conceptDisplay identifierIn translated who whoTitle " +
    "whoPhone humanName toString substring upper lower join trim replace replaceMatches").split(" ")
)

/** Functions that give one value, however many they are given. */
const givesOne: ReadonlySet<string> = new Set(["encounterCode", "join"])

const functionResult = (
  name: string,
  { places, several }: Found,
  literal: string | undefined,
  { linkTarget }: Model
): Found => {
  if (name === "inVisit" || name === "ofPatient" || name === "reverseResolve") {
    return { places: literal === undefined ? null : new Set([literal.split(".")[0]!]), several: true }
  }
  if (name === "resolve") {
    const targets = places === null ? [undefined] : [...places].map(linkTarget)
    return { places: targets.every((one) => one !== undefined) ? new Set(targets) : null, several }
  }
  return textFunctions.has(name) ? { places: texts, several: several && !givesOne.has(name) } : anything
}

const patternFunctions: ReadonlySet<string> = new Set(["matches", "matchesFull", "replaceMatches"])

/** Remembers a name that is used; a name that is computed may be any. */
const use = (used: Set<string>, known: ReadonlySet<string>, literal: string | undefined): void => {
  for (const name of literal === undefined ? known : [literal]) used.add(name)
}

/** The literal arguments of functions that name a resource type or an element. */
const checkModelNames = (
  reader: SyntaxReader,
  name: string,
  literal: string,
  span: PathPlan["span"],
  { elementNames, elementOfPlace, isResourceType, noSuchType, resourceTypes }: Model
): void => {
  if (name !== "inVisit" && name !== "ofPatient" && name !== "reverseResolve") return
  const [type, ...steps] = literal.split(".")
  if (type === undefined || !isResourceType(type)) {
    const near = suggest(type ?? "", resourceTypes())
    reader.report(
      "unknown-element",
      span,
      noSuchType(type ?? ""),
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
