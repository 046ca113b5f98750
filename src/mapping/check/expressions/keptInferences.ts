import { hash } from "node:crypto"
import type { PathNames } from "../../../fhirpath/FhirPath.ts"
import type { TypeQuestion } from "../../../fhirpath/infer/InferenceFaults.ts"
import type { InferredType } from "../../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import type { TextSpan } from "../../../fhirpath/syntax/nodeSpans.ts"
import { getOrMake, getOrRemember } from "../../../maps.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { BodyNames, InferredBody } from "./checkBodies.ts"
import type { PathFocus, PathScope, PathUse, UsedNames } from "./PathScope.ts"

/** What the check of an expression has found. */
export interface KeptInference {
  readonly found: InferredType
  /** The calls of functions, and the names in their bodies. */
  readonly calls: ReadonlyArray<{ readonly at: TextSpan; readonly names: ReadonlyArray<BodyNames> }>
  readonly used: UsedNames
  readonly typeTests: ReadonlyArray<TypeQuestion>
}

/** What the checks of mappings with one model have inferred so far. */
interface KeptInferences {
  /** The expressions about which nothing was reported, by their text. */
  readonly expressions: Map<string, Map<string, KeptInference>>
  readonly bodies: Map<string, InferredBody>
}

/** By the name of the model. */
export type Inferences = ReadonlyMap<string, KeptInferences>

const ofModels = new Map<string, KeptInferences>()

/** About five times what the largest shipped mapping has. */
const maxKept = 20_000

/**
 * Returns what earlier checks with a model inferred. A process checks similar mappings many times: `init` checks each proposal, the workbench
 * each edit. Their keys contain everything that an inference depends on.
 */
export const keptInferences = ({ name }: Model): KeptInferences => {
  const kept = getOrRemember(ofModels, name, () => ({ expressions: new Map(), bodies: new Map() }), 10)
  for (const map of [kept.expressions, kept.bodies]) if (map.size > maxKept) map.clear()
  return kept
}

/** Returns what the checks of this process have inferred, or know from an earlier process. */
export const allInferences = (): Inferences => ofModels

/** Takes what the checks of an earlier process inferred. */
export const addInferences = (inferences: Inferences): void => {
  for (const [name, kept] of inferences) if (!ofModels.has(name)) ofModels.set(name, kept)
}

export const countInferences = (): number => {
  let count = 0
  for (const { bodies, expressions } of ofModels.values()) {
    count += bodies.size
    for (const { size } of expressions.values()) count += size
  }
  return count
}

/** Forgets what earlier checks inferred, so that the next one looks everything up again. */
export const forgetInferences = (): void => ofModels.clear()

/** Returns what an earlier check has found for an expression, if all names that the expression uses still exist, and a function that keeps it. */
export const keptInference = (
  { value, verbatim }: SyntaxScalar,
  { functions: calls }: PathNames,
  scope: PathScope,
  { focus, parent }: PathFocus,
  use: PathUse | undefined
): { readonly known?: KeptInference | undefined; readonly keep: (found: KeptInference) => void } => {
  const { bodies, model } = scope
  const text = String(value)
  const versions = bodies.versionsIn(text)
  const named = namedIn(calls, scope)
  if (versions === null || named === null) return { keep: () => undefined }
  const key = `${versions}|${verbatim}|${use}|${keyOfType(focus)}|${keyOfType(parent)}|${keyOfScope(scope)}${named}`
  const ofText = getOrMake(keptInferences(model).expressions, text, () => new Map())
  const known = ofText.get(key)
  return {
    known: known !== undefined && hasNames(scope, known.used) ? known : undefined,
    keep: (found) => void ofText.set(key, found)
  }
}

/**
 * Returns the texts for code systems in calls that are names of constants, which the check reports. `null` if the name of a key or a concept
 * map is computed: all names count then.
 */
const namedIn = (calls: PathNames["functions"], { functions, variables }: PathScope): string | null => {
  let named = ""
  for (const { args: [first], name } of calls) {
    const names = first === undefined ? undefined : functions.get(name)?.names
    if (first === undefined || names === undefined) continue
    if (first.kind !== "text" && (names === "key" || names === "conceptMap")) return null
    if (first.kind === "text" && names === "system" && variables.has(first.name)) named += `|${first.name}`
  }
  return named
}

/** Returns whether a scope has the names that an expression uses. */
const hasNames = (scope: PathScope, { conceptMaps, constants, functions, keys }: UsedNames): boolean =>
  isSubset(conceptMaps, scope.conceptMaps) && isSubset(keys, scope.keys) && isSubset(functions, scope.functions) &&
  isSubset(constants, scope.variables)

const isSubset = (some: ReadonlySet<string>, all: { readonly has: (name: string) => boolean }): boolean => {
  for (const one of some) if (!all.has(one)) return false
  return true
}

const keysOfScopes = new WeakMap<PathScope, string>()

const keyOfScope = (scope: PathScope): string =>
  getOrMake(
    keysOfScopes,
    scope,
    ({ lists, outside, patient, patientTypes, rootType }) =>
      shortFor(JSON.stringify([rootType, keyOfType(patient), [...patientTypes], [...lists], outside]))
  )

const keysOfTypes = new WeakMap<InferredType, string>()

/** Returns a text that is the same for equal types. */
export const keyOfType = (type: InferredType): string =>
  getOrMake(
    keysOfTypes,
    type,
    ({ codes, isDateColumn, isOwn, literals, several, targets, timed, typePaths }) =>
      shortFor(
        [typePaths, targets, codes, literals?.keys()].map((some) => (some ? [...some].join(" ") : `${some}`)).join(
          ";"
        ) +
          `${several}${timed === true}${isOwn === true}${isDateColumn === true}`
      )
  )

const shortTexts = new Map<string, string>()

/** Returns a short text for a long one: the same in every process. */
export const shortFor = (text: string): string =>
  getOrMake(shortTexts, text, () => hash("sha256", text, "base64").slice(0, 22))
