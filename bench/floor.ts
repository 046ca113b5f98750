import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** The floor: parses every line of a file, or of each file of a folder, once, on one thread. Prints seconds and lines. */
const [, , path = "."] = process.argv
const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path]
let parsed = 0
let nanoseconds = 0n
for (const file of files) {
  const buffer = readFileSync(file)
  const started = process.hrtime.bigint()
  for (let start = 0; start < buffer.length;) {
    const end = buffer.indexOf(10, start)
    const stop = end < 0 ? buffer.length : end
    if (stop > start && JSON.parse(buffer.toString("utf8", start, stop)) !== undefined) parsed++
    start = stop + 1
  }
  nanoseconds += process.hrtime.bigint() - started
}
process.stdout.write(`${Number(nanoseconds) / 1e9} ${parsed}\n`)
