import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { basename } from "node:path"
import { at } from "../../src/at.ts"
import { isJsonObject, jsonListOf } from "../../src/json/JsonObject.ts"
import { addressed, addsUp, type Converted, converted, temporaryFolder, written } from "./converted.ts"
import { type Hostile, hostileInputs, hostileTables } from "./hostileInputs.ts"

const rooms = [{ maxInMemoryBytes: Number.POSITIVE_INFINITY, workers: 0 }, {
  maxInMemoryBytes: 0,
  partitionBytes: 1,
  workers: 0,
  helps: false
}]

/** Checks that the input gives visits and problems, or a known error, which a command shows with exit code 1 or 2. */
const judge = (name: string, exit: Exit.Exit<Converted, unknown>): void => {
  if (Exit.isFailure(exit)) {
    assert.isFalse(Cause.hasDies(exit.cause) || Cause.hasInterrupts(exit.cause), `${name}: ${Cause.pretty(exit.cause)}`)
    const error = Cause.squash(exit.cause)
    const hasProblems = isJsonObject(error) && jsonListOf(error.problems).length > 0
    assert.isTrue(hasProblems || String(error).includes(name), `${name}: ${String(error)}`)
    return
  }
  const { totals, visits } = exit.value
  assert.isTrue(addsUp(exit.value), name)
  const errors = [
    ...totals.problems,
    ...totals.rejectedRecords.flatMap(({ problems }) => problems),
    ...visits.flatMap(({ problems }) => problems)
  ].filter(({ severity }) => severity === "error")
  for (const { code, mapping, origin, title } of errors) {
    assert.isTrue(
      mapping !== undefined || (origin !== undefined && origin.line > 0),
      `${name}: ${code}: ${title} has no place`
    )
  }
}

const each = (
  inputs: ReadonlyArray<Hostile>,
  settings: (folder: string) => object,
  more: (folder: string) => ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    for (const [number, [name, content]] of inputs.entries()) {
      const [file] = written(`${folder}/${number}`, { [name]: content })
      const exit = yield* Effect.exit(
        converted([file, ...more(folder)], { ...settings(folder), memoryLimits: at(rooms, number % 2) })
      )
      judge(basename(file), exit)
    }
  })

describe("A hostile input", () => {
  it.effect("of FHIR ends in visits, or in an error with a location", () =>
    Effect.gen(function*() {
      assert.isAbove(hostileInputs.length, 500)
      yield* each(
        hostileInputs,
        (folder) => {
          const [mapping] = written(folder, { "mapping.yaml": addressed })
          return { mapping }
        },
        () => []
      )
    }))

  it.effect("of a table ends in visits, or in an error with a location", () =>
    each(
      hostileTables.map(([name, content]) => [name.startsWith("gzip") ? "visit.csv.gz" : "visit.csv", content]),
      () => ({ mapping: "mappings/csv/mapping.yaml" }),
      (folder) => written(folder, { "patient.csv": "code,name,surname,sex,birthdate\nP1,Test,Example,F,1990-01-01\n" })
    ))
})
