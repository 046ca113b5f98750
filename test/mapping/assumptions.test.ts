import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { refusesAssumption } from "../../src/mapping/assumptions/refusesAssumption.ts"
import type { Json } from "../run/smallRecords.ts"
import { encounter as anyEncounter, patient as anyPatient, visitOf } from "./visitOf.ts"

const declared = "assumption:\n  some-name: {means: Something is done., instead: Something else.}\n"

const recorded = (name: string) => ({
  url: `https://fhir2visit.example/fhir/StructureDefinition/${name}`,
  valueDateTime: "2026-03-02T08:00:00+07:00"
})

/** A patient and an encounter for which the base mapping makes no assumption. */
const patient = { ...anyPatient, extension: [recorded("created-at")] }
const encounter = { ...anyEncounter, extension: [recorded("created-at"), recorded("updated-at")] }
const ranked = { ...encounter, diagnosis: [{ condition: { reference: "Condition/c1" }, rank: 1 }] }

const assumptionsOf = (overlay: string, more: ReadonlyArray<{ readonly resourceType: string }> = []) =>
  visitOf([patient, more.length === 0 ? encounter : ranked, ...more], declared + overlay).pipe(
    Effect.map(({ reported, visit }) => ({
      visit,
      reported: reported.filter((one) => / assumption /u.test(one))
    }))
  )

const condition = {
  resourceType: "Condition",
  id: "c1",
  subject: { reference: "Patient/p1" },
  encounter: { reference: "Encounter/e1" },
  category: [{ coding: [{ code: "encounter-diagnosis" }] }],
  recordedDate: "2026-03-02T08:20:00+07:00",
  code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: "J18.9", display: "Pneumonia" }] }
}

const once = ["warning assumption patient.occupation"]

describe("An assumption", () => {
  for (
    const [what, overlay] of Object.entries({
      "at a path": "occupation: {path: {path: id, assume: some-name}}",
      "at one of several paths": "occupation: [telecom.value, {path: id, assume: some-name}]",
      "with a path": "occupation: {path: id, assume: some-name}",
      "with several paths": "occupation: {path: [telecom.value, id], assume: some-name}",
      "at a value": "occupation: {value: {value: Farmer, assume: some-name}}",
      "with a value": "occupation: {value: Farmer, assume: some-name}",
      "at a default": "occupation: {path: telecom.value, default: {value: Farmer, assume: some-name}}",
      "with a default": "occupation: {path: null, default: Farmer, assume: some-name}"
    })
  ) {
    it.effect(`${what} is reported with its field`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* assumptionsOf(`visit: {patient: {${overlay}}}\n`)).reported, once)
      }))
  }

  it.effect("is not reported if another path finds the value", () =>
    Effect.gen(function*() {
      const overlay = "visit: {patient: {occupation: [id, {path: gender, assume: some-name}]}}\n"
      assert.deepStrictEqual((yield* assumptionsOf(overlay)).reported, [])
    }))

  const map = (rows: string) =>
    `conceptMap: {job: {${rows}}}\nvisit: {patient: {occupation: {path: gender, conceptMap: job}}}\n`
  for (
    const [what, rows, value, reported] of [
      ["at a row", "table: {female: {value: Farmer, assume: some-name}}", "Farmer", once],
      ["at another row", "table: {female: Farmer, male: {value: Farmer, assume: some-name}}", "Farmer", []],
      ["at a fixed value", "unmapped: {fixed: Farmer, assume: some-name}", "Farmer", once],
      ["at a policy", "table: {male: Farmer}, unmapped: {policy: provided, assume: some-name}", "female", once]
    ] as const
  ) {
    it.effect(`is reported for a code with ${what} of a concept map`, () =>
      Effect.gen(function*() {
        const result = yield* assumptionsOf(map(rows))
        assert.deepStrictEqual(result.reported, reported)
        assert.strictEqual(result.visit.patient.occupation, value)
      }))
  }

  it.effect("is reported if its condition excludes a record", () =>
    Effect.gen(function*() {
      const overlay = "visit: {diagnosis: {where: {none: {path: code.text.exists(), assume: some-name}}}}\n"
      const { reported, visit } = yield* assumptionsOf(overlay, [condition])
      assert.deepStrictEqual(reported, ["warning assumption diagnosis"])
      assert.deepStrictEqual(visit.diagnosis, [])
    }))

  it.effect("is reported for each row of its branch", () =>
    Effect.gen(function*() {
      const overlay = "visit: {diagnosis: {assume: some-name}}\n"
      assert.deepStrictEqual((yield* assumptionsOf(overlay, [condition])).reported, ["warning assumption diagnosis[0]"])
      assert.deepStrictEqual((yield* assumptionsOf(overlay)).reported, [])
    }))
})

