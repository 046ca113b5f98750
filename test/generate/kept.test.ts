import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import { afterEach, vi } from "vitest"
import type { KeptCode } from "../../src/fhirpath/generate/KeptCode.ts"
import type { Units } from "../../src/fhirpath/generate/Units.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { beginGenerating, keepCode } from "../../src/mapping/generatedCode.ts"
import { keep } from "../../src/mapping/planCache.ts"
import { EngineDiffers } from "../../src/run/checks/EngineDiffers.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import { recordsOf, type SourceText } from "../../src/studio/proof/recordsOf.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { only, present } from "../present.ts"
import { converted } from "../run/converted.ts"
import { tempFolders } from "../source/tempFolder.ts"
import { documentsIn, fileTextsOf } from "./changedRecords.ts"
import { everyResultOf } from "./everyResultOf.ts"
import { firstWrongExpression } from "./fixedExpressions.ts"
import { generatedAtOnce } from "./generatedCode.ts"
import { recordWith } from "./recordWith.ts"
import { engineWithCalls, notingScope } from "./reportedCalls.ts"

const sourceOf = (folder: string): ReadonlyArray<SourceText> => fileTextsOf(documentsIn(`${folder}/input`))

const cases = [
  ["fhir-r4", ["samples/outpatient-fever", "samples/emergency-labs-imaging", "samples/inpatient-surgery-referral"]],
  ["test/generate/reporting.yaml", ["samples/outpatient-fever", "samples/emergency-labs-imaging"]],
  ["us-synthetic", ["samples/clinic-day"]]
] as const

const unitsOf = ({ plan }: CheckedMapping) => present(plan.fhirPath.units)

/** Returns the code of a mapping after some visits, and the texts of the functions that ran too rarely. */
const keptAfter = async (mapping: string, folders: ReadonlyArray<string>) => {
  const { by, texts } = generatedAtOnce()
  const checked = await loadFor(mapping, by)
  // Code is kept when it has run three times: in a run, all these visits are made by the definition, too.
  for (const folder of [...folders, ...folders, ...folders]) everyResultOf(checked, sourceOf(folder))
  const kept = asRead(present(unitsOf(checked).kept()))
  return { kept, rare: without(texts, kept.functions.map(({ text }) => text)) }
}

/** Returns kept code as the cache returns it. */
const asRead = (kept: KeptCode): KeptCode =>
  // Serialising keeps the type.
  deserialize(serialize(kept)) as KeptCode

/** Returns kept code that fills fields with another value. */
const withFault = (kept: KeptCode): KeptCode => ({
  ...kept,
  functions: kept.functions.map((one) => ({
    ...one,
    text: one.text.replaceAll(/r\.(\w+) = x$/gmu, "r.$1 = 'another'")
  }))
})

/** Returns kept code that finds another code of a patient. */
const withFaultInKey = (kept: KeptCode): KeptCode => {
  const ofKey = new Set(
    kept.variants.flatMap(({ code, task }) =>
      task === "values identifierIn(%patient_code_system).first()" ? [code] : []
    )
  )
  assert.isNotEmpty([...ofKey])
  return {
    ...kept,
    functions: kept.functions.map((one, index) => (ofKey.has(index) ? { ...one, text: "return ['another']" } : one))
  }
}

/** Returns some texts without others, each as often as it occurs. */
const without = (texts: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = Map.groupBy(others, (text) => text)
  return texts.filter((text) => counts.get(text)?.pop() === undefined)
}

const entriesOf = (cache: string): ReadonlyArray<string> =>
  readdirSync(cache).filter((name) => name.endsWith(".functions"))

const newFolder = tempFolders()
afterEach(() => vi.unstubAllEnvs())

