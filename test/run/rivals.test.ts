import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { explainInputs } from "../../src/run/explainInputs.ts"
import { only } from "../present.ts"
import { addressed, bothWays, neutral, temporaryFolder, written } from "./converted.ts"
import { bundle, encounter, type Json, lines, patient, system } from "./smallRecords.ts"

/** The ready visits, and the problems of records that are read twice. */
const made = (
  files: Readonly<Record<string, string>>,
  validation: ConversionRequest["validation"] = {},
  mapping = addressed
) =>
  Effect.gen(function*() {
    const { folder, visits } = yield* bothWays(files, validation, mapping)
    return visits.map(({ problems, ready, source }) => ({
      source,
      ready,
      reported: problems.filter(({ code }) => code === "duplicate-record").map(({ facts = [], origin, severity }) =>
        `${severity} ${origin?.file.slice(folder.length + 1)}:${origin?.line} ${
          facts.map(([name, place]) => `${name} ${place.slice(folder.length + 1)}`).join(", ")
        }`
      )
    }))
  })

describe("Two contradicting records of one encounter or patient", () => {
  it.effect("reject the encounter's visit, with both locations, and no other visit", () =>
    Effect.gen(function*() {
      const visits = yield* made({
        "a.ndjson": lines(patient("a"), encounter("e1", "a"), encounter("e2", "a")),
        "b.ndjson": lines(encounter("e1", "a", { class: { code: "EMER" } }))
      })
      assert.deepStrictEqual(visits.map(({ ready, source }) => [source, ready]), [
        ["Encounter/e1", false],
        ["Encounter/e2", true]
      ])
      assert.deepStrictEqual(visits[0]?.reported.toSorted(), [
        "error a.ndjson:2 other b.ndjson:1",
        "error b.ndjson:1 other a.ndjson:2"
      ])
    }))

  it.effect("are an older and a newer version if later exports of a mirror have them, without a time or with the same one", () =>
    Effect.gen(function*() {
      const exported = (index: number, ...records: ReadonlyArray<Json>) => [
        `00${index}-2026030${index}T000000Z/a.ndjson`,
        lines(...records)
      ]
      for (const more of [{}, { meta: { lastUpdated: "2026-03-01T00:00:00Z", versionId: "1" } }]) {
        for (const codes of [["AMB", "EMER"], ["EMER", "AMB", "EMER"], ["EMER", "EMER", "AMB", "EMER"]]) {
          const encounters = codes.map((code) => encounter("e1", "a", { class: { code }, ...more }))
          const files = encounters.map((one, index) => exported(index + 1, patient("a"), one))
          const { visits } = yield* bothWays(Object.fromEntries(files), {}, addressed)
          assert.deepStrictEqual(visits.map(({ json, ready }) => [ready, JSON.parse(json).emergencies.length]), [[
            true,
            1
          ]])
        }
      }
      const elsewhere = yield* made({
        "001-20260301T000000Z/a.ndjson": lines(patient("a"), encounter("e1", "a")),
        "b/002-20260302T000000Z/a.ndjson": lines(encounter("e1", "a", { class: { code: "EMER" } }))
      })
      assert.deepStrictEqual(elsewhere.map(({ ready }) => ready), [false])
    }))

  it.effect("reject the visit of an encounter's part, or of an encounter with parts", () =>
    Effect.gen(function*() {
      const partOf = { partOf: { reference: "Encounter/e1" } }
      for (const copied of [encounter("e1", "a"), encounter("e2", "a", partOf)]) {
        const visits = yield* made({
          "a.ndjson": lines(patient("a"), encounter("e1", "a"), encounter("e2", "a", partOf)),
          "b.ndjson": lines({ ...copied, priority: { text: "Urgent" } })
        })
        assert.deepStrictEqual(visits.map(({ ready, reported, source }) => [source, ready, reported.length]), [
          ["Encounter/e1", false, 2]
        ])
      }
    }))

  it.effect("reject all visits of the patient, and no others", () =>
    Effect.gen(function*() {
      const visits = yield* made({
        "a.ndjson": lines(patient("a"), encounter("e1", "a"), encounter("e2", "a"), patient("b"), encounter("e3", "b")),
        "b.ndjson": lines(patient("a", { birthDate: "1991-04-12" }))
      })
      assert.deepStrictEqual(visits.map(({ ready, reported }) => [ready, reported.length]), [[false, 2], [false, 2], [
        true,
        0
      ]])
    }))

  it.effect("are resolved if one is newer", () =>
    Effect.gen(function*() {
      for (
        const [one, other] of [
          [{ meta: { versionId: "1" } }, { meta: { versionId: "2" } }],
          [{ meta: { lastUpdated: "2026-03-01T00:00:00Z" } }, { meta: { lastUpdated: "2026-03-02T00:00:00Z" } }]
        ] as const
      ) {
        const visits = yield* made({
          "a.ndjson": lines(patient("a"), encounter("e1", "a", one)),
          "b.ndjson": lines(encounter("e1", "a", { ...other, class: { code: "EMER" } }))
        })
        assert.deepStrictEqual(visits.map(({ ready, reported }) => [ready, reported]), [[true, []]])
      }
    }))

  it.effect("count as one if only their metadata differs", () =>
    Effect.gen(function*() {
      const visits = yield* made({
        "a.ndjson": lines(patient("a"), encounter("e1", "a")),
        "b.ndjson": lines(patient("a", { meta: { source: "#2" } }), encounter("e1", "a", { meta: { versionId: "3" } }))
      })
      assert.deepStrictEqual(visits.map(({ ready, reported }) => [ready, reported]), [[true, []]])
    }))

  it.effect("reject both visits of an encounter in two Bundles of one server", () =>
    Effect.gen(function*() {
      const visits = yield* made({
        "a.json": bundle("collection", patient("a"), encounter("e1", "a")),
        "b.json": bundle("collection", patient("a"), encounter("e1", "a", { class: { code: "EMER" } }))
      })
      assert.deepStrictEqual(visits.map(({ ready, reported }) => [ready, reported.length]), [[false, 2], [false, 2]])
    }))

  it.effect("use the patient of the visit's own Bundle", () =>
    Effect.gen(function*() {
      const visits = yield* made({
        "a.json": bundle("collection", patient("a"), encounter("e1", "a")),
        "b.json": bundle(
          "collection",
          patient("a", { maritalStatus: { coding: [{ code: "W" }] } }),
          encounter("e2", "a")
        )
      })
      assert.deepStrictEqual(visits.map(({ ready, reported }) => [ready, reported]), [[true, []], [true, []]])
    }))

  it.effect("reject the visit if the patient of its own Bundle is not certain", () =>
    Effect.gen(function*() {
      const other = patient("a", { birthDate: "1991-04-12" })
      const elsewhere = { "b.json": bundle("collection", other) }
      const [own, visit] = [patient("a"), encounter("e1", "a")]
      for (
        const files of [
          // The visit is in no Bundle, and only the patient's copies are; or only the visit and one of the copies are in none.
          { "a.json": bundle("collection", own), "c.ndjson": lines(visit), ...elsewhere },
          { "a.ndjson": lines(own, visit), ...elsewhere },
          // Its own Bundle has both.
          {
            "a.json": bundle("collection", own, patient("a", { birthDate: "1992-04-12" }), visit),
            ...elsewhere
          }
        ]
      ) {
        const { ready, reported } = only(yield* made(files))
        assert.isFalse(ready)
        assert.isAbove(reported.length, 1)
      }
    }))

  it.effect("of another type reject the visit that has both, and are reported once", () =>
    Effect.gen(function*() {
      const illness = (text: string) => ({
        resourceType: "Condition",
        id: "c",
        subject: { reference: "Patient/a" },
        encounter: { reference: "Encounter/e1" },
        code: { text }
      })
      for (
        const files of [
          {
            "a.ndjson": lines(illness("Fever"), patient("a"), encounter("e1", "a")),
            "b.ndjson": lines(illness("Cough"))
          },
          {
            "a.json": bundle("collection", illness("Fever"), patient("a"), encounter("e1", "a")),
            "b.json": bundle("collection", illness("Cough"), patient("a"))
          }
        ]
      ) {
        const { ready, reported } = only(yield* made(files))
        assert.isFalse(ready)
        const [one, other] = Object.keys(files)
        assert.deepStrictEqual(reported.toSorted(), [
          `error ${one}:1 other ${other}:1`,
          `error ${other}:1 other ${one}:1`
        ])
      }
    }))

  it.effect("of a record of the patient reject the visits that have its values, and no others", () =>
    Effect.gen(function*() {
      const allergy = (text: string) => ({
        resourceType: "AllergyIntolerance",
        id: "x",
        clinicalStatus: { coding: [{ code: "active" }] },
        patient: { reference: "Patient/a" },
        recordedDate: "2026-03-02T08:30:00+07:00",
        code: { text }
      })
      const visits = yield* made({
        "a.ndjson": lines(
          patient("a"),
          encounter("e1", "a"),
          encounter("e3", "a"),
          allergy("Penicillin"),
          patient("b"),
          encounter("e4", "b")
        ),
        "b.ndjson": lines(allergy("Peanuts"))
      })
      assert.deepStrictEqual(visits.map(({ ready, reported, source }) => [source, ready, reported.length]), [
        ["Encounter/e1", true, 0],
        ["Encounter/e3", false, 2],
        ["Encounter/e4", true, 0]
      ])
      const inBundles = yield* made({
        "a.json": bundle("collection", patient("a"), encounter("e2", "a"), allergy("Penicillin")),
        "b.json": bundle("collection", patient("a"), encounter("e3", "a"), allergy("Peanuts"))
      })
      assert.deepStrictEqual(inBundles.map(({ ready }) => ready), [true, true])
    }))

  it.effect("that are rows of a visit are reported once", () =>
    Effect.gen(function*() {
      const files = {
        "visit.csv": [
          "code,patient_code,visit_type,admitted_at",
          "V1,P1,OPD,2026-01-01T08:00:00+07:00",
          "V1,P1,IPD,2026-01-01T08:00:00+07:00"
        ].join("\n"),
        "patient.csv": "code,name,surname,sex,birthdate\nP1,Test,Example,F,1990-01-01\n"
      }
      const visit = only(yield* made(files, {}, "mapping: example\nextends: csv\n"))
      assert.isFalse(visit.ready)
      assert.deepStrictEqual(visit.reported.toSorted(), [
        "error visit.csv:2 other visit.csv:3",
        "error visit.csv:3 other visit.csv:2"
      ])
    }))

  it.effect("are not reported for documents that reuse an id for their own encounters", () =>
    Effect.gen(function*() {
      const document = (of: string, start: string) =>
        bundle(
          "document",
          { resourceType: "Composition", status: "final", encounter: { reference: "Encounter/e1" } },
          patient(of),
          encounter("e1", of, {
            identifier: [{ system: `${system}visit-code`, value: `V-${of}` }, {
              system: `${system}encounter-code`,
              value: `E-${of}`
            }],
            period: { start, end: start }
          })
        )
      const visits = yield* made({
        "a.json": document("a", "2026-03-01T08:00:00+07:00"),
        "b.json": document("b", "2026-03-02T08:00:00+07:00")
      })
      assert.deepStrictEqual(visits.map(({ ready, reported }) => [ready, reported]), [[true, []], [true, []]])
    }))

  it.effect("are a warning if the facility lowers the level", () =>
    Effect.gen(function*() {
      const files = {
        "a.ndjson": lines(patient("a"), encounter("e1", "a")),
        "b.ndjson": lines(encounter("e1", "a", { class: { code: "EMER" } }))
      }
      const visit = only(yield* made(files, { levels: new Map([["duplicate-record", "warning"]]) }))
      assert.deepInclude(visit, { ready: true })
      assert.isTrue(visit.reported.every((line) => line.startsWith("warning ")))
      const [quiet] = yield* made(files, { levels: new Map([["duplicate-record", "off"]]) })
      assert.deepInclude(quiet, { ready: true, reported: [] })
    }))

  it.effect("are shown by `explain`, with patients' names in file names masked", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [overlay, ...inputs] = written(folder, {
        "mapping.yaml": addressed,
        "Ann_1.ndjson": lines(patient("a"), encounter("e1", "a")),
        "Ann_2.ndjson": lines(patient("a", { birthDate: "1991-04-12" }))
      })
      const request = { ...neutral, inputs, mapping: overlay }
      const explained = yield* Effect.provide(explainInputs(request, "Encounter/e1"), NodeServices.layer)
      const found = explained?.problems.filter(({ code }) => code === "duplicate-record") ?? []
      const hidden = (name: string) => join(folder, `*_${name}.ndjson`)
      assert.deepStrictEqual(
        found.map(({ facts, origin }) => [origin?.file, facts]).toSorted(),
        [[hidden("1"), [["other", `${hidden("2")}:1`]]], [hidden("2"), [["other", `${hidden("1")}:1`]]]]
      )
    }))
})