describe("Several doubts about one value", () => {
  const both = "assumption:\n  some-name: {means: A., instead: B.}\n  other-name: {means: C., instead: D.}\n"
  const occupation = (...paths: ReadonlyArray<string>): string =>
    `${both}visit: {patient: {occupation: [${paths.join(", ")}]}}\n`
  const reportedOf = (overlay: string) =>
    visitOf([patient, encounter], overlay).pipe(Effect.map(({ assumed }) => assumed.toSorted()))

  it.effect("are all reported: accepting one does not hide the others", () =>
    Effect.gen(function*() {
      const overlay = occupation("{path: id, assume: some-name}", "{path: id, assume: other-name}", "id")
      assert.deepStrictEqual(yield* reportedOf(overlay), ["other-name", "some-name"])
      const { assumed } = yield* visitOf([patient, encounter], `${overlay}accept:\n  some-name: known\n`)
      assert.include(assumed, "other-name")
    }))

  it.effect("are not those about another value, nor those of a path that is only used otherwise", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* reportedOf(occupation("{path: id, assume: some-name}", "{path: gender, assume: other-name}")),
        ["some-name"]
      )
      assert.deepStrictEqual(
        yield* reportedOf(occupation("{path: id, assume: some-name}", "gender", "{path: id, assume: other-name}")),
        ["some-name"]
      )
    }))
})

describe("What is found once is reported by each visit that uses it", () => {
  const second = {
    ...encounter,
    id: "e2",
    period: { start: "2026-03-04T08:00:00+07:00", end: "2026-03-04T09:00:00+07:00" }
  }
  const numbered = { ...patient, identifier: [{ value: "A1" }] }
  const visitsOf = (overlay: string, ...records: ReadonlyArray<Json>) =>
    visitOf([...records, encounter, second], declared + overlay)
  const keyBy = (map: string): string =>
    `conceptMap: {number: {${map}}}\nkey: {patient: {path: "identifier.value.translated('number')"}}\n`

  it.effect("an assumption of a key", () =>
    Effect.gen(function*() {
      const { assumedByVisit, visits } = yield* visitsOf(
        keyBy("table: {A1: {value: P-1, assume: some-name}}"),
        numbered
      )
      assert.deepStrictEqual(visits.map((visit) => visit.patient_code), ["P-1", "P-1"])
      assert.deepStrictEqual(assumedByVisit, [["some-name"], ["some-name"]])
    }))

  it.effect("not the assumption of a path of a key that finds nothing", () =>
    Effect.gen(function*() {
      const { assumedByVisit } = yield* visitsOf(
        "conceptMap: {number: {table: {A1: {value: P-9, assume: some-name}}}}\n" +
          "key: {patient: {path: [\"identifier.value.translated('number').where($this = 'P-1')\", identifier.value]}}\n",
        numbered
      )
      assert.deepStrictEqual(assumedByVisit, [[], []])
    }))

  it.effect("an unmapped code of a key", () =>
    Effect.gen(function*() {
      const { reported, unmapped } = yield* visitsOf(keyBy("table: {B2: P-1}, unmapped: reject"), numbered)
      assert.include(reported, "error unmapped-code patient_code")
      assert.deepStrictEqual(unmapped.map((one) => one.split(" ").slice(0, 2).join(" ")), ["number A1"])
    }))

  it.effect("an assumption by which the grouping takes an encounter", () =>
    Effect.gen(function*() {
      const { assumedByVisit } = yield* visitsOf(
        "conceptMap: {kind_of_visit: {table: {AMB: {value: yes, assume: some-name}}}}\n" +
          "grouping: {where: {kind: \"class.translated('kind_of_visit') = 'yes'\"}}\n",
        patient
      )
      assert.deepStrictEqual(assumedByVisit, [["some-name"], ["some-name"]])
    }))
})

const accept = (rest: string): string => `accept:\n  some-name: ${rest}\n`
const farmer = "visit: {patient: {occupation: {value: Farmer, assume: some-name}}}\n"

