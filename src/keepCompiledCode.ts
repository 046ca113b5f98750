import module from "node:module"
import { join } from "node:path"
import { cacheFolder } from "./mapping/planCache.ts"

/** Modules that are imported later are compiled once, and read from the cache by the next command. */
export const keepCompiledCode = (): void => {
  const folder = cacheFolder()
  if (folder !== undefined) module.enableCompileCache?.(join(folder, "code"))
}
