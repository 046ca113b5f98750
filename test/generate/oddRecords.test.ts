import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { present } from "../present.ts"
import { timeout } from "../runs.ts"
import { documentsIn, fileTextsOf } from "./changedRecords.ts"
import { everyResultOf } from "./everyResultOf.ts"
import { generatedAtOnce } from "./generatedCode.ts"

/** Records that lines reach from other records, by functions of the mapping. */
const reached: ReadonlyArray<readonly [sample: string, type: string]> = [
  ["emergency-labs-imaging", "Media"],
  ["emergency-labs-imaging", "ImagingStudy"],
  ["emergency-labs-imaging", "Specimen"],
  ["emergency-labs-imaging", "ServiceRequest"],
  ["inpatient-surgery-referral", "Task"],
  ["inpatient-surgery-referral", "Appointment"]
]

let plans: readonly [definition: CheckedMapping, generated: CheckedMapping] | undefined
beforeAll(async () => {
  plans = [await loadFor("fhir-r4", "definition"), await loadFor("fhir-r4", generatedAtOnce().by)]
})

describe("A record that another record refers to, with one element that is not written as the model says", () => {
  it.each(reached)("is read as by the definition: %s, %s", (sample, type) => {
    const [definition, generated] = present(plans)
    const folder = `samples/${sample}/input`
    const places = Array.from(
      placesIn(present(recordsIn(documentsIn(folder)).find((one) => one.resourceType === type)))
    )
    assert.isNotEmpty(places)
    // Code is written for the records as they are.
    assert.deepStrictEqual(
      everyResultOf(generated, fileTextsOf(documentsIn(folder))),
      everyResultOf(definition, fileTextsOf(documentsIn(folder)))
    )
    for (const { key, path } of places) {
      for (const change of changes) {
        const documents = documentsIn(folder)
        const record = present(recordsIn(documents).find((one) => one.resourceType === type))
        const holder = path.reduce<Tree>((tree, step) => present(treeOf(tree[step])), record)
        if (!change(holder, key)) continue
        const texts = fileTextsOf(documents)
        assert.deepStrictEqual(
          everyResultOf(generated, texts),
          everyResultOf(definition, texts),
          `${type}.${[...path, key].join(".")}`
        )
      }
    }
  }, timeout)
})

type Tree = Record<string, unknown>

const treeOf = (value: unknown): Tree | undefined =>
  // A list is read and written by its indexes, as an object is by its keys.
  typeof value === "object" && value !== null ? value as Tree : undefined

const recordsIn = (documents: ReturnType<typeof documentsIn>): ReadonlyArray<Tree> =>
  documents.flatMap(({ lines }) => lines).flatMap((line): ReadonlyArray<Tree> => {
    const document = present(treeOf(line))
    const entries = document.resourceType === "Bundle" ? Object.values(present(treeOf(document.entry))) : []
    return document.resourceType === "Bundle"
      ? entries.flatMap((entry): ReadonlyArray<Tree> => [present(treeOf(treeOf(entry)?.resource))])
      : [document]
  })

interface Place {
  readonly path: ReadonlyArray<string>
  readonly key: string
}

function* placesIn(tree: Tree, path: ReadonlyArray<string> = []): Generator<Place> {
  for (const [key, value] of Object.entries(tree)) {
    if (path.length === 0 && (key === "resourceType" || key === "id")) continue
    yield { path, key }
    const inner = treeOf(value)
    if (inner !== undefined) yield* placesIn(inner, [...path, key])
  }
}

const absent = {
  extension: [{ url: "http://hl7.org/fhir/StructureDefinition/data-absent-reason", valueCode: "unknown" }]
}

/** Each changes one element, and returns false if it cannot. */
const changes: ReadonlyArray<(holder: Tree, key: string) => boolean> = [
  (holder, key) => {
    if (Array.isArray(holder) || typeof holder[key] === "object") return false
    delete holder[key]
    holder[`_${key}`] = absent
    return true
  },
  (holder, key) => {
    if (Array.isArray(holder) || Array.isArray(holder[key])) return false
    holder[key] = [holder[key]]
    return true
  },
  (holder, key) => {
    const list = holder[key]
    if (!Array.isArray(list)) return false
    holder[key] = list[0]
    return true
  }
]
