import { anything, oneOf } from "../../fhirpath/infer/InferredType.ts"
import { asKey, keysOf, readValues } from "../language/grammar/Kind.ts"
import { keyKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { KeyPlan } from "../MappingPlan.ts"
import type { CompilePath, PathFocus, PathScope } from "./expressions/PathScope.ts"
import { anywhere } from "./expressions/PathScope.ts"

/** Keys that every mapping must declare. */
export const neededKeys = ["patient", "visit", "encounter"] as const

/** Reads `key:`, the map from key names to the paths that find them. */
export const readKeys = (reader: SyntaxReader, root: SyntaxMap): SyntaxMap | undefined => {
  const entry = root.entries.get("key")
  return entry === undefined ? undefined : reader.map(entry.value, "`key`")
}

/** Checks the keys of patients, visits, encounters and other records. */
export const checkKeys = (
  reader: SyntaxReader,
  root: SyntaxMap,
  map: SyntaxMap | undefined,
  scope: PathScope,
  compile: CompilePath
): ReadonlyMap<string, KeyPlan> => {
  const { isPrimitive } = scope.model
  const foci = pathFociOf(scope)
  const keys = new Map<string, KeyPlan>()
  for (const [name, { key, value }] of map?.entries ?? []) {
    const before = reader.errors
    const long = value.kind === "map"
      ? reader.map(value, `the key \`${name}\``, keysOf(keyKeys))
      : undefined
    const { mint: written, path: paths = [] } = readValues(reader, keyKeys, long ?? asKey("path", { key, value }), {
      path: `the path of \`${name}\``
    })
    const mint = written?.value
    if (written !== undefined && name === "patient") {
      reader.report("invalid-value", written.span, "a patient code is never generated", {
        help: ["§4.5 rule 1: the patient code must already exist at the service"]
      })
    }
    const compiled = paths.flatMap((scalar) => {
      const checked = compile(scalar, foci.get(name) ?? anywhere)
      const typePaths = [...checked?.found.typePaths ?? []]
      if (
        typePaths.length > 0 &&
        !typePaths.some((typePath) => isPrimitive(typePath) || typePath === "Element" || typePath === "Resource")
      ) {
        reader.report("wrong-type", scalar.span, "a key must be a text", {
          label: `finds ${typePaths.slice(0, 3).join(" or ")}`,
          help: ["end the path in an element that is a text:  identifier.value,  coding.code"]
        })
      }
      return checked?.plan ?? []
    })
    if (foci.has(name) && paths.length === 0 && mint === undefined && reader.errors === before) {
      reader.warn("required-field", key, `the key \`${name}\` never has a value`, {
        help: [`every visit is rejected, because its ${name} code is missing; give it a path`]
      })
    }
    keys.set(name, { name, span: key, paths: compiled, ...(mint === undefined ? {} : { mint }) })
  }
  for (const needed of neededKeys) {
    if (keys.has(needed)) continue
    const span = root.entries.get("key")?.key ?? root.span
    reader.report("missing-key", span, `\`key\` must name a ${needed}`, {
      help: [`add  ${needed}: {path: …}  under key:`]
    })
  }
  return keys
}

/** Returns the focus of the paths of each required key; other keys can be on a row of any table. */
const pathFociOf = ({ patient, rootType }: PathScope): ReadonlyMap<string, PathFocus> => {
  const isResource = /^[A-Z]/u.test(rootType)
  const root: PathFocus = { focus: isResource ? oneOf(rootType) : anything, parent: anything }
  return new Map([
    ["patient", { focus: isResource ? patient : anything, parent: anything }],
    ["visit", root],
    ["encounter", root]
  ])
}
