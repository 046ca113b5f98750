import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const standard = "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus"
const local = "http://hospital.example/ms"
const under = "foreign-code-means-the-same"

const coding = (system: string | undefined, code: string) => ({ ...(system === undefined ? {} : { system }), code })

/** What is sent for the marital status of a patient, and the assumptions about it. */
const sent = (
  maritalStatus: { readonly coding?: ReadonlyArray<object>; readonly text?: string },
  overlay = ""
) =>
  visitOf([{ ...patient, maritalStatus }, encounter], overlay).pipe(
    Effect.map(({ assumed, reported, unmapped, visit }) => ({
      value: visit.patient.marital_status,
      assumed: assumed.filter((name) => name === under || name.includes("divorced")),
      reported: reported.filter((one) => one.endsWith("patient.marital_status")),
      unmapped
    }))
  )

const plain = (value: string) => ({ value, assumed: [], reported: [], unmapped: [] })
const assumed = (value: string) => ({
  value,
  assumed: [under],
  reported: ["warning assumption patient.marital_status"],
  unmapped: []
})

describe("A row of a concept map with `system`", () => {
  for (
    const [what, concept, result] of [
      ["is for a code of that system", { coding: [coding(standard, "W")] }, plain("Widowed")],
      ["is for a code without a system", { coding: [coding(undefined, "W")] }, plain("Widowed")],
      ["is for a text that is a code", { text: "Widowed" }, plain("Widowed")],
      [
        "is for a code of that system, also if one of another system comes first",
        { coding: [coding(local, "W"), coding(standard, "M")] },
        plain("Married")
      ],
      [
        "is for a code of another system only under an assumption",
        { coding: [coding(local, "W")] },
        assumed("Widowed")
      ],
      [
        "is for a code of another system only under an assumption, also if the text repeats the code",
        { coding: [coding(local, "W")], text: "W" },
        assumed("Widowed")
      ],
      [
        "is not for a code of another system if the text is a name of the list",
        { coding: [coding(local, "W")], text: "Single" },
        plain("Single")
      ]
    ] as const
  ) {
    it.effect(what, () => Effect.map(sent(concept), (found) => assert.deepStrictEqual(found, result)))
  }

  it.effect("is an assumption itself, besides that about the system", () =>
    Effect.gen(function*() {
      const { assumed } = yield* sent({ coding: [coding(local, "L")] })
      assert.sameMembers(assumed, [under, "separated-is-divorced"])
    }))

  it.effect("is for no other system if the mapping makes no assumption", () =>
    Effect.gen(function*() {
      const strict = "conceptMap: {marital_status: {otherSystem: null}}\n"
      assert.deepStrictEqual(yield* sent({ coding: [coding(local, "W")] }, strict), {
        value: null,
        assumed: [],
        reported: ["warning unmapped-code patient.marital_status"],
        unmapped: ["marital_status W 1"]
      })
    }))

  it.effect("comes after a row of another concept map that the codes are passed on to", () =>
    Effect.gen(function*() {
      const overlay = "conceptMap:\n  marital_status: {unmapped: {table: ours}}\n" +
        `  ours: {table: {"${local}|W": Single}}\n`
      assert.deepStrictEqual(yield* sent({ coding: [coding(local, "W")] }, overlay), plain("Single"))
    }))
})

describe("A row that an overlay adds to a concept map with `system`", () => {
  for (
    const [what, row] of [
      ["without a system is for codes of any system", "W: Single"],
      ["with a system is for codes of that system", `"${local}|W": Single`],
      ["with `*` is for codes of any system", "\"*|W\": Single"]
    ] as const
  ) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const overlay = `conceptMap: {marital_status: {table: {${row}}}}\n`
        assert.deepStrictEqual(yield* sent({ coding: [coding(local, "W")] }, overlay), plain("Single"))
      }))
  }

  it.effect("is for the systems that the overlay sets", () =>
    Effect.gen(function*() {
      const overlay = `conceptMap: {marital_status: {system: ["${standard}", "${local}"]}}\n`
      assert.deepStrictEqual(yield* sent({ coding: [coding(local, "W")] }, overlay), plain("Widowed"))
    }))
})

describe("The acceptance of codes of other systems", () => {
  const hashOf = (overlay: string) =>
    Effect.map(visitOf([patient, encounter], overlay), ({ hashes }) => hashes.get("foreign-code-means-the-same"))
  const table = (rows: string) =>
    `conceptMap: {own: {system: "${standard}", otherSystem: {assume: ${under}}, table: {${rows}}}}\n`

  it.effect("is about the rows that such codes are translated by", () =>
    Effect.gen(function*() {
      const hash = yield* hashOf(table("a: Single, b: Married"))
      for (const rows of ["a: Married, b: Married", "a: Single", "a: Single, b: Married, c: Single"]) {
        assert.notStrictEqual(yield* hashOf(table(rows)), hash, rows)
      }
      const other = table("a: Single, b: Married").replace(standard, local)
      assert.notStrictEqual(yield* hashOf(other), hash)
      for (const rows of ["b: Married, a: Single", `a: Single, b: Married, "${local}|c": Single, "*|d": Single`]) {
        assert.strictEqual(yield* hashOf(table(rows)), hash, rows)
      }
    }))
})

describe("The shipped concept maps", () => {
  /** Their codes are words of the service, of people, or of no code system. */
  const withoutSystem: ReadonlySet<string> = new Set(["sex", "vital_unit", "unit_spelling", "payer_type"])

  for (const name of ["fhir-r4", "us-synthetic"]) {
    it.effect(`of ${name} name the code systems of their codes`, () =>
      Effect.gen(function*() {
        const { checked } = yield* loadMapping(`mappings/${name}/mapping.yaml`, "mappings")
        for (const { name, rows, systems } of checked?.plan.conceptMaps.values() ?? []) {
          const isBare = [...rows.keys()].some((key) => !key.includes("|"))
          if (isBare && !withoutSystem.has(name)) assert.isDefined(systems, name)
        }
      }).pipe(Effect.provide(NodeServices.layer)))
  }
})
