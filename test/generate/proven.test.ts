import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { explainFailure } from "../../src/cli/screen/explainFailure.ts"
import { makeFhirPath } from "../../src/fhirpath/FhirPath.ts"
import { describeDifference, EngineDiffers } from "../../src/run/checks/EngineDiffers.ts"
import { hashName } from "../../src/run/links/hashName.ts"
import { present } from "../present.ts"
import { temporaryFolder, written } from "../run/converted.ts"
import { encounter, lines, patient } from "../run/smallRecords.ts"
import { engineOf } from "./wholeConversion.ts"

const samples = ["samples/clinic-day/input", "samples/emergency-labs-imaging/input"]

/** Converts samples with code that is generated at once and changed. */
const convertedBy = (alter: (text: string) => string) =>
  Effect.exit(engineOf({ after: 1, alter })(samples, { mapping: "mappings/fhir-r4/mapping.yaml" }))
    .pipe(Effect.provide(NodeServices.layer))

/** Changes the problem of a field without a value. */
const withProblem = (change: string) => (text: string): string =>
  text.replaceAll(
    /^x = h\.none\(.*\)$/gmu,
    `$&\nif (pending.length > start) {\nconst last = pending.pop()\npending.push({ ...last, ${change} })\n}`
  )

const faults: ReadonlyArray<readonly [what: EngineDiffers["what"], alter: (text: string) => string]> = [
  ["values", (text) => text.replaceAll(/r\.(\w+) = x$/gmu, "r.$1 = 'another'")],
  ["unmapped codes", (text) => text.replaceAll(/^x = (h\.found\(.*\))$/gmu, "$1\nx = $1")],
  ["problems", withProblem("diagnostic: { ...last.diagnostic, code: 'left-out' }")],
  ["problems", withProblem("diagnostic: { ...last.diagnostic, severity: 'error' }")],
  ["problems", withProblem("diagnostic: { ...last.diagnostic, title: 'another' }")],
  ["problems", withProblem("name: 'another'")],
  ["assumptions", (text) => text.replaceAll(/^h\.remark\(.*\)$/gmu, "")],
  ["records", (text) => text.replaceAll(/^if \(isSeveral \|\| reads\.length > 0\) h\.filled\(.*\)$/gmu, "")]
]

describe("In a run, a visit for which new code ran is made by the definition, too", () => {
  it.effect("and the run continues if both are the same", () =>
    Effect.gen(function*() {
      const exit = yield* convertedBy((text) => text)
      assert.isTrue(Exit.isSuccess(exit))
    }))

  it.effect.each(faults)(
    "and the run ends before the visit if they differ in %s",
    ([what, alter]) =>
      Effect.gen(function*() {
        const exit = yield* convertedBy(alter)
        assert.isTrue(Exit.isFailure(exit))
        const fault: unknown = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        assert.instanceOf(fault, EngineDiffers)
        assert.strictEqual(fault instanceof EngineDiffers ? fault.what : undefined, what)
        assert.match(fault instanceof EngineDiffers ? fault.source : "", /^Encounter\//u)
      })
  )

  it("and the message states what differs, where, and what to do", async () => {
    const explained = await explainFailure(new EngineDiffers({ what: "values", source: "Encounter/1" }))
    // Running the same command again would end the same way.
    assert.strictEqual(explained.code, 2)
    const text = JSON.stringify(explained)
    assert.match(text, /two different visits of Encounter\/1: their values differ/u)
    assert.match(text, /run again with {2}--engine definition/u)
  })
})

describe("In a run, a visit for which no code is new", () => {
  /** Converts visits that differ only in their names. Code has a fault in the last one, which comes after the code is proven. */
  const withFaultIn = (last: string) =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [file] = written(folder, {
        "a.ndjson": lines(
          patient("1"),
          ...["a", "b", "c", "d", "e", last].map((id) => ({ ...encounter("e1", "1"), id }))
        )
      })
      const alter = (text: string): string =>
        text.replaceAll("r.visit_type = x", `r.visit_type = f.data.id === "${last}" ? "another" : x`)
      return yield* Effect.exit(engineOf({ after: 1, alter })([file], { mapping: "mappings/fhir-r4/mapping.yaml" }))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

  const names = Array.from({ length: 10_000 }, (_, number) => `z${number}`)
  const isChosen = (name: string): boolean => hashName(`Encounter/${name}`) % 500 === 0

  it.effect("is made by the definition, too, if it is the one in 500 that its name chooses", () =>
    Effect.gen(function*() {
      const exit = yield* withFaultIn(present(names.find(isChosen)))
      assert.instanceOf(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, EngineDiffers)
    }))

  it.effect("is made by its code only, otherwise", () =>
    Effect.gen(function*() {
      const exit = yield* withFaultIn(present(names.find((name) => !isChosen(name))))
      assert.isTrue(Exit.isSuccess(exit) && exit.value.visits.some(({ json }) => json.includes("another")))
    }))
})

describe("In a run, a path outside of a visit is evaluated by the definition, too", () => {
  it.effect("when its code is new, and the run ends if the two find different elements", () =>
    Effect.gen(function*() {
      const exit = yield* convertedBy((text) =>
        text.includes("t0 = f.data.encounter\n") ? text.replace("? none : [t1]", "? none : none") : text
      )
      const fault: unknown = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.instanceOf(fault, EngineDiffers)
      assert.deepInclude(fault, { what: "path" })
      assert.match(fault instanceof EngineDiffers ? fault.source : "", /^\w+\/[\w-]+$/u)
    }))

  it("and the message names the record", () => {
    assert.strictEqual(
      describeDifference({ what: "path", source: "Observation/1" }),
      "the program found two different results of a path on Observation/1"
    )
  })
})

describe("Without an engine", () => {
  it("code is generated only after a large run has begun", () => {
    const units = present(makeFhirPath(new Map()).units)
    assert.isTrue(units.isOff)
    units.start()
    assert.isFalse(units.isOff)
  })
})
