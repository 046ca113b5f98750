import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { caughtBy, failingCase, removedLines } from "./killMutants.ts"
import { mutants } from "./mutants.ts"

/** Tries every deliberate fault and prints the law that caught it: `node test/roundtrip/printMutants.ts`. */
let survived = 0
const say = (name: string, law: string, killed: boolean): void => {
  if (!killed) survived++
  process.stdout.write(`${killed ? "killed  " : "SURVIVED"}  ${law.padEnd(42)}  ${name}\n`)
}
for (const mutant of mutants) say(mutant.name, mutant.law, caughtBy(mutant, mutant.law).has(mutant.law))
for (const line of removedLines()) {
  const { elsewhere, name, overlay } = line
  const law = elsewhere
    ? await Effect.runPromise(failingCase(line).pipe(Effect.provide(NodeServices.layer)))
    : [...caughtBy(overlay, undefined)][0]
  say(`${name} removed`, law ?? "", law !== undefined)
}
process.stdout.write(`${survived} survived\n`)
process.exitCode = survived === 0 ? 0 : 1
