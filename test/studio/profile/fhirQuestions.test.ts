import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { begun, type Json, sample } from "./begun.ts"
import { type } from "./drafted.ts"
import { codedInIcd10, hospital, ndjson } from "./hospital.ts"

describe("Questions of init about FHIR records", () => {
  it.effect("asks which encounters took place, with each state, its count and whether it is sent", () =>
    Effect.gen(function*() {
      const statuses = ["finished", "cancelled", "finished", "planned", "finished", "in-progress"]
      const { text, visits, words } = yield* begun(sample((_, at) => ({ status: statuses[at] }), 6))
      const question = /by `Encounter\.status`\? {2}sent: finished 3, in-progress 1; not sent: cancelled 1, planned 1/u
      assert.match(words, question)
      assert.match(text, question)
      assert.include(parse(text).grouping.where.status, "status = '")
      assert.lengthOf(visits, 4)
      const going = yield* begun(sample((_, at) => ({ status: at === 0 ? "in-progress" : "finished" })))
      assert.notInclude(going.words, "Encounter.status")
    }))

  it.effect("asks which records of a section should be sent", () =>
    Effect.gen(function*() {
      const records = hospital(4).map((record, at) =>
        record["resourceType"] === "Observation" && at > 8 ? { ...record, status: "cancelled" } : record
      )
      const { words } = yield* begun(records)
      assert.match(words, /QUESTION .* by `Observation\.status`\? {2}sent: final \d; not sent: cancelled \d/u)
    }))

  it.effect("does not take the status of a record for that of another: studies without a report are sent", () =>
    Effect.gen(function*() {
      const study = {
        resourceType: "ImagingStudy",
        id: "study",
        status: "available",
        subject: { reference: "Patient/p1" },
        encounter: { reference: "Encounter/e1" },
        started: "2026-03-01T08:30:00+07:00",
        modality: [{ code: "XR" }],
        description: "Chest",
        series: [{ uid: "1", modality: { code: "XR" } }]
      }
      const { visits, words } = yield* begun([...sample(() => ({})), study])
      assert.notInclude(words, "ImagingStudy.status")
      assert.lengthOf(visits.flatMap(({ imageries }) => imageries), 1)
      const other = yield* begun([...sample(() => ({})), { ...study, status: "cancelled" }])
      assert.match(other.words, /by `ImagingStudy\.status`\? {2}not sent: cancelled 1/u)
    }))

  it.effect("asks whether claims or charges are the bills, if there are no invoices", () =>
    Effect.gen(function*() {
      const about = { subject: { reference: "Patient/p1" }, status: "billable", code: { text: "Bed" } }
      const context = { reference: "Encounter/e1" }
      const charges = [1, 2].map((at) => ({
        resourceType: "ChargeItem",
        id: `charge${at}`,
        ...about,
        context,
        priceOverride: { value: 5, currency: "USD" }
      }))
      const own = sample(() => ({})).filter(({ resourceType }) => resourceType !== "Invoice")
      const { text, visits, words } = yield* begun([...own, ...charges])
      assert.match(words, /QUESTION there are no invoices \(Invoice\): .* They are not sent: {2}ChargeItem 2/u)
      assert.include(text, "visit: {invoices: {unionAll: {charge: {enabled: true}}}}")
      assert.deepStrictEqual(visits.flatMap(({ invoices }) => invoices), [])
      const invoice = { resourceType: "Invoice", id: "i1", status: "issued", subject: { reference: "Patient/p1" } }
      const other = yield* begun([...own, ...charges, invoice])
      assert.notInclude(other.words, "there are no invoices")
    }))

  it.effect("keeps the paths of the base mapping if no condition of the sample has a code of ICD-10", () =>
    Effect.gen(function*() {
      const { text } = yield* begun(
        hospital(4).map((record) =>
          record["resourceType"] === "Condition"
            ? { ...record, code: { coding: [{ system: "http://hospital.example/codes", code: "D1" }] } }
            : record
        )
      )
      assert.deepStrictEqual(parse(text).visit.diagnosis.diagnosis_code, {
        after: ["code.translated('diagnosis_code')"]
      })
    }))

  it.effect("asks whether an end on a day without a time is the end of the day", () =>
    Effect.gen(function*() {
      const { visits, words } = yield* begun(
        sample((_, at) => ({
          period: { start: `2026-03-0${at + 1}T08:00:00+07:00`, end: `2026-03-0${at + 1}` }
        }))
      )
      assert.match(words, /4 of 4 encounters end on a day without a time: is the end of that day right\?/u)
      assert.lengthOf(visits, 4)
      assert.match(visits[0].discharged_at, /^2026-03-01T23:59:59/u)
    }))

  it.effect("asks whether the beginning replaces a missing end, in every list of encounters", () =>
    Effect.gen(function*() {
      const { visits, words } = yield* begun(
        sample((_, at) => ({ period: { start: `2026-03-0${at + 1}T08:00:00+07:00` } }))
      )
      assert.include(words, "QUESTION do you accept `beginning-is-end`?")
      assert.lengthOf(visits, 4)
      assert.strictEqual(visits[0].discharged_at, visits[0].admitted_at)
    }))

  it.effect("asks whether several hospitals are this facility", () =>
    Effect.gen(function*() {
      const { words } = yield* begun(
        sample(
          (_, at) => ({ serviceProvider: { reference: `Organization/${at < 4 ? "a" : "b"}`, display: "North" } }),
          6
        )
      )
      assert.match(words, /QUESTION 2 organizations provide the encounters .*North 4, 1 other/u)
      const one = yield* begun(sample(() => ({ serviceProvider: { reference: "Organization/a" } })))
      assert.notInclude(one.words, "organizations")
    }))

  it.effect("counts a patient with several versions once", () =>
    Effect.gen(function*() {
      const records = sample(() => ({}))
      const patient = present(records.find((record) => record["resourceType"] === "Patient"))
      const versions = ["1970-01-02", "1970-01-03", "1970-01-04"].map((birthDate) => ({ ...patient, birthDate }))
      const { text } = yield* begun([...records, ...versions])
      assert.match(text, /QUESTION is this the patient code .*4 of 4 patients have one/u)
    }))

  it.effect("counts only the newest version of each record, whatever the order, and shows the number of older ones", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [older, old, newest] = ["2026-01-01", "2026-02-01", "2026-03-01"].map((day, at) => ({
        resourceType: "Encounter",
        id: "e",
        meta: { lastUpdated: `${day}T00:00:00Z` },
        status: ["planned", "in-progress", "finished"][at],
        ...(at === 0 ? { priority: { text: "x" } } : {})
      }))
      const texts = []
      for (
        const [at, records] of [[older, newest, old, newest], [newest, old, newest, older], [
          old,
          older,
          newest,
          newest
        ]].entries()
      ) {
        written(folder, { [`${at}.ndjson`]: ndjson(records.map(present)) })
        const { stdout } = yield* type("profile", join(folder, `${at}.ndjson`))
        texts.push(stdout)
      }
      assert.include(
        texts[0],
        "4 records in 1 file      1 of them a copy      2 older versions of a record, not counted below\n  1  Encounter\n"
      )
      assert.match(present(texts[0]), /Encounter\.status\n.*1 code\n +1 × +finished\n/u)
      assert.notInclude(texts[0], "priority")
      assert.deepStrictEqual(new Set(texts).size, 1)
    }))

  it.effect("asks which identifier is the patient code, with its evidence; the first case passes with another answer", () =>
    Effect.gen(function*() {
      const { made, text } = yield* begun(sample(() => ({})))
      assert.match(
        text,
        /QUESTION is this the patient code .*4 of 4 patients have one, once each, of type MR, all different\. Others: `http:\/\/our-hospital\.example\/card`/u
      )
      const file = join(made, "mapping.yaml")
      writeFileSync(
        file,
        text.replace(/(patient_code_system: ).*/u, "$1\"http://our-hospital.example/card\"")
      )
      const test = yield* type("mapping", "test", "--facility", made)
      assert.strictEqual(test.code, 0, test.stdout)
    }))

  it.effect("proposes one kind of identifiers without a system as the patient code, and no number of another kind", () =>
    Effect.gen(function*() {
      const number = (code: string, value: string) => ({ type: { coding: [{ code }] }, value })
      const records = sample(() => ({})).map((record) =>
        record["resourceType"] === "Patient"
          ? {
            ...record,
            identifier: [
              number("NID", `100-${record["id"]}`),
              ...(record["id"] === "p4" ? [] : [number("MR", `M-${record["id"]}`)])
            ]
          }
          : record
      )
      const { text, visits, words } = yield* begun(records)
      assert.match(
        words,
        /QUESTION is this identifier without a system the patient code\? {2}3 of 4 patients have one, once each, of type MR, all different\. Others: 4 of 4 patients have one, once each, of type NID/u
      )
      assert.include(text, "type.hasCode('MR')")
      assert.deepStrictEqual(visits.map((visit) => visit.patient_code).toSorted(), ["M-p1", "M-p2", "M-p3"])
    }))

  it.effect("asks whether each assumption of the draft is accepted", () =>
    Effect.gen(function*() {
      const { made, text, words } = yield* begun(sample(() => ({})))
      const names = Object.keys(parse(text).assumption)
      assert.includeMembers(names, ["patient-code-is-spid", "address-code-is-no-place"])
      for (const name of names) assert.include(words, `QUESTION do you accept \`${name}\``)
      writeFileSync(
        join(made, "assumptions.yaml"),
        `accept: {${names.map((name) => `${name}: "agreed"`).join(", ")}}\n`
      )
      const check = yield* type("mapping", "check", "--strict", "--facility", made)
      assert.strictEqual(check.code, 0, check.stdout + check.stderr)
    }))
})

