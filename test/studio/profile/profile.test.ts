import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { at } from "../../../src/at.ts"
import { Pipeline } from "../../../src/cli/PipelineApi.ts"
import { overlayText } from "../../../src/studio/profile/draft/overlayText.ts"
import { renderProfile } from "../../../src/studio/profile/renderProfile.ts"
import { profileJson } from "../../../src/studio/viewer/profile/ProfileJson.ts"
import { writePage } from "../../../src/studio/viewer/writePage.ts"
import { PatientCode } from "../../../src/visit/values/Code.ts"
import { cli } from "../../cli/cli.ts"
import { runCommand } from "../../cli/TestScreen.ts"
import { only, present } from "../../present.ts"
import { converted, temporaryFolder, written } from "../../run/converted.ts"
import { canaries, hospital, ndjson, profileOf } from "./hospital.ts"

const overlayOf = (profile: Parameters<typeof overlayText>[0]): string =>
  overlayText(profile, { mapping: "our-hospital", extends: "fhir-r4" })

const profiled = (records: Parameters<typeof profileOf>[0], everything = false) =>
  Effect.provide(profileOf(records, everything), NodeServices.layer)

const base = (id: string) => ({
  resourceType: "Observation",
  id,
  status: "final",
  subject: { reference: "Patient/p1" }
})

describe("A profile of FHIR data", () => {
  it.effect("counts types, and the records that have each element", () =>
    Effect.gen(function*() {
      const { types } = yield* profiled(hospital())
      assert.deepStrictEqual(types.map(({ records, type }) => `${records} ${type}`), [
        "4 Condition",
        "4 Encounter",
        "4 Observation",
        "4 Patient",
        "4 Procedure"
      ])
      const observation = present(types.find(({ type }) => type === "Observation"))
      assert.includeMembers(observation.elements.map(({ path }) => path), [
        "Observation.value.ofType(Quantity).unit",
        "Observation.effective.ofType(dateTime)",
        "Observation.note.text"
      ])
    }))

  it.effect("counts a number that keeps its digits as one element", () =>
    Effect.gen(function*() {
      const { types } = yield* profiled([{ ...base("o1"), valueQuantity: { value: JSON.rawJSON("7.20"), unit: "mg" } }])
      const { elements, withheld } = only(types)
      assert.include(elements.map(({ path }) => path), "Observation.value.ofType(Quantity).value")
      assert.strictEqual(withheld, 0)
    }))

  it.effect("counts forms and offsets of dates, styles of references, and missing targets", () =>
    Effect.gen(function*() {
      const { dates, references } = yield* profiled(hospital())
      assert.deepStrictEqual(Object.fromEntries(dates.forms), {
        year: 4,
        day: 8,
        "time with offset": 8,
        "time without offset": 4
      })
      assert.deepStrictEqual(dates.offsets, [["+07:00", 8]])
      const lacking = references.elements.filter(({ unresolved }) => unresolved > 0)
      assert.deepStrictEqual(lacking.map(({ element, unresolved }) => [element, unresolved]), [
        ["Encounter.participant.individual", 4]
      ])
    }))

  it.effect("shows how records reach an encounter: by an element, a report, their document, or not at all", () =>
    Effect.gen(function*() {
      const report = { ...base("r"), resourceType: "DiagnosticReport", result: [{ reference: "Observation/named" }] }
      const { links } = yield* profiled([
        ...hospital(1),
        { ...report, encounter: { reference: "Encounter/e1" } },
        base("named"),
        { ...base("part"), partOf: [{ reference: "DiagnosticReport/r" }] },
        { ...base("lost"), effectiveDateTime: "2026-03-01" },
        { ...base("away"), encounter: { reference: "Encounter/other" } },
        {
          resourceType: "Bundle",
          type: "document",
          entry: [
            { resource: { resourceType: "Encounter", id: "d1", status: "finished" } },
            { resource: base("in-document") }
          ]
        }
      ])
      assert.deepStrictEqual(links.find(({ type }) => type === "Observation"), {
        type: "Observation",
        records: 6,
        paths: [{ path: "Observation.encounter", records: 2, found: 1 }],
        namedBy: [["DiagnosticReport.result", 1], ["Observation.partOf", 1]],
        inDocument: 1,
        none: 1,
        inBundles: [],
        withPatientAndTime: 1,
        duringVisit: 1
      })
    }))

  it.effect("counts repeated records, levels of encounters, and visits that begin at the same time", () =>
    Effect.gen(function*() {
      const encounter = (id: string, more: object = {}) => ({
        resourceType: "Encounter",
        id,
        status: "finished",
        subject: { reference: "Patient/p1" },
        ...more
      })
      const period = { start: "2026-03-01T08:00:00Z" }
      const { again, encounters } = yield* profiled([
        encounter("stay", { period }),
        encounter("ward", { partOf: { reference: "Encounter/stay" }, period }),
        encounter("bed", { partOf: { reference: "Encounter/ward" } }),
        encounter("bed", { partOf: { reference: "Encounter/ward" } }),
        encounter("bed", { partOf: { reference: "Encounter/ward" }, length: { value: 1 } }),
        encounter("lone", { partOf: { reference: "Encounter/gone" } }),
        encounter("next", { period: { ...period, end: "2026-03-01T09:00:00Z" } }),
        encounter("one", { partOf: { reference: "Encounter/other" }, period }),
        encounter("other", { partOf: { reference: "Encounter/one" }, period })
      ])
      assert.deepStrictEqual(again, { same: 1, older: 1, changed: 0 })
      assert.include(encounters, {
        depth: 3,
        inCircle: 2,
        members: 5,
        parentsMissing: 1,
        sameStart: 1,
        finishedWithoutEnd: 4,
        noStart: 2
      })
    }))
})