describe("An assumption counts only for what is in the visit", () => {
  const counted = (overlay: string, more: ReadonlyArray<{ readonly resourceType: string }> = []) =>
    visitOf([patient, more.length === 0 ? encounter : ranked, ...more], declared + overlay).pipe(
      Effect.map(({ assumed }) => assumed)
    )

  it.effect("does not count for a dropped row, whose condition is reported", () =>
    Effect.gen(function*() {
      const overlay =
        "visit: {diagnosis: {diagnosis_code: {path: code.text, default: X, assume: null}, needs: [diagnosis_description], diagnosis_description: null, diagnosis_name: {value: Fever, assume: some-name}}}\n"
      const { assumed, reported, visit } = yield* visitOf([patient, ranked, condition], declared + overlay)
      assert.deepStrictEqual(visit.diagnosis, [])
      assert.deepStrictEqual(assumed, [])
      assert.isTrue(reported.some((one) => /no-value diagnosis/u.test(one)), reported.join("\n"))
    }))

  const pulse = {
    resourceType: "Observation",
    id: "o1",
    status: "final",
    subject: { reference: "Patient/p1" },
    encounter: { reference: "Encounter/e1" },
    category: [{ coding: [{ code: "vital-signs" }] }],
    code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
    effectiveDateTime: "2026-03-02T08:20:00+07:00",
    valueQuantity: { value: 80, unit: "/min", system: "http://unitsofmeasure.org", code: "/min" }
  }
  const withoutPulse = "observations: {where: {none: {path: \"false\", assume: some-name}}}"

  it.effect("counts for a dropped row, if the row around it is dropped because it has no other", () =>
    Effect.gen(function*() {
      const overlay = `visit: {vital_signs: {${withoutPulse}}}\n`
      const { assumed, reported, visit } = yield* visitOf([patient, encounter, pulse], declared + overlay)
      assert.deepStrictEqual(visit.vital_signs, [])
      assert.deepStrictEqual(assumed, ["some-name"])
      assert.include(reported, "warning assumption vital_signs.observations")
    }))

  it.effect("does not count for a dropped row, if the row around it is dropped for another reason", () =>
    Effect.gen(function*() {
      const other = { ...pulse, id: "o2", effectiveDateTime: "2026-03-02T08:30:00+07:00" }
      for (const reason of ["needs: [title], title: null", "needs: [], title: {value: Nurse}, onePer: [title]"]) {
        const late = withoutPulse.replace("\"false\"", "\"record().effective != @2026-03-02T08:20:00+07:00\"")
        const overlay = `visit: {vital_signs: {${reason}, ${late}}}\n`
        const { assumed } = yield* visitOf([patient, encounter, pulse, other], declared + overlay)
        assert.deepStrictEqual(assumed, [], reason)
      }
    }))

  it.effect("does not count for a value that ends up empty", () =>
    Effect.gen(function*() {
      const overlay =
        "conceptMap: {job: {unmapped: {policy: skip, assume: some-name}}}\nvisit: {patient: {occupation: {path: gender, conceptMap: job}}}\n"
      assert.deepStrictEqual(yield* counted(overlay), [])
    }))

  it.effect("counts once for each visit", () =>
    Effect.gen(function*() {
      const overlay =
        "visit: {patient: {occupation: {value: Farmer, assume: some-name}, phone: {value: \"1\", assume: some-name}}}\n"
      const { assumed, reported } = yield* visitOf([patient, encounter], declared + overlay)
      assert.deepStrictEqual(assumed, ["some-name"])
      assert.strictEqual(reported.filter((one) => / assumption /u.test(one)).length, 1)
    }))

  it.effect("counts in every visit of a patient", () =>
    Effect.gen(function*() {
      const second = { ...encounter, id: "e2", period: { start: "2026-04-02T08:00:00+07:00" } }
      const { assumedByVisit } = yield* visitOf([patient, encounter, second], declared + farmer)
      assert.deepStrictEqual(assumedByVisit, [["some-name"], ["some-name"]])
    }))
})

describe("An accepted assumption", () => {
  const run = (overlay: string) => visitOf([patient, encounter], declared + overlay)
  const warned = (reported: ReadonlyArray<string>): boolean => reported.some((one) => / assumption /u.test(one))

  it.effect("is counted without a report", () =>
    Effect.gen(function*() {
      const { assumed, reported } = yield* run(farmer + accept("\"agreed with the medical director, 2026-11-20\""))
      assert.deepStrictEqual([assumed, warned(reported)], [["some-name"], false])
    }))

  it.effect("is not accepted by an answer such as no, and is by a reason that begins with it", () =>
    Effect.sync(() => {
      for (
        const [why, refuses] of [
          ["no", true],
          ["No - we have the occupations", true],
          ["Non, la colonne existe", true],
          ["no, do not accept", true],
          ["not accepted", true],
          ["we don't accept this", true],
          ["?", true],
          ["\u1791\u17C1", true],
          ["TBD", true],
          ["no other occupation is recorded: the director", false],
          ["not recorded here: the director", false],
          ["Noah, 2026-11-20", false],
          ["agreed, with the director", false],
          ["open since 2020, agreed with the ward", false]
        ] as const
      ) assert.strictEqual(refusesAssumption(why), refuses, why)
    }))

  it.effect("changes neither the visit nor the hash of the mapping", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* run(farmer), yield* run(farmer + accept("why"))]
      assert.deepStrictEqual(one.visits, other.visits)
      assert.strictEqual(one.mappingHash, other.mappingHash)
    }))

  it.effect("must be accepted again only after its own line changes", () =>
    Effect.gen(function*() {
      const { hashes } = yield* run(farmer)
      const kept = accept(`{why: agreed, hash: ${JSON.stringify(hashes.get("some-name"))}}`)
      assert.isFalse(warned((yield* run(farmer + kept)).reported))
      const other = farmer.replace("occupation", "phone: {value: none}, occupation")
      assert.isFalse(warned((yield* run(other + kept)).reported))
      assert.isTrue(warned((yield* run(farmer.replace("Farmer", "Fisher") + kept)).reported))
    }))

  it.effect("is an error if the mapping declares it so", () =>
    Effect.gen(function*() {
      const level = declared.replace("Something else.", "Something else., level: error")
      const { reported } = yield* visitOf([patient, encounter], level + farmer)
      assert.deepStrictEqual(reported.filter((one) => / assumption /u.test(one)), [
        "error assumption patient.occupation"
      ])
    }))
})
