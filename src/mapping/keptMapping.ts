import { deserialize, serialize } from "node:v8"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { PathEngine } from "../fhirpath/FhirPath.ts"
import type { ReferenceLists } from "../visit/values/ReferenceList.ts"
import type { CheckedMapping } from "./check/check.ts"
import { freeze, thaw } from "./freezePlan.ts"
import { Engine } from "./functions/Engine.ts"
import { languageFunctions, mappingFunction } from "./functions/functions.ts"
import type { LanguageFunction } from "./functions/LanguageFunction.ts"
import { asData, type Syntax } from "./language/MappingSyntax.ts"
import type { LoadedMapping, MappingContext } from "./load/loadMapping.ts"
import { measurePlan, type PlanSize } from "./load/measurePlan.ts"
import type { MappingPlan } from "./MappingPlan.ts"
import { keep, type MappingInput } from "./planCache.ts"

/** A checked mapping as data: for another thread, or for the next command. */
export interface FrozenMapping {
  readonly plan: Omit<MappingPlan, "fhirPath">
  readonly functions: CheckedMapping["functions"]
}

export const freezeMapping = ({ functions, plan }: CheckedMapping, lists?: ReferenceLists): FrozenMapping => {
  const { fhirPath: _, ...data } = plan
  return {
    // Freezing keeps the form: only expressions become texts, which `thawMapping` reverses.
    plan: freeze(data, lists) as FrozenMapping["plan"],
    functions: functions.map((one) => ({ ...one, path: asData(one.path) }))
  }
}

/** Restores a mapping without checking it again. Its expressions are compiled when they are first evaluated. */
export const thawMapping = (
  { functions, plan }: FrozenMapping,
  by?: PathEngine,
  lists?: ReferenceLists
): CheckedMapping => {
  const engine = new Engine(plan.statements)
  const callable = new Map<string, LanguageFunction>(languageFunctions(engine))
  for (const { name, over, parameters, path } of functions) {
    callable.set(name, mappingFunction(parameters, String(path.value), over, engine.fhirPath))
  }
  const fhirPath = engine.begin(callable, by)
  return {
    // Thawing keeps the form: only texts become expressions again.
    plan: { ...thaw(plan, fhirPath, lists) as FrozenMapping["plan"], fhirPath },
    functions
  }
}

/** A mapping that was read and checked without an error, as data. */
export interface KeptMapping {
  readonly problems: ReadonlyArray<Diagnostic>
  readonly texts: ReadonlyMap<string, string>
  readonly size: PlanSize
  /** Serialised separately, because not every command needs them: `FrozenMapping` and `Syntax`. */
  readonly mapping: Uint8Array
  readonly syntax: Uint8Array
}

/** Caches a mapping for the next command that loads it; a mapping with errors is not cached. */
export const keepMapping = (
  request: unknown,
  inputs: ReadonlyArray<MappingInput>,
  { checked, problems, syntax, texts }: LoadedMapping,
  lists: ReferenceLists | undefined
): void => {
  if (checked === undefined || syntax === undefined) return
  keep(
    request,
    inputs,
    (): KeptMapping => ({
      problems,
      texts,
      size: measurePlan(checked),
      mapping: serialize(freezeMapping(checked, lists)),
      syntax: serialize(asData(syntax))
    })
  )
}

/** Restores a cached mapping. */
export const thawKept = (
  kept: KeptMapping,
  { by, lists }: Pick<MappingContext, "by" | "lists">
): LoadedMapping => {
  let syntax: Syntax | undefined
  return {
    problems: kept.problems,
    texts: kept.texts,
    // `keepMapping` wrote both, and the cache checks that this program did.
    checked: thawMapping(deserialize(kept.mapping) as FrozenMapping, by, lists),
    get syntax() {
      // As above.
      return (syntax ??= deserialize(kept.syntax) as Syntax)
    }
  }
}