describe("A profile shows no value of a person", () => {
  const pageOf = (profile: Parameters<typeof overlayText>[0]) =>
    Effect.promise(() =>
      writePage({ page: "profile", language: "en", profile: profileJson(profile), overlay: overlayOf(profile) })
    )
  const screens = (profile: Parameters<typeof overlayText>[0]) =>
    Effect.map(pageOf(profile), (page) => [renderProfile(profile), page, JSON.stringify(profile)])

  it.effect("not even in codes, systems, extensions or names of elements", () =>
    Effect.gen(function*() {
      for (const people of [1, 4]) {
        for (const screen of yield* screens(yield* profiled(hospital(people)))) {
          for (const canary of canaries) assert.notInclude(screen, canary)
        }
      }
    }))

  it.effect("but shows codes that several people have and codes of public systems", () =>
    Effect.gen(function*() {
      for (const screen of yield* screens(yield* profiled(hospital(4)))) assert.include(screen, "TMP")
      for (const screen of yield* screens(yield* profiled(hospital(2)))) {
        assert.notInclude(screen, "TMP")
        assert.include(screen, "38362002")
      }
    }))

  it.effect("but shows every code on request", () =>
    Effect.gen(function*() {
      assert.include(yield* pageOf(yield* profiled(hospital(1), true)), "Canaryname1")
    }))
})

describe("A profile of a truncated file", () => {
  it.effect("exits with code 1, and does not show the patient's name that is in the file name", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, {
        "Canaryname1_export.ndjson": `${ndjson(hospital())}{"resourceType": "Patient", \n`
      })
      const { code, stderr, stdout } = yield* Effect.provide(runCommand(cli, ["profile", input]), Pipeline.layer)
      assert.strictEqual(code, 1, stderr)
      assert.include(stdout, "1 unreadable")
      assert.include(stderr, "unreadable-record")
      for (const canary of canaries) assert.notInclude(stdout + stderr, canary)
    }))
})

describe("A profile of a search with a missing page", () => {
  it.effect("counts it as the conversion does", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const page = {
        resourceType: "Bundle",
        type: "searchset",
        link: [
          { relation: "self", url: "http://hospital-a.example/fhir/Patient?page=1" },
          { relation: "next", url: "http://hospital-a.example/fhir/Patient?page=2" }
        ],
        entry: hospital(1).map((resource) => ({ resource }))
      }
      const [input] = written(folder, { "page.json": JSON.stringify(page) })
      const { code, stderr, stdout } = yield* Effect.provide(runCommand(cli, ["profile", input]), Pipeline.layer)
      assert.strictEqual(code, 1, stderr)
      assert.include(stdout, "1 unreadable")
      assert.include(stderr, "the next page of a search is not in the input")
    }))
})

