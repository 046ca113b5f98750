import { deserialize, serialize } from "node:v8"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { PathEngine, PathFunction } from "../fhirpath/FhirPath.ts"
import { Evaluation } from "./apply/Evaluation.ts"
import type { CheckedMapping } from "./check/check.ts"
import { freeze, thaw } from "./freezePlan.ts"
import { languageFunctions, mappingFunction } from "./functions/functions.ts"
import type { LoadedMapping } from "./language/loadMapping.ts"
import { asData, type Syntax, type SyntaxScalar } from "./language/MappingSyntax.ts"
import type { MappingPlan } from "./MappingPlan.ts"
import { type Input, keep, readKept } from "./planCache.ts"

/** A mapping that was read and checked without an error, as data. */
interface Kept {
  readonly problems: ReadonlyArray<Diagnostic>
  readonly texts: ReadonlyMap<string, string>
  /** Serialised separately, because most commands do not need it. */
  readonly syntax: Uint8Array
  readonly plan: Omit<MappingPlan, "fhirPath">
  readonly functions: CheckedMapping["functions"]
}

/** Caches a mapping for the next command that loads it; a mapping with errors is not cached. */
export const keepMapping = (
  request: unknown,
  inputs: ReadonlyArray<Input>,
  { checked, problems, syntax, texts }: LoadedMapping
): void => {
  if (checked === undefined || syntax === undefined) return
  keep(request, inputs, (): Kept => {
    const { fhirPath: _, ...plan } = checked.plan
    return {
      problems,
      texts,
      syntax: serialize(asData(syntax)),
      plan: freeze(plan) as Kept["plan"],
      functions: checked.functions.map((one) => ({ ...one, path: asData(one.path) as SyntaxScalar }))
    }
  })
}

/** Returns the cached mapping, if none of its inputs has changed. */
export const keptMapping = (request: unknown, by: PathEngine | undefined): LoadedMapping | undefined => {
  const kept = readKept(request) as Kept | undefined
  if (kept === undefined) return undefined
  const evaluation = new Evaluation(kept.plan.statements)
  const functions = new Map<string, PathFunction>(languageFunctions(evaluation))
  for (const { name, over, parameters, path } of kept.functions) {
    functions.set(name, mappingFunction(parameters, String(path.value), over, evaluation.fhirPath))
  }
  const fhirPath = evaluation.begin(functions, by)
  const plan = thaw(kept.plan, fhirPath) as Kept["plan"]
  let syntax: Syntax | undefined
  return {
    problems: kept.problems,
    texts: kept.texts,
    checked: { plan: { ...plan, fhirPath }, functions: kept.functions, enter: evaluation.enter },
    get syntax() {
      return (syntax ??= deserialize(kept.syntax) as Syntax)
    }
  }
}
