import type { KeptCode } from "../fhirpath/generate/KeptCode.ts"
import type { MappingPlan } from "./MappingPlan.ts"
import { cacheFolder, forget, keep, readKept } from "./planCache.ts"

/** From this number of visits, code of an earlier run saves more time than loading it takes. */
const minUsed = 100

/** From this number of visits, generated code saves more time than writing and compiling it takes. If it is kept, it may take as long. */
const minGenerated = 1500
const minGeneratedAndKept = 600

/** Begins to generate code for a mapping, and uses what an earlier run generated, if that saves time for a thread that makes `visits`. */
export const beginGenerating = ({ fhirPath: { units }, hash }: MappingPlan, visits: number): void => {
  if (units === undefined || visits < minUsed) return
  // Only `keepCode` writes an entry of this kind, and the cache checks that this program did.
  const kept = readKept(hash, "functions") as KeptCode | undefined
  if (kept === undefined && visits < (cacheFolder() === undefined ? minGenerated : minGeneratedAndKept)) return
  units.start()
  if (kept !== undefined) units.use(kept)
}

/** Keeps the code that was generated for a mapping, for the next run. */
export const keepCode = ({ fhirPath: { units }, hash }: MappingPlan): void =>
  keep(hash, [], () => units?.kept(), "functions")

/** Removes the code that is kept for a mapping. */
export const forgetCode = ({ hash }: MappingPlan): void => forget(hash, "functions")
