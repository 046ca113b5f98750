import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { at } from "../../src/at.ts"
import { problemOf } from "../../src/diagnostic/Problem.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import type { SourceText } from "../../src/studio/proof/recordsOf.ts"
import { decodeVisit } from "../../src/visit/decode.ts"
import { runs, timeout } from "../runs.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { isContainer } from "../visit/mutate.ts"
import { asFile, bundleText, convert, loadChecked } from "./convert.ts"

const checked = await loadChecked()

const sample = readFileSync(new URL("../../samples/outpatient-fever/input/visit.bundle.json", import.meta.url), "utf8")

/** Bundles as hospitals have them, as `toFhir` writes them, and with any content. Drawn once: only what is broken shrinks. */
const bundle: fc.Arbitrary<string> = fc.constantFrom(
  sample,
  bundleText(exampleVisit),
  ...fc.sample(arbitraryVisit, { numRuns: runs(20), seed: 11 }).map((visit) => bundleText(visit))
)

/** Any value in place of a valid one. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    0,
    -1,
    1e21,
    true,
    [],
    {},
    [[]],
    [null],
    [{}],
    "2024-13-45",
    "2024-02-30T25:61:61+99:99",
    "T10",
    "http://",
    "Encounter/nobody",
    "#contained",
    "urn:uuid:",
    "\u0000",
    "\uD800",
    "x".repeat(10_000),
    { reference: null },
    { reference: { reference: "Patient/1" } },
    { reference: "Encounter/" },
    { value: "7", unit: 3, code: [] },
    { value: { value: 1 } },
    { coding: "x", text: 7 },
    { coding: [null, 3, { code: {} }] },
    { start: 3, end: [] },
    {
      extension: [null, 3, { url: 7 }, { url: "https://fhir2visit.example/fhir/StructureDefinition/stated-visit.code" }]
    },
    { extension: { url: "x" } },
    { resourceType: "Patient" },
    { resourceType: "Encounter", partOf: { reference: "Encounter/1" } }
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom("__proto__", "constructor", "toString", "resourceType").map((key): unknown =>
    JSON.parse(`{${JSON.stringify(key)}: {"code": 1}}`)
  )
)

type Change = {
  readonly kind: "replace" | "wrap" | "delete" | "rename" | "copy" | "swap"
  readonly at: number
  readonly with: unknown
  readonly other: number
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("replace", "replace", "replace", "wrap", "delete", "rename", "copy", "swap"),
  at: fc.nat(),
  with: anything,
  other: fc.nat()
})

interface Holder {
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
}

const places = (value: unknown, found: Array<Holder> = []): Array<Holder> => {
  if (!isContainer(value) || JSON.stringify(value) === undefined) return found
  for (const key of Object.keys(value)) {
    found.push({ holder: value, key })
    places(value[key], found)
  }
  return found
}

/** The Bundle with some things in it changed; what is at the top stays a list of entries. */
const broken = (text: string, changes: ReadonlyArray<Change>): SourceText => {
  const bundle: { entry: Array<Record<string, unknown>> } = JSON.parse(text)
  for (const { at: first, kind, other, with: value } of changes) {
    const all = bundle.entry.flatMap((entry) => places(entry))
    const { holder, key } = at(all, first % all.length)
    switch (kind) {
      case "replace":
        holder[key] = value
        break
      case "wrap":
        holder[key] = [holder[key], value]
        break
      case "delete":
        delete holder[key]
        break
      case "rename":
        if (!Array.isArray(holder)) {
          Object.defineProperty(holder, "__proto__", {
            value: holder[key],
            enumerable: true,
            configurable: true,
            writable: true
          })
        }
        break
      case "copy":
        bundle.entry.push(JSON.parse(JSON.stringify(bundle.entry[first % bundle.entry.length])))
        break
      case "swap": {
        const second = at(all, other % all.length)
        // One inside the other would make a circle, which JSON cannot hold.
        const kept = JSON.stringify(second.holder[second.key])
        holder[key] = kept === undefined ? null : JSON.parse(kept)
        break
      }
    }
  }
  return asFile(JSON.stringify(bundle))
}

/** What is wrong with the form of a visit, but for a mandatory field of which the mapping says that it may be missing. */
const faults = (decoded: ReturnType<typeof decodeVisit>): ReadonlyArray<string> =>
  Result.isSuccess(decoded)
    ? []
    : decoded.failure.filter(({ code }) => code !== "required-field").map(({ code, path }) =>
      `${path.join(".")} ${code}`
    )

describe("law: invalid FHIR gives problems, never a crash, and loses no record", () => {
  const cases = fc.tuple(bundle, fc.array(change, { minLength: 1, maxLength: 8 }))

  it("map never throws; every record is used, rejected or counted as unused; a ready visit is a visit", {
    timeout
  }, () => {
    fc.assert(
      fc.property(cases, ([text, changes]) => {
        const { records, totals, visits } = convert(checked, [broken(text, changes)])
        const unused = [...totals.unused.values()].reduce((sum, count) => sum + count, 0)
        assert.strictEqual(totals.usedRecords + totals.rejectedRecords.length + unused, records)
        for (const visit of visits) {
          const decoded = decodeVisit(visit.json)
          if (visit.ready) assert.deepStrictEqual(faults(decoded), [])
          else assert.isNotEmpty(visit.problems)
          for (const { code, title } of visit.problems) {
            assert.isDefined(problemOf(code))
            assert.isNotEmpty(title)
          }
        }
        for (const { problems } of totals.rejectedRecords) assert.isNotEmpty(problems)
      }),
      { numRuns: runs(100) }
    )
  })

  it("a Bundle with one error does not change the visits of other Bundles", { timeout }, () => {
    const alone = at(convert(checked, [asFile(sample)]).visits, 0).json
    fc.assert(
      fc.property(bundle, fc.array(change, { minLength: 1, maxLength: 4 }), (text, changes) => {
        fc.pre(text !== sample)
        const file = { ...broken(text, changes), file: "other.json" }
        const { visits } = convert(checked, [asFile(sample), file])
        assert.include(visits.map(({ json }) => json), alone)
      }),
      { numRuns: runs(60) }
    )
  })
})
