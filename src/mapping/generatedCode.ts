import type { KeptCode } from "../fhirpath/generate/KeptCode.ts"
import type { MappingPlan } from "./MappingPlan.ts"
import { keep, readKept } from "./planCache.ts"

/** Begins to generate code for a mapping, and uses what an earlier run generated. */
export const beginGenerating = ({ fhirPath: { units }, hash }: MappingPlan): void => {
  if (units === undefined) return
  units.start()
  // Only `keepCode` writes an entry of this kind, and the cache checks that this program did.
  const kept = readKept(hash, "functions") as KeptCode | undefined
  if (kept !== undefined) units.use(kept)
}

/** Keeps the code that was generated for a mapping, for the next run. */
export const keepCode = ({ fhirPath: { units }, hash }: MappingPlan): void =>
  keep(hash, [], () => units?.kept(), "functions")
