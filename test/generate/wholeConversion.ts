import { Effect } from "effect"
import type { PathEngine } from "../../src/fhirpath/FhirPath.ts"
import type { LoadedMapping } from "../../src/mapping/load/loadMapping.ts"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { loadedFor } from "../fhirpath/shippedPaths.ts"
import { converted } from "../run/converted.ts"

/** Returns a conversion in this thread, with the expressions of mappings evaluated by an engine. It loads each mapping once. */
export const engineOf = (by: PathEngine) => {
  const known = new Map<string, LoadedMapping>()
  return Effect.fnUntraced(function*(
    inputs: ReadonlyArray<string>,
    settings: Partial<ConversionRequest> & { readonly mapping: string }
  ) {
    const { mapping } = settings
    const loaded = known.get(mapping) ?? (yield* loadedFor(mapping, by))
    known.set(mapping, loaded)
    return yield* converted(inputs, {
      ...settings,
      loaded,
      memoryLimits: { maxInMemoryBytes: Number.POSITIVE_INFINITY, workers: 0 }
    })
  })
}
