#!/usr/bin/env node
import module from "node:module"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { cacheFolder } from "./mapping/planCache.ts"

/**
 * Of the visits that pass through `submit` or `validate`, little stays alive. V8 nevertheless lets the space for new objects grow to 128
 * MB, unless a start option limits it (in MB, for each half). This process therefore restarts in place. Windows cannot do that.
 */
const limit = "--max-semi-space-size"
const passesThrough = ["submit", "validate"].some((command) => process.argv.includes(command))
const isLimited = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((text) => text.includes(limit))
if (passesThrough && !isLimited && process.platform !== "win32") {
  const args = [process.argv0, `${limit}=8`, ...process.execArgv, ...process.argv.slice(1)]
  // Node 22.19 passes no environment unless it is given.
  process.execve?.(process.execPath, args, process.env)
}

// The heap may grow by this many percent before V8 collects garbage. Its own default is several times as much.
if (passesThrough) setFlagsFromString("--heap-growing-percent=35")

// What is imported from here on is compiled once and kept. The code below reports an older Node.
const folder = cacheFolder()
if (folder !== undefined) module.enableCompileCache?.(join(folder, "code"))
await import("./start.ts")