describe("The mapping lines at the end of a profile", () => {
  it.effect("make every visit ready when pasted unchanged, with temperatures", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const inputs = written(folder, { "in.ndjson": ndjson(hospital()) })
      const before = yield* converted(inputs)
      assert.strictEqual(before.visits.filter(({ ready }) => ready).length, 0)
      const overlay = overlayOf(yield* profiled(hospital()))
      const [mapping] = written(folder, { "mapping.yaml": overlay })
      const after = yield* converted(inputs, { mapping })
      assert.deepStrictEqual(
        after.visits.flatMap(({ problems }) => problems.filter(({ severity }) => severity === "error")),
        []
      )
      // Substitutes for values that the data never has are reported in every visit.
      const { json, problems } = at(after.visits, 0)
      const reported = problems.filter(({ code }) => code === "assumption").map(({ field }) => field)
      // An assumption is reported once in a visit.
      assert.includeMembers(reported, ["patient.spid", "patient.address.province.code"])
      const visit = JSON.parse(json)
      assert.include(visit, { patient_code: "CANARY-PATIENT-1", code: "CANARY-VISIT-1", visit_type: "IPD" })
      assert.deepStrictEqual(visit.vital_signs[0].observations, [{ name: "Temperature", value: 37.5 }])
      assert.lengthOf(visit.inpatients, 1)
      assert.strictEqual(visit.diagnosis[0].diagnosis_code, "A90")
    }))

  it.effect("use an identifier that few patients have only for those, and ask about the others", () =>
    Effect.gen(function*() {
      const records = hospital(3).map((record) =>
        record.resourceType === "Patient" && record.id !== "p1" ? { ...record, identifier: [] } : record
      )
      const { overlay, questions = [] } = (yield* profiled(records)).suggestions
      assert.include(questions.join("\n"), "does the service know them by it?")
      const folder = yield* temporaryFolder
      const inputs = written(folder, { "in.ndjson": ndjson(records) })
      const [mapping] = written(folder, { "mapping.yaml": `mapping: ours\nextends: fhir-r4\n${overlay}` })
      const { visits } = yield* converted(inputs, { mapping })
      assert.deepStrictEqual(visits.map(({ patientCode, ready }) => [patientCode, ready]).toSorted(), [
        [PatientCode("CANARY-PATIENT-1"), true],
        [PatientCode("p2"), true],
        [PatientCode("p3"), true]
      ])
    }))

  it.effect("ask about a year of birth without a day, and about a sex that the service does not accept", () =>
    Effect.gen(function*() {
      const [patient, ...others] = hospital(1)
      const { overlay, notes, questions = [] } =
        (yield* profiled([{ ...patient, birthDate: "1990", gender: "other" }, ...others]))
          .suggestions
      assert.include(overlay, "partialDate: first-day")
      assert.include(questions.join("\n"), "should its first day be sent?")
      assert.include(notes.join("\n"), "1 of 1 patient are neither female nor male")
    }))

  it.effect("list problems that no line can solve", () =>
    Effect.gen(function*() {
      const { suggestions } = yield* profiled(hospital().filter(({ resourceType }) => resourceType !== "Encounter"))
      assert.include(suggestions.notes.join("\n"), "no Encounter")
    }))

  it.effect("suggest nothing that the facility's mapping already has", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const type = (...words: ReadonlyArray<string>) => Effect.provide(runCommand(cli, words), Pipeline.layer)
      written(folder, {
        "in.ndjson": ndjson(hospital()),
        "facility.yaml": "timezone: Asia/Phnom_Penh\nmapping: mapping.yaml\n"
      })
      writeFileSync(join(folder, "mapping.yaml"), overlayOf(yield* profiled(hospital())))
      const { code, stdout } = yield* type(
        "profile",
        join(folder, "in.ndjson"),
        "--facility",
        folder,
        "--format",
        "json"
      )
      assert.strictEqual(code, 0)
      assert.deepInclude(JSON.parse(stdout).suggestions, { overlay: "", substitutes: [] })
    }))
})