describe("Equal records without a name", () => {
  const charge = { resourceType: "ChargeItem", status: "billable", subject: { reference: "Patient/a" } }
  const ofVisit = { ...charge, context: { reference: "Encounter/e1" }, code: { text: "Dressing" } }
  const visit = [patient("a"), encounter("e1", "a")]

  it.effect("of one file count as two, which is reported", () =>
    Effect.gen(function*() {
      const { folder, visits } = yield* bothWays({ "a.ndjson": lines(...visit, ofVisit, ofVisit) })
      const { problems, ready } = only(visits)
      const found = problems.filter(({ code }) => code === "duplicate-record")
      assert.deepStrictEqual(
        found.map((
          { origin, severity, title }
        ) => [severity, `${origin?.file.slice(folder.length + 1)}:${origin?.line}`, title]),
        [[
          "warning",
          "a.ndjson:4",
          "a ChargeItem of the visit has no id and the same content as a second one: both are used"
        ]]
      )
      assert.isTrue(ready)
    }))

  it.effect("reject the visit if the facility makes it an error", () =>
    Effect.gen(function*() {
      const levels = new Map([["duplicate-record", "error"]] as const)
      const made = yield* bothWays({ "a.ndjson": lines(...visit, ofVisit, ofVisit) }, { levels })
      assert.isFalse(only(made.visits).ready)
    }))

  it.effect("count once if their whole file is read twice, which is not reported", () =>
    Effect.gen(function*() {
      const visits = yield* made({ "a.ndjson": lines(...visit, ofVisit), "b.ndjson": lines(...visit, ofVisit) })
      assert.deepStrictEqual(visits, [{ source: "Encounter/e1", ready: true, reported: [] }])
    }))

  it.effect("are two records if they have ids", () =>
    Effect.gen(function*() {
      const named = ["c1", "c2"].map((id) => ({ ...ofVisit, id }))
      const visits = yield* made({ "a.ndjson": lines(...visit, ...named) })
      assert.deepStrictEqual(visits, [{ source: "Encounter/e1", ready: true, reported: [] }])
    }))
})
