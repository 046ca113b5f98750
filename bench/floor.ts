import { readFileSync } from "node:fs"

/** The floor: every line of a file parsed once, on one thread, nothing kept. Prints seconds. */
const buffer = readFileSync(process.argv[2]!)
const started = process.hrtime.bigint()
let parsed = 0
for (let start = 0; start < buffer.length;) {
  const end = buffer.indexOf(10, start)
  const stop = end < 0 ? buffer.length : end
  if (stop > start && JSON.parse(buffer.toString("utf8", start, stop)) !== undefined) parsed++
  start = stop + 1
}
process.stdout.write(`${Number(process.hrtime.bigint() - started) / 1e9} ${parsed}\n`)
