import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { at } from "../../src/at.ts"
import type { Element, Elements, Variables } from "../../src/fhirpath/FhirPath.ts"
import { compileByLibrary } from "../../src/fhirpath/library/ask.ts"
import { runScope } from "../../src/mapping/apply/scope/runScope.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import type { EvaluationScope } from "../../src/mapping/functions/EvaluationScope.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"
import { recordsOf } from "../../src/studio/proof/recordsOf.ts"
import { processScope } from "../fhirpath/outcome.ts"
import { isFirst, loadFor, pathsOf } from "../fhirpath/shippedPaths.ts"
import { runs, timeout } from "../runs.ts"
import { hasShared, sharedData } from "../sharedData.ts"
import { everythingFound } from "./everythingFound.ts"
import { generatedAtOnce } from "./generatedCode.ts"

const shared = "bulk-synthea-1patient-uscore"
const folders = ["samples/clinic-day/input", "samples/inpatient-surgery-referral/input"]

/** Each expression is evaluated on every fifteenth element; `npm run test:deep` uses all of them. */
const step = Math.max(1, Math.round(15 / runs(1)))

const childrenOf = compileByLibrary("children()")

type Index = ReturnType<typeof recordsOf>["index"]

const indexOf = (folder: string): Index =>
  recordsOf(
    readdirSync(folder).filter((file) => file.endsWith(".ndjson")).map((file) => ({
      file,
      text: readFileSync(`${folder}/${file}`, "utf8").split("\n").slice(0, 15).join("\n")
    }))
  ).index

/** Evaluates expressions of one plan as a visit does: with its variables, and a scope that notes all reports. */
const evaluatorOf = ({ plan }: CheckedMapping, index: Index) => {
  const { elementOf } = plan.fhirPath
  const noted: Array<unknown> = []
  const noteOf = (kind: string) => (what: unknown): void => void noted.push([kind, what])
  const scope: EvaluationScope & { readonly noted: Array<unknown> } = {
    ...runScope(plan, index, { facility: "HF-1", system: "SYS-1", ...processScope() }),
    noted,
    read: ({ origin }) => noted.push(["read", origin]),
    assumed: noteOf("assumed"),
    unmapped: noteOf("unmapped"),
    keyWarning: noteOf("keyWarning"),
    inVisit: (type) => index.all(type).slice(0, 2),
    ofPatient: (type) => index.all(type).slice(0, 2),
    encounters: index.all("Encounter").slice(0, 2)
  }
  const ofRecords = (records: ReadonlyArray<SourceRecord>): Elements => records.map(elementOf)
  const variables: Variables = {
    visit: ofRecords(scope.encounters.slice(0, 1)),
    main: ofRecords(scope.encounters.slice(-1)),
    encounters: ofRecords(scope.encounters),
    patient: ofRecords(index.all("Patient").slice(0, 1)),
    facility: "HF-1",
    system: [],
    rowIndex: 0
  }
  const roots = ofRecords(index.types.flatMap((type) => index.all(type)))
  const inner = roots.flatMap((root) => childrenOf([root], {}))
  const paths = pathsOf(plan)
  return {
    paths,
    functions: plan.fhirPath.functions,
    roots,
    inner,
    found: (number: number, focus: Elements): unknown =>
      everythingFound(
        at(paths, number),
        focus,
        Object.assign(Object.create(plan.constants), { ...variables, parent: focus }),
        scope
      )
  }
}

/** For each folder: `us-synthetic` adds few expressions to those of its base mapping. */
const isNew = new Map(folders.map((folder) => [folder, isFirst()]))

const law = async (name: string, folder: string): Promise<void> => {
  const { by, texts } = generatedAtOnce()
  const index = indexOf(folder)
  const definition = evaluatorOf(await loadFor(name, "definition"), index)
  const generated = evaluatorOf(await loadFor(name, by), index)
  const { inner, paths, roots } = definition
  assert.deepStrictEqual(paths.map(({ text }) => text), generated.paths.map(({ text }) => text))
  let before = 0
  const ofTypes = index.types.map((type) => {
    const { length: count } = index.all(type)
    before += count
    return { start: before - count, count }
  })
  const { functions } = definition
  const chosen = isNew.get(folder) ?? isFirst()
  let tried = 0
  for (const [number, { text }] of paths.entries()) {
    if (!chosen(text, functions)) continue
    tried++
    const same = (choose: (from: typeof definition) => ReadonlyArray<Element | undefined>): void =>
      assert.deepStrictEqual(
        generated.found(number, choose(generated)),
        definition.found(number, choose(definition)),
        text
      )
    same(() => [])
    same((from) => from.roots.slice(number % 7, (number % 7) + 3))
    same((from) => from.inner.slice(number % 50, (number % 50) + 2))
    // Each expression is evaluated on a different part of the elements.
    for (let index = number % step; index < roots.length; index += step) same((from) => [from.roots[index]])
    for (let index = number % (9 * step); index < inner.length; index += 9 * step) same((from) => [from.inner[index]])
    // Records of one type together: code is generated for a list of them.
    const { start, count } = at(ofTypes, number % ofTypes.length)
    same((from) => from.roots.slice(start, start + Math.min(3, count)))
  }
  assert.isAbove(texts.length, tried)
}

describe("generated code for an expression of a shipped mapping", () => {
  it.each(["fhir-r4", "us-synthetic"])("finds what the definition finds, and reports the same: %s", async (name) => {
    for (const folder of folders) await law(name, folder)
  }, timeout)

  // Records that others published, in a folder next to the project. Without the folder this is skipped.
  it.skipIf(!hasShared(shared))("finds what the definition finds in the records of others: us-synthetic", async () => {
    await law("us-synthetic", join(sharedData, shared))
  }, timeout)
})