describe("Drafts of init for records that refer to no encounter", () => {
  const procedure = (at: number, day: string): Json => ({
    resourceType: "ServiceRequest",
    id: `s${at}`,
    status: "completed",
    intent: "order",
    code: { text: "x" },
    subject: { reference: `Patient/p${at}` },
    authoredOn: `${day}T08:30:00+07:00`
  })

  it.effect("opens a window only if it places a record", () =>
    Effect.gen(function*() {
      const others = hospital(4)
      const orders = (report: Json): Json => ({ ...report, resourceType: "DiagnosticReport", status: "final" })
      const within = yield* begun([
        ...others,
        ...[1, 2, 3].map((at) => orders({ ...procedure(at, `2026-03-0${at}`), effectiveDateTime: `2026-03-0${at}` }))
      ])
      assert.deepStrictEqual(parse(within.text).grouping?.window?.DiagnosticReport, { enabled: true })
      const before = yield* begun([
        ...others,
        ...[1, 2, 3].map((at) => orders({ ...procedure(at, "2019-01-01"), effectiveDateTime: "2019-01-01" }))
      ])
      assert.isUndefined(parse(before.text).grouping?.window)
      assert.include(before.text, "a window would place none")
    }))

  it.effect("counts only records that a window places: not those of two visits of a day, or between them", () =>
    Effect.gen(function*() {
      const [, encounter] = hospital(1)
      const second = {
        ...encounter,
        id: "second",
        identifier: [],
        period: { start: "2026-03-01T10:00:00+07:00", end: "2026-03-01T11:00:00+07:00" }
      }
      const invoices = ["2026-03-01", "2026-03-01T09:30:00+07:00", "2026-03-01T10:30:00+07:00"].map((date, at) => ({
        resourceType: "Invoice",
        id: `i${at}`,
        status: "balanced",
        subject: { reference: "Patient/p1" },
        date
      }))
      const { text } = yield* begun([...codedInIcd10(hospital(4)), second, ...invoices])
      assert.include(
        text,
        "3 of 3 Invoice records reach no encounter, and none names one: 1 is placed by patient and time"
      )
    }))

  it.effect("follows links between orders, and asks about records that a note lists", () =>
    Effect.gen(function*() {
      const { text, words } = yield* begun([
        ...hospital(4),
        {
          ...procedure(1, "2019-01-01"),
          resourceType: "ServiceRequest",
          id: "follows",
          intent: "order",
          basedOn: [{ reference: "ServiceRequest/ordered" }]
        },
        { ...procedure(1, "2026-03-01"), id: "ordered", encounter: { reference: "Encounter/e1" } },
        { resourceType: "Condition", id: "listed", subject: { reference: "Patient/p1" }, code: { text: "x" } },
        {
          resourceType: "Composition",
          id: "note",
          status: "final",
          encounter: { reference: "Encounter/e1" },
          section: [{ entry: [{ reference: "Condition/listed" }] }]
        }
      ])
      const { link } = parse(text).grouping
      assert.include(link.ServiceRequest, "basedOn.resolve().encounter")
      assert.isUndefined(link.Condition)
      assert.include(
        words,
        "QUESTION do Condition records that refer to no encounter belong to the visit that lists them?"
      )
    }))

  const charge = (at: number): Json => ({
    resourceType: "ChargeItem",
    id: `charge${at}`,
    status: "billed",
    code: { text: "x" },
    subject: { reference: `Patient/p${at}` },
    context: { reference: `Encounter/e${at}` }
  })

  it.effect("proposes no link that the base mapping follows: an invoice to its charges, or to its account", () =>
    Effect.gen(function*() {
      const invoice = (at: number): Json => ({
        resourceType: "Invoice",
        id: `i${at}`,
        status: "balanced",
        subject: { reference: `Patient/p${at}` },
        date: `2026-03-0${at}T08:30:00+07:00`
      })
      const { text, visits } = yield* begun([
        ...codedInIcd10(hospital(4)),
        charge(1),
        {
          resourceType: "Account",
          id: "account",
          status: "active",
          extension: [{
            url: "https://fhir2visit.example/fhir/StructureDefinition/encounter",
            valueReference: { reference: "Encounter/e2", type: "Encounter" }
          }]
        },
        { ...invoice(1), lineItem: [{ chargeItemReference: { reference: "ChargeItem/charge1" } }] },
        { ...invoice(2), account: { reference: "Account/account" } }
      ])
      assert.isUndefined(parse(text).grouping?.link)
      assert.lengthOf(visits[0].invoices, 1)
    }))

  it.effect("follows a record to the element by which the other refers to its encounter", () =>
    Effect.gen(function*() {
      const given = (id: string): Json => ({
        resourceType: "MedicationAdministration",
        id,
        status: "completed",
        subject: { reference: "Patient/p1" }
      })
      const { text } = yield* begun([
        ...hospital(4),
        { ...given("whole"), context: { reference: "Encounter/e1" } },
        { ...given("part"), partOf: [{ reference: "MedicationAdministration/whole" }] }
      ])
      const { MedicationAdministration: link } = parse(text).grouping.link
      assert.deepStrictEqual(link, ["context", "request.resolve().encounter", "partOf.resolve().context"])
    }))

  it.effect("follows a report to its results", () =>
    Effect.gen(function*() {
      const { text } = yield* begun([
        ...hospital(4),
        {
          ...procedure(1, "2026-03-01"),
          resourceType: "DiagnosticReport",
          id: "report",
          status: "final",
          result: [{ reference: "Observation/result" }]
        },
        {
          ...procedure(1, "2026-03-01"),
          resourceType: "Observation",
          id: "result",
          status: "final",
          encounter: { reference: "Encounter/e1" }
        }
      ])
      assert.include(parse(text).grouping.link.DiagnosticReport, "result.resolve().encounter")
    }))

  it.effect("lists all elements that no line reads, except names that may be about a person", () =>
    Effect.gen(function*() {
      const { text, words } = yield* begun([
        ...hospital(4).map((record) =>
          record["resourceType"] === "Encounter"
            ? { ...record, length: { value: 3 }, [`Zanzibar${record["id"]}`]: "x" }
            : record
        ),
        { resourceType: "Goal", id: "g", subject: { reference: "Patient/p1" } }
      ])
      assert.match(words, /\d+ elements and \d+ types? that no line reads/u)
      assert.match(text, /# - Encounter: .*length 4.*\d that are not named here/u)
      assert.match(text, /# - in no visit: .*Goal 1/u)
      assert.notInclude(text, "Zanzibar")
    }))

  it.effect("lists medicines whose codes are not of the service's system", () =>
    Effect.gen(function*() {
      const { made, words } = yield* begun([
        ...codedInIcd10(hospital(4)),
        ...[1, 2, 3, 4].map((at) => ({
          ...procedure(at, `2026-03-0${at}`),
          resourceType: "MedicationRequest",
          status: "active",
          encounter: { reference: `Encounter/e${at}` },
          medicationCodeableConcept: {
            coding: [{
              system: "http://www.nlm.nih.gov/research/umls/rxnorm",
              code: "314076",
              display: "Lisinopril 10 MG"
            }]
          }
        }))
      ])
      assert.include(words, "what are these codes of medicines at the service?")
      assert.include(readFileSync(join(made, "tables/medicine_code.csv"), "utf8"), "314076,Lisinopril 10 MG")
    }))

  it.effect("asks whether an unknown class is a stay, and recognizes words of other languages", () =>
    Effect.gen(function*() {
      const classes = ["stationaer", "K7", "notfall"]
      const { text, visits, words } = yield* begun(
        sample((_, at) => ({ class: { system: "http://our-hospital.example/class", code: classes[at % 3] } }), 9)
      )
      assert.deepStrictEqual(parse(text).conceptMap.encounter_kind.table, {
        stationaer: "inpatient",
        K7: "outpatient",
        notfall: "emergency"
      })
      assert.match(text, /# 3 encounters; the data does not show whether they stayed: verify it\n +K7: OPD/u)
      assert.match(words, /QUESTION are the lines with "verify it" right\? {2}conceptMap.visit_type 1/u)
      assert.strictEqual(visits.filter(({ visit_type }) => visit_type === "IPD").length, 3)
    }))

  it.effect("asks what codes of another system are in ICD-10, and sends the ICD-10 codes next to them", () =>
    Effect.gen(function*() {
      const records = codedInIcd10(hospital(8)).map((record, at) =>
        record["resourceType"] === "Condition" && at % 2 === 0
          ? { ...record, code: { coding: [{ system: "http://our-hospital.example/dx", code: "X1" }] } }
          : record
      )
      const { visits, words } = yield* begun(records)
      assert.match(words, /QUESTION what are these diagnoses in ICD-10\?.* {2}X1 4/u)
      assert.lengthOf(visits.filter(({ diagnosis }) => diagnosis[0].diagnosis_code === "A90"), 4)
    }))

  it.effect("asks about conditions of a category that only the hospital knows, and names the line that sends them", () =>
    Effect.gen(function*() {
      const own = { coding: [{ system: "http://our-hospital.example/category", code: "DX" }] }
      const known = { coding: [{ code: "problem-list-item" }] }
      const records = (...categories: ReadonlyArray<unknown>) =>
        codedInIcd10(hospital(8)).map((record) =>
          record["resourceType"] === "Condition" ? { ...record, category: categories } : record
        )
      const { text, words } = yield* begun(records(own))
      assert.match(
        words,
        /QUESTION are conditions of these categories diagnoses of the visit\? They are sent as diagnoses only if an encounter lists them: {2}DX 8/u
      )
      assert.match(text, /constant: \{diagnosis_categories: "encounter-diagnosis .* CODE"\}/u)
      for (const some of [[known, own], [known], []]) {
        assert.notInclude((yield* begun(records(...some))).words, "conditions of these categories")
      }
    }))

  it.effect("counts no problems among the diagnoses without a code of ICD-10, and sends no question about them", () =>
    Effect.gen(function*() {
      const records = codedInIcd10(hospital(8)).map((record, at) =>
        record["resourceType"] === "Condition" && at % 2 === 0
          ? { ...record, category: [{ coding: [{ code: "problem-list-item" }] }], code: { text: "Asthma" } }
          : record
      )
      const { words } = yield* begun(records)
      assert.notInclude(words, "in ICD-10?")
    }))

  it.effect("asks when encounters of an unknown status ended, if they have no end", () =>
    Effect.gen(function*() {
      const period = { start: "2026-03-02T08:00:00+07:00" }
      const { text, words } = yield* begun(sample(() => ({ status: "unknown", period }), 4))
      assert.include(words, "4 of 4 encounters have the status unknown and no end: when did they end?")
      assert.notInclude(text, "they are ready when they have ended")
    }))

  it.effect("asks to verify measurements that were found by their words, and names the hospital by the encounter's reference", () =>
    Effect.gen(function*() {
      const records = sample((_, at) => ({ serviceProvider: { display: `Hospital ${at % 2}` } }), 8).flatMap((record) =>
        record["resourceType"] === "Observation"
          ? [
            { ...record, code: { text: "Temperatur" } },
            {
              ...record,
              id: `${record["id"]}w`,
              code: { text: "Gewicht" },
              valueQuantity: { value: 61, unit: "kg", system: "http://unitsofmeasure.org", code: "kg" }
            }
          ]
          : [record]
      )
      const { text, visits } = yield* begun(records)
      assert.strictEqual(parse(text).conceptMap.vital_name.table.Temperatur, "Temperature")
      assert.match(text, /# 8 measurements; found by its name: verify it\n +Temperatur:/u)
      assert.include(text, "serviceProvider.display = 'Hospital 0'")
      assert.deepStrictEqual(new Set(visits.map(({ triages }) => triages[0].weight)), new Set([61]))
    }))
})