describe("Code that an earlier run kept", () => {
  it.each(cases)(
    "makes the same visits and reports as the definition, and none is written again: %s",
    async (mapping, folders) => {
      const { kept, rare } = await keptAfter(mapping, folders)
      assert.isAbove(kept.variants.length, 50)
      const { by, texts } = generatedAtOnce()
      const checked = await loadFor(mapping, by)
      const units = unitsOf(checked)
      units.use(kept)
      const defined = await loadFor(mapping, "definition")
      for (const folder of folders) {
        assert.deepStrictEqual(
          everyResultOf(checked, sourceOf(folder)),
          everyResultOf(defined, sourceOf(folder)),
          folder
        )
      }
      assert.deepStrictEqual(without(texts, rare), [])
    }
  )

  it.each(cases)("is the same for all branches whose task has one name: %s", async (mapping, folders) => {
    const checked = await loadFor(mapping, generatedAtOnce().by)
    const units = unitsOf(checked)
    const note = vi.spyOn(units, "note")
    for (const folder of folders) everyResultOf(checked, sourceOf(folder))
    const variants = note.mock.calls.map(([variant]) => variant)
    const byName = Map.groupBy(variants, ({ isList, parent, path, task }) => `${task} ${path} ${isList} ${parent}`)
    assert.isBelow(byName.size, variants.length, "several branches have one task")
    for (const [name, same] of byName) assert.lengthOf(new Set(same.map(({ written }) => written?.text)), 1, name)
  })

  it("grows by what another run needs", async () => {
    const [one = "", other = ""] = cases[0][1]
    const { kept } = await keptAfter("fhir-r4", [one])
    const { by, texts } = generatedAtOnce()
    const checked = await loadFor("fhir-r4", by)
    const units = unitsOf(checked)
    units.use(kept)
    for (const folder of [other, other, other]) everyResultOf(checked, sourceOf(folder))
    assert.isAbove(texts.length, 0)
    const grown = present(units.kept())
    assert.isAbove(grown.variants.length, kept.variants.length)
    const next = generatedAtOnce()
    const again = await loadFor("fhir-r4", next.by)
    unitsOf(again).use(asRead(grown))
    const defined = await loadFor("fhir-r4", "definition")
    for (const folder of [one, other]) {
      assert.deepStrictEqual(everyResultOf(again, sourceOf(folder)), everyResultOf(defined, sourceOf(folder)), folder)
    }
    assert.isBelow(next.texts.length, texts.length)
  })

  it("is read from the cache by the next run, and written again if it is damaged", async () => {
    const cache = newFolder()
    vi.stubEnv("FHIR2VISIT_CACHE", cache)
    const folder = "samples/outpatient-fever"
    const run = async () => {
      const checked = await loadFor("fhir-r4", { after: 1, waits: true })
      const use = vi.spyOn(unitsOf(checked), "use")
      beginGenerating(checked.plan, 600)
      const results = [1, 2, 3].map(() => everyResultOf(checked, sourceOf(folder)))
      keepCode(checked.plan)
      return { results, isUsed: use.mock.calls.length === 1 }
    }
    const first = await run()
    assert.isFalse(first.isUsed)
    const entry = join(cache, only(entriesOf(cache)))
    assert.strictEqual(statSync(entry).mode & 0o777, 0o600)
    assert.deepStrictEqual(await run(), { ...first, isUsed: true })
    const bytes = readFileSync(entry)
    bytes[bytes.length - 1] = 1 + (bytes.at(-1) ?? 0)
    writeFileSync(entry, bytes)
    assert.deepStrictEqual(await run(), first)
    assert.deepStrictEqual(await run(), { ...first, isUsed: true })
  })

  it("has no data of records", async () => {
    const folder = "samples/emergency-labs-imaging"
    const kept = serialize((await keptAfter("fhir-r4", [folder])).kept).toString("latin1")
    const stated = sourceOf(folder).flatMap(({ text }) =>
      Array.from(
        text.matchAll(/"(?:family|id|birthDate|value|reference|line|start|authoredOn)":\s*"([^"]{4,})"/gu),
        ([, value = ""]) => value
      )
    )
    assert.isAbove(stated.length, 50)
    assert.deepStrictEqual(stated.filter((value) => kept.includes(value)), [])
  })

  it.each([
    ["a field", (kept: KeptCode) => withFault(kept)],
    ["a key", (kept: KeptCode) => withFaultInKey(kept)]
  ])("is made by the definition, too, when it first runs: a fault in %s ends the run", async (_, faulty) => {
    const folder = "samples/outpatient-fever"
    const { kept } = await keptAfter("fhir-r4", [folder])
    // No other code is new.
    const checked = await loadFor("fhir-r4", { after: 1_000 })
    unitsOf(checked).use(faulty(kept))
    const { visits } = convertRecords({
      checked,
      records: recordsOf(sourceOf(folder)).index,
      facility: null,
      system: null,
      zone: "Asia/Phnom_Penh",
      checkVisit: () => [],
      compareVisit: () => []
    })
    assert.throws(() => [...visits], EngineDiffers)
  })

  it("is removed if it makes another visit than the definition", async () => {
    const cache = newFolder()
    vi.stubEnv("FHIR2VISIT_CACHE", cache)
    const folder = "samples/outpatient-fever"
    const { kept } = await keptAfter("fhir-r4", [folder])
    const run = async (code: KeptCode) => {
      const checked = await loadFor("fhir-r4", { after: 1 })
      keep(checked.plan.hash, [], () => code, "functions")
      assert.lengthOf(entriesOf(cache), 1)
      unitsOf(checked).use(code)
      return Effect.runPromiseExit(
        converted([`${folder}/input`], {
          mapping: "mappings/fhir-r4/mapping.yaml",
          loaded: { checked, problems: [], texts: new Map() },
          memoryLimits: { workers: 0 }
        }).pipe(Effect.provide(NodeServices.layer))
      )
    }
    assert.isTrue(Exit.isSuccess(await run(kept)))
    assert.lengthOf(entriesOf(cache), 1)
    const failed = await run(withFault(kept))
    assert.instanceOf(Exit.isFailure(failed) ? Cause.squash(failed.cause) : undefined, EngineDiffers)
    assert.deepStrictEqual(entriesOf(cache), [])
  })

  it("is not used for another value of a constant", async () => {
    const folder = "samples/outpatient-fever"
    const { kept } = await keptAfter("test/generate/reporting.yaml", [folder])
    const functions = kept.functions.map((one) => ({
      ...one,
      constants: one.constants.map((constant) =>
        constant[0] === "variable" ? ["variable", constant[1], "another"] as const : constant
      )
    }))
    const isOfVariable = kept.functions.some(({ constants }) => constants.some(([kind]) => kind === "variable"))
    assert.isTrue(isOfVariable, "some code reads a constant of the mapping")
    const { by, texts } = generatedAtOnce()
    const checked = await loadFor("test/generate/reporting.yaml", by)
    unitsOf(checked).use({ ...kept, functions })
    const defined = await loadFor("test/generate/reporting.yaml", "definition")
    assert.deepStrictEqual(everyResultOf(checked, sourceOf(folder)), everyResultOf(defined, sourceOf(folder)))
    assert.isAbove(texts.length, 0)
  })

  it("finds what the definition finds for the fixed expressions", () => {
    let units: Units | undefined
    const first = generatedAtOnce()
    assert.isUndefined(firstWrongExpression(first.by, (made) => void (units = made)))
    const kept = asRead(present(units?.kept()))
    const { by, texts } = generatedAtOnce()
    assert.isUndefined(firstWrongExpression(by, (made) => made.use(kept)))
    assert.isBelow(texts.length, first.texts.length)
  })

  it("has run three times", () => {
    const { compile, elementOf, units } = engineWithCalls(generatedAtOnce().by)
    const path = compile("name.family")
    const run = () => path.values([elementOf(recordWith({ resourceType: "Patient" }))], {}, notingScope())
    run()
    run()
    assert.isUndefined(present(units).kept())
    run()
    assert.lengthOf(present(present(units).kept()).variants, 1)
  })
})
