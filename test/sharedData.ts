import { existsSync } from "node:fs"
import { join, resolve } from "node:path"

/** Sets of records of others, which some machines have next to the project. */
export const sharedData = join(process.env.FHIR2VISIT_SHARED ?? resolve("..", "shared"), "data")

/** Whether a set is on this machine. Tests that need it are skipped elsewhere. */
export const hasShared = (...names: ReadonlyArray<string>): boolean => existsSync(join(sharedData, ...names))
