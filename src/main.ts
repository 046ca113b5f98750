#!/usr/bin/env node
import module from "node:module"
import { join } from "node:path"
import { cacheFolder } from "./mapping/planCache.ts"

// What is imported from here on is compiled once and kept. The code below reports an older Node.
const folder = cacheFolder()
if (folder !== undefined) module.enableCompileCache?.(join(folder, "code"))
await import("./start.ts")
