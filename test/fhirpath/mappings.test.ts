import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { at } from "../../src/at.ts"
import type { Element, Variables } from "../../src/fhirpath/FhirPath.ts"
import { compileByLibrary } from "../../src/fhirpath/library/ask.ts"
import { runScope } from "../../src/mapping/apply/scope/runScope.ts"
import type { EvaluationScope } from "../../src/mapping/functions/EvaluationScope.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"
import { recordsOf } from "../../src/studio/proof/recordsOf.ts"
import { runs, timeout } from "../runs.ts"
import { hasShared, sharedData } from "../sharedData.ts"
import { isSame, outcome, processScope } from "./outcome.ts"
import { isFirst, loadFor, pathsOf } from "./shippedPaths.ts"

const shared = "bulk-synthea-1patient-uscore"
const folders = [
  "samples/clinic-day/input",
  "samples/inpatient-surgery-referral/input",
  ...(hasShared(shared) ? [join(sharedData, shared)] : [])
]

/** Each expression is evaluated on every tenth element; `npm run test:deep` uses all of them. */
const step = Math.max(1, Math.round(10 / runs(1)))

/** Most expressions find nothing in most elements: of those, the library evaluates every eighth, because it takes most of the time. */
const stepOfEmpty = runs(1) === 1 ? 8 : 1

const childrenOf = compileByLibrary("children()")

/** `us-synthetic` adds few expressions to those of its base mapping. */
const isNew = isFirst()

describe("an expression of a shipped mapping", () => {
  it.each(["fhir-r4", "us-synthetic"])("finds the same compiled to closures as in the library: %s", async (name) => {
    const [closures, library] = await Promise.all([loadFor(name, "definition"), loadFor(name, "library")])
    const { functions } = closures.plan.fhirPath
    const ours = pathsOf(closures.plan)
    const theirs = pathsOf(library.plan)
    assert.deepStrictEqual(ours.map(({ text }) => text), theirs.map(({ text }) => text))
    const chosen = ours.map(({ text }) => isNew(text, functions))
    assert.include(chosen, true)
    for (const folder of folders) {
      const { index } = recordsOf(
        readdirSync(folder).filter((file) => file.endsWith(".ndjson")).map((file) => ({
          file,
          text: readFileSync(`${folder}/${file}`, "utf8").split("\n").slice(0, 40).join("\n")
        }))
      )
      const records = index.types.flatMap((type) => index.all(type))
      let read: Array<SourceRecord> = []
      const scope: EvaluationScope = {
        ...runScope(closures.plan, index, { facility: "HF-1", system: "SYS-1", ...processScope() }),
        read: (record) => read.push(record),
        inVisit: (type) => index.all(type).slice(0, 2),
        ofPatient: (type) => index.all(type).slice(0, 2),
        encounters: index.all("Encounter").slice(0, 2)
      }
      const { elementOf } = closures.plan.fhirPath
      const roots = records.map(elementOf)
      const variables: Variables = Object.assign(Object.create(closures.plan.constants), {
        visit: scope.encounters.slice(0, 1).map(elementOf),
        main: scope.encounters.slice(-1).map(elementOf),
        encounters: scope.encounters.map(elementOf),
        patient: index.all("Patient").slice(0, 1).map(elementOf),
        facility: "HF-1",
        system: [],
        rowIndex: 0
      })
      const inner = roots.flatMap((root) => childrenOf([root], {}))
      ours.forEach((path, number) => {
        if (!chosen[number]) return
        let empty = 0
        const same = (focus: ReadonlyArray<Element>): void => {
          const scoped = Object.assign(Object.create(variables), { parent: focus })
          read = []
          const one = outcome(path, focus, scoped, scope)
          if (Array.isArray(one) && one.length === 0 && (number + empty++) % stepOfEmpty > 0) return
          const readByUs = new Set(read)
          read = []
          const other = outcome(at(theirs, number), focus, scoped, scope)
          // It takes a fraction of the time of the assertion, which shows the difference.
          if (!isSame(one, other)) assert.deepStrictEqual(one, other, path.text)
          // The library also evaluates operands that do not matter.
          assert(readByUs.isSubsetOf(new Set(read)), path.text)
        }
        same([])
        same(roots.slice(number % 7, (number % 7) + 3))
        // Each expression is evaluated on a different part of the elements.
        for (let index = number % step; index < roots.length; index += step) same([roots[index]])
        for (let index = number % (9 * step); index < inner.length; index += 9 * step) same([inner[index]])
      })
    }
  }, timeout)
})
