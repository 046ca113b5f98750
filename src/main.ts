#!/usr/bin/env node
import { keepCompiledCode } from "./keepCompiledCode.ts"
import { spaceOption, startOptions } from "./startOptions.ts"

// Options of V8 count only from the start, so this process starts again in place. Windows cannot do that.
const isSet = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((text) => text.includes(spaceOption))
const options = isSet || process.platform === "win32" ? [] : startOptions(process.argv.slice(2))
if (options.length > 0) {
  const args = [process.argv0, ...options, ...process.execArgv, ...process.argv.slice(1)]
  // Node 22.19 passes no environment unless it is given.
  process.execve?.(process.execPath, args, process.env)
}

// `start.ts` reports an older Node.
keepCompiledCode()
await import("./start.ts")
