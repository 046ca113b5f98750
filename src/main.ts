#!/usr/bin/env node
import module from "node:module"
import { join } from "node:path"
import { cacheFolder } from "./mapping/planCache.ts"

// What is imported from here on is compiled once and kept. An older Node is told of in what follows.
const folder = cacheFolder()
if (folder !== undefined) module.enableCompileCache?.(join(folder, "code"))
await import("./start.ts")
