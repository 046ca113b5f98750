import { assert, describe, it } from "@effect/vitest"
import { sampleOfRecord } from "../../src/fhirpath/generate/write/items.ts"
import { Writer } from "../../src/fhirpath/generate/write/Writer.ts"
import { taskOfFields, writeFields } from "../../src/mapping/apply/fields/writeFields.ts"
import { taskOfTests, writeTests } from "../../src/mapping/apply/writeTests.ts"
import type { BranchPlan, ComponentPlan, LeafPlan, MappingPlan, PathPlan } from "../../src/mapping/MappingPlan.ts"
import { makeReferenceList } from "../../src/visit/values/ReferenceList.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { only, present } from "../present.ts"
import { generatedAtOnce } from "./generatedCode.ts"

const branchesOf = ({ branches }: ComponentPlan): ReadonlyArray<BranchPlan> =>
  branches.flatMap((branch) => [
    branch,
    ...branch.fields.flatMap((field) => (field.kind === "leaf" ? [] : branchesOf(field)))
  ])

/** Changes of one property of a field each. */
const changesOf = ({ conceptMaps }: MappingPlan, leaf: LeafPlan): ReadonlyArray<Partial<LeafPlan>> => {
  const { field, paths } = leaf
  const [conceptMap = undefined] = conceptMaps.values()
  const span = leaf.span
  const pathsWith = (change: Partial<PathPlan>) => ({ paths: paths.map((path) => ({ ...path, ...change })) })
  return [
    { name: "another" },
    ...(["code", "text", "timestamp", "decimal", "boolean", "strings"] as const).map((kind) => ({
      field: { ...field, kind }
    })),
    { field: { ...field, mandatory: !field.mandatory } },
    { field: { ...field, optional: !field.optional } },
    { field: { ...field, blank: field.blank === null ? "" : null } },
    ...(["error", "warning", "none"] as const).map((required) => ({ required })),
    { literal: "fixed" },
    { literal: 1 },
    { literalRemark: { span, warn: "a remark" } },
    { empty: null },
    { empty: "" },
    { fallback: "other" },
    { join: ", " },
    { unit: { to: "kg", round: 1 } },
    { listed: makeReferenceList([{ code: "A", name: "A" }]) },
    ...(conceptMap === undefined ? [] : [{ conceptMap }]),
    { paths: [] },
    { paths: [...paths, ...paths] },
    pathsWith({ text: "id" }),
    pathsWith({ warn: "a remark" })
  ]
}

describe("Two tasks with one name have the same code", () => {
  it.each(["fhir-r4", "us-synthetic"])("when they fill fields: %s", async (mapping) => {
    const { plan } = await loadFor(mapping, generatedAtOnce().by)
    const units = present(plan.fhirPath.units)
    const textOf = (leaf: LeafPlan): string => {
      const writer = new Writer(units, plan.constants, { form: "node", sample: sampleOfRecord("Observation") })
      writeFields(writer, [leaf])
      return writer.written("").text
    }
    const leaves = branchesOf(plan.visit).flatMap(({ fields }) => fields.filter((field) => field.kind === "leaf"))
      .filter((_, index) => index % 3 === 0)
    let different = 0
    for (const leaf of leaves.flatMap((one) => [one, { ...one, literal: "fixed" }])) {
      const text = textOf(leaf)
      const { name } = taskOfFields([leaf])
      for (const change of changesOf(plan, leaf)) {
        const changed = { ...leaf, ...change }
        if (textOf(changed) === text) continue
        different++
        assert.notStrictEqual(taskOfFields([changed]).name, name, `${leaf.name} ${JSON.stringify(Object.keys(change))}`)
      }
    }
    assert.isAbove(different, 5 * leaves.length)
  })

  it("when they test conditions", async () => {
    const { plan } = await loadFor("fhir-r4", generatedAtOnce().by)
    const units = present(plan.fhirPath.units)
    const textOf = (conditions: ReadonlyArray<PathPlan>): string => {
      const writer = new Writer(units, plan.constants, { form: "node", sample: sampleOfRecord("Observation") })
      writeTests(writer, conditions)
      return writer.written("").text
    }
    const all = branchesOf(plan.visit).map(({ where }) => where).filter(({ length }) => length > 0)
    const byName = Map.groupBy(all, (where) => taskOfTests(where).name)
    assert.isBelow(byName.size, all.length)
    for (const same of byName.values()) only([...new Set(same.map(textOf))])
    for (const where of all) {
      const changed = where.map((condition) => ({ ...condition, warn: "a remark" }))
      if (textOf(changed) !== textOf(where)) assert.notStrictEqual(taskOfTests(changed).name, taskOfTests(where).name)
    }
  })
})
