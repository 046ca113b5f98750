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
    const firstIn = (documents: Documents): Tree =>
      present(recordsIn(documents).find((one) => one.resourceType === type))
    const whole = documentsIn(folder)
    const places = Array.from(placesIn(firstIn(whole)))
    assert.isNotEmpty(places)
    // Code is written for the records as they are.
    assert.deepStrictEqual(
      everyResultOf(generated, fileTextsOf(whole)),
      everyResultOf(definition, fileTextsOf(whole))
    )
    const joined = joinedWith(whole, firstIn(whole))
    for (const { key, path } of places) {
      for (const change of changes) {
        const documents = structuredClone(joined)
        const record = firstIn(documents)
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

type Documents = ReturnType<typeof documentsIn>

const treeOf = (value: unknown): Tree | undefined =>
  // A list is read and written by its indexes, as an object is by its keys.
  typeof value === "object" && value !== null ? value as Tree : undefined

const recordsIn = (documents: Documents): ReadonlyArray<Tree> =>
  documents.flatMap(({ lines }) => lines).flatMap((line): ReadonlyArray<Tree> => {
    const document = present(treeOf(line))
    const entries = document.resourceType === "Bundle" ? Object.values(present(treeOf(document.entry))) : []
    return document.resourceType === "Bundle"
      ? entries.flatMap((entry): ReadonlyArray<Tree> => [present(treeOf(treeOf(entry)?.resource))])
      : [document]
  })

/** Types that most records refer to. They are in every selection. */
const joinsNothing = new Set([
  "Encounter",
  "Location",
  "Organization",
  "Patient",
  "Practitioner",
  "PractitionerRole"
])

/** The texts of all references in a tree. */
const referencesIn = (tree: unknown): ReadonlyArray<string> =>
  Object.entries(treeOf(tree) ?? {}).flatMap(([key, value]) =>
    key === "reference" && typeof value === "string" ? [value] : referencesIn(value)
  )

/**
 * The documents with only the records that a record is joined with, by a reference or by two with another record between them. The others
 * do not read it, and converting them for each change would take most of the time.
 */
const joinedWith = (documents: Documents, record: Tree): Documents => {
  const known = new Set([record])
  const isJoined = (one: Tree, other: Tree): boolean =>
    referencesIn(one).some((text) => text.endsWith(`${other.id}`)) ||
    referencesIn(other).some((text) => text.endsWith(`${one.id}`))
  const clinical = recordsIn(documents).filter(({ resourceType }) => !joinsNothing.has(`${resourceType}`))
  for (const _ of [1, 2]) {
    const before = [...known]
    for (const one of clinical) if (before.some((other) => isJoined(one, other))) known.add(one)
  }
  const isKept = (one: Tree): boolean => joinsNothing.has(`${one.resourceType}`) || known.has(one)
  return documents.map(({ file, lines }) => ({
    file,
    lines: lines.flatMap((line) => {
      const document = present(treeOf(line))
      if (document.resourceType !== "Bundle") return isKept(document) ? [document] : []
      const entries = Object.values(present(treeOf(document.entry)))
      return [{ ...document, entry: entries.filter((entry) => isKept(present(treeOf(treeOf(entry)?.resource)))) }]
    })
  })).filter(({ lines }) => lines.length > 0)
}

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
