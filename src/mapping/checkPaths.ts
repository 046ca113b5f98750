import { suggest } from "../diagnostic/suggest.ts"
import type { FhirPath } from "../fhirpath/FhirPath.ts"
import { forbiddenFunctions, isPathFault, parsePath, standardFunctions } from "../fhirpath/FhirPath.ts"
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
  fhirPath: FhirPath
): PathPlan | undefined => {
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
  return reader.problems.length > before ? undefined : { ...fhirPath.compile(text), span: scalar.span }
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
