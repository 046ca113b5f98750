import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isEmergency, sideOf } from "../../../src/studio/profile/tables/columns/guessColumn.ts"
import { meaningOfState } from "../../../src/studio/profile/tables/words/statusWords.ts"
import { initialized, rowsUnder } from "./drafted.ts"

const begun = (files: Readonly<Record<string, string>>) => initialized(files, { timezone: "Africa/Nairobi" })

const states = ["Completed", "No-show", "Cancelled", "Scheduled"]

const clinic = {
  "patients.csv": rowsUnder(
    "patient_id,first_name,last_name,gender,date_of_birth",
    40,
    (at) => `P${at},Ann${at},Sample${at},${"MF"[at % 2]},19${50 + at}-03-2${at % 9}`
  ),
  "appointments.csv": rowsUnder(
    "appointment_id,patient_id,appointment_date,appointment_time,reason_for_visit,status,discharge_type",
    120,
    (at) =>
      `A${at},P${at % 40},2025-05-${String(1 + (at % 28)).padStart(2, "0")},0${8 + (at % 2)}:30,Checkup,${
        states[at % 4]
      },${["home", "ama", "q7"][at % 3]}`
  ),
  "conditions.csv": rowsUnder(
    "condition_id,appointment_id,condition_code,condition_name,status",
    60,
    (at) =>
      `C${String(at).padStart(5, "0")},A${at * 2},${["A09", "J06.9", "I10"][at % 3]},Illness,${
        ["active", "refuted"][(at >> 1) % 2]
      }`
  ),
  "medications.csv": rowsUnder(
    "medication_id,appointment_id,drug_code,drug_name,days,prescribed_at",
    60,
    (at) => `M${String(at).padStart(5, "0")},A${at * 2},${["AMX", "ORS"][at % 2]},Medicine,3,2025-05-01 10:00`
  )
}

const wards = (end: string) => ({
  "person.csv": rowsUnder("pid,name,sex,born", 20, (at) => `P${at},Sample ${at},${"MF"[at % 2]},19${60 + at}-01-22`),
  "attendance.csv": rowsUnder(
    `att_no,pid,kind,start,${end}`,
    21,
    (at) => `A${at},P${at},${["OPD", "IPD"][at % 2]},2026-02-10 08:00,2026-02-10 10:00`
  ),
  "dx.csv": rowsUnder(
    "att_no,icd,main",
    40,
    (at) => `A${at % 20},${["A90", "J18.9", "XX1"][at % 3]},${at < 20 ? "N" : "Y"}`
  ),
  "lab.csv": rowsUnder(
    "att_no,test,result,unit,taken",
    20,
    (at) => `A${at},HB,${at === 1 ? "pending" : "11.2"},g/dL,2026-02-10 09:00`
  )
})

describe("Drafts of init for tables", () => {
  it.effect("reads another word for the end, drops pending results, and reports each error of a visit once", () =>
    Effect.gen(function*() {
      const { mapping, told, visits } = yield* begun(wards("finish"))
      assert.strictEqual(mapping.table.visit.column.discharged_at.from, "finish")
      assert.deepStrictEqual(visits.map(({ laboratories }) => laboratories.length).slice(0, 2), [0, 1])
      assert.deepStrictEqual(visits[0].diagnosis.map((one: Record<string, unknown>) => one["diagnosis_type_name"]), [
        "Secondary",
        "Primary"
      ])
      assert.include(told, "not used: 13 dx, 1 lab")
      assert.match(told, /13 × {2}unmapped-code +13 visits/u)
      assert.include(told, "no-patient")
      assert.notInclude(told, "missing-content")
      assert.notInclude(told, "required-field")
    }).pipe(Effect.scoped))

  it.effect("reads abbreviated Spanish headers, and a day and a time of the end in two columns", () =>
    Effect.gen(function*() {
      const { visits } = yield* begun({
        "TB_PAC.csv": rowsUnder(
          "NRO_HC;NOM;APE;SX;F_NAC",
          20,
          (at) => `HC${at};Ana;Ejemplo${at};${"MF"[at % 2]};02/0${1 + at % 9}/1960`
        ),
        "TB_ATENCION.csv": rowsUnder(
          "NRO_ATEN;NRO_HC;TIPO_ATEN;F_INGRESO;HORA_ING;F_EGRESO;HORA_EGR",
          20,
          (at) => `${5000 + at};HC${at};CONSULTA;2${at % 9}/03/2026;08:15;2${at % 9}/03/2026;11:40`
        )
      })
      assert.strictEqual(visits.length, 20)
      assert.deepStrictEqual(
        [visits[0].patient.surname, visits[0].patient.name, visits[0].discharged_at],
        ["Ejemplo0", "Ana", "2026-03-20T11:40:00.000+03:00"]
      )
    }).pipe(Effect.scoped))

  it.effect("joins each day with the time that has its name, and asks which day is the end", () =>
    Effect.gen(function*() {
      const people = rowsUnder(
        "HospNo,LastName,FirstName,Gender,DOB,RegDate,ProvCode",
        8,
        (at) => `K${at},Sample${at},Ann,${"MF"[at % 2]},1${1 + at}/02/19${60 + at},0${1 + at}/03/2020,12`
      )
      const stays = (end: string) =>
        rowsUnder(
          `VisitNo,HospNo,Kind,InDate,InTime,${end},OutTime`,
          8,
          (at) => `V${at},K${at},IPD,0${1 + at}/03/2026,23:10,1${1 + at}/03/2026,01:20`
        )
      const withEnd = yield* begun({ "patients.csv": people, "visits.csv": stays("OutDate") })
      assert.deepStrictEqual(
        withEnd.visits.slice(0, 1).map((
          one
        ) => [one.admitted_at, one.discharged_at, one.patient.address.province.code]),
        [["2026-03-01T23:10:00.000+03:00", "2026-03-11T01:20:00.000+03:00", "12"]]
      )
      assert.notInclude(withEnd.text, "patient-created-at-first-visit")
      const withoutName = yield* begun({ "patients.csv": people, "visits.csv": stays("LastDay") })
      assert.include(withoutName.text, "QUESTION which column is the end of the visit?")
      assert.strictEqual(withoutName.mapping.table.visit.column.discharged_at, undefined)
      const none = yield* begun({
        "patients.csv": people,
        "visits.csv": stays("LastDay").replaceAll(/,LastDay|,1\d\/03\/2026/gu, "")
      })
      assert.include(none.text, "no column has the day of the end: that of the beginning is used: verify it")
      assert.deepStrictEqual(none.mapping.table.visit.column.discharged_at.from, ["InDate", "OutTime"])
      const onlyEnd = yield* begun({
        "patients.csv": people,
        "visits.csv": stays("LastDay").replaceAll(/,InTime|,23:10/gu, "")
      })
      assert.strictEqual(onlyEnd.mapping.table.visit.column.admitted_at.from, "InDate")
      const samples = rowsUnder(
        "SampleNo,VisitNo,Test,Result,OrderDate,SampleTime",
        8,
        (at) => `S${at},V${at},Glucose,5.${at},0${1 + at}/03/2026,23:30`
      )
      const other = yield* begun({ "patients.csv": people, "visits.csv": stays("OutDate"), "labs.csv": samples })
      assert.include(other.text, "its time of day is in a column of another name: verify it")
    }).pipe(Effect.scoped))

  it.effect("reads whether a line is paid in the words of its column", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* begun({
        "patients.csv": rowsUnder("HN,Last,First,Sex,DOB", 8, (at) => `K${at},Sample${at},Ann,F,1${1 + at}/02/1960`),
        "visits.csv": rowsUnder(
          "VN,HN,Type,Start,End",
          8,
          (at) => `V${at},K${at},OPD,2026-03-0${1 + at} 08:10,2026-03-0${1 + at} 09:20`
        ),
        "bills.csv": rowsUnder("BillNo,VN,Item,Qty,Price,Amount,Paid", 24, (at) =>
          `B${at},V${at % 8},Consultation,1,5.50,5.50,${at % 8 === 0 ? "N" : "Y"}`)
      })
      assert.deepStrictEqual(mapping.table.bills.column.paid, { type: "boolean", true: ["Y"], false: ["N"] })
      assert.deepStrictEqual(
        visits.slice(0, 2).map(({ invoices }) =>
          invoices[0].services.map((one: Record<string, unknown>) =>
            one["paid"]
          )[0]
        ),
        [false, true]
      )
    }).pipe(Effect.scoped))

  it.effect("finds the key of patients and visits although a row repeats it, and reports the row", () =>
    Effect.gen(function*() {
      const people = rowsUnder(
        "HospNo,LastName,FirstName,Gender,DOB",
        8,
        (at) => `K${at % 7},Sample${at % 7},Ann,${"MF"[at % 7 % 2]},1${1 + at % 7}/02/19${60 + at % 7}`
      )
      const visits = rowsUnder(
        "VisitNo,HospNo,Kind,Start,End",
        8,
        (at) => `V${at},K${at % 7},OPD,2026-03-0${1 + at} 08:10,2026-03-0${1 + at} 09:20`
      )
      // A visit has several rows of measurements, so its number is no key of theirs.
      const vitals = rowsUnder("VisitNo,Pulse", 9, (at) => `V${at % 8},7${at}`)
      const { mapping, text, visits: made } = yield* begun({
        "patients.csv": people,
        "visits.csv": visits + "V0,K0,OPD,2026-03-01 08:10,2026-03-01 09:20\n",
        "vitals.csv": vitals
      })
      assert.strictEqual(made.length, 8)
      assert.include(text, "1 row of `visits.csv` has no value in the key `VisitNo`, or that of another row")
      assert.include(text, "1 row of `patients.csv` has no value in the key `HospNo`, or that of another row")
      assert.strictEqual(mapping.table.vitals.key, undefined)
    }).pipe(Effect.scoped))

  it.effect("asks about years of two digits, and sends a birth after the visit as a century earlier", () =>
    Effect.gen(function*() {
      const files = wards("finish")
      const birthsOf = (visits: ReadonlyArray<{ readonly patient: { readonly birthdate: string } }>) =>
        visits.map(({ patient }) => patient.birthdate)
      const full = yield* begun(files)
      const short = yield* begun({
        ...files,
        "person.csv": files["person.csv"].replaceAll(/19(\d\d)-01-22/gu, "22/01/$1")
      })
      assert.strictEqual(short.mapping.visit.patient.birthdate[0].assume, "year-has-two-digits")
      assert.isTrue(birthsOf(full.visits).some((birth) => birth < "1969"))
      assert.deepStrictEqual(birthsOf(short.visits), birthsOf(full.visits))
    }).pipe(Effect.scoped))

  it.effect("asks about times that no line reads", () =>
    Effect.gen(function*() {
      const files = wards("tm2")
      const lab = files["lab.csv"].replaceAll("\n", ",2026-02-10 09:30\n").replace("2026-02-10 09:30", "tm3")
      const { text, words } = yield* begun({ ...files, "lab.csv": lab })
      assert.include(text, "QUESTION which column is the end of the visit?")
      assert.include(words, "QUESTION which times are `lab.tm3`?")
    }).pipe(Effect.scoped))

  it.effect("never reads row numbers as codes", () =>
    Effect.gen(function*() {
      const { mapping } = yield* begun(clinic)
      assert.strictEqual(mapping.visit.diagnosis.diagnosis_code, "condition_code")
      assert.deepStrictEqual(mapping.visit.prescriptions.medications.code.path, ["drug_code", "drug_name"])
      const { "conditions.csv": conditions, ...others } = clinic
      const without = yield* begun({
        ...others,
        "conditions.csv": conditions.replaceAll(/^([^,]*),([^,]*),[^,]*,/gmu, "$1,$2,")
      })
      assert.isUndefined(without.mapping.visit.diagnosis)
      assert.include(without.text, "rows of `conditions`")
    }))

  it.effect("drafts a condition on a status column as a question, with its values and counts", () =>
    Effect.gen(function*() {
      const { mapping, text, visits, words } = yield* begun(clinic)
      assert.strictEqual(
        mapping.grouping.where.state,
        "iif(status.empty(), '(empty)', status).translated('visit_status').translated('yes_or_no') = 'yes'"
      )
      assert.deepInclude(mapping.conceptMap.visit_status, { unmapped: "reject" })
      assert.deepInclude(mapping.conceptMap.visit_status.table, { Cancelled: "no", Completed: "yes" })
      assert.match(text, /# QUESTION which of these are visits that took place\? {2}Cancelled 30, Completed 30/u)
      assert.match(words, /QUESTION which rows of `visit` took place, by `status`\?/u)
      assert.strictEqual(visits.length, 30)
      assert.isTrue(visits.every(({ code }) => Number(code.slice(1)) % 4 === 0))
      assert.strictEqual(
        mapping.visit.diagnosis.where.state.path,
        "status.empty() or status.translated('conditions_status').translated('yes_or_no') = 'yes'"
      )
      assert.strictEqual(mapping.conceptMap.conditions_status.table.active, "yes")
      assert.deepStrictEqual(
        [...new Set(visits.flatMap(({ diagnosis }) => diagnosis.length))].toSorted(),
        [0, 1]
      )
    }))

  it.effect("drafts a concept map for each coded column, and asks about unknown codes", () =>
    Effect.gen(function*() {
      const { mapping, visits, words } = yield* begun(clinic)
      assert.deepInclude(mapping.conceptMap.discharge_type.table, { home: "Authorized", ama: "Unauthorized" })
      assert.match(
        words,
        /QUESTION what do codes of `discharge_type` mean\? Fill in tables\/discharge_type.csv: {2}q7 40/u
      )
      assert.deepStrictEqual(
        new Set(visits.map(({ discharge_type }) => discharge_type)),
        new Set(["Authorized", "Unauthorized", null])
      )
    }))

  it.effect("sends transferred patients and asks about them; asks which of several hospitals this is", () =>
    Effect.gen(function*() {
      const { "appointments.csv": appointments, ...others } = clinic
      const { visits, words } = yield* begun({
        ...others,
        "appointments.csv": appointments.replaceAll("No-show", "Transferred")
          .split("\n").map((
            line,
            at
          ) => (line === "" ? "" : `${line},${at === 0 ? "hospital" : `Hospital ${"AB"[at % 2]}`}`))
          .join("\n")
      })
      assert.lengthOf(visits, 60)
      assert.match(words, /QUESTION which rows of `visit` took place, by `status`\? .*Transferred 30/u)
      assert.match(words, /QUESTION rows of `visit` are of 2 hospitals, by `hospital`: .*Hospital A 60, Hospital B 60/u)
    }))

  it("distinguishes visits that took place from others by their status, in several languages", () => {
    const all = {
      "took-place": [
        "Completed",
        "DONE",
        "Terminé",
        "Realizada",
        "Selesai",
        "Hoàn thành",
        "checked-out",
        "Abgeschlossen"
      ],
      "did-not": [
        "No-show",
        "no show",
        "Cancelled",
        "CANCELED",
        "Annulé",
        "Scheduled",
        "pending",
        "Ne pas honoré: absent",
        "Cancelada",
        "Hủy",
        "ยกเลิก"
      ],
      unclear: ["1", "A", "active"]
    } as const
    for (const [meaning, values] of Object.entries(all)) {
      for (const value of values) {
        assert.strictEqual(meaningOfState(value), meaning, value)
      }
    }
    // A confirmed appointment is still to come; a confirmed diagnosis is one.
    assert.strictEqual(meaningOfState("Confirmed"), "did-not")
    assert.strictEqual(meaningOfState("Confirmed", "entry"), "took-place")
    assert.strictEqual(meaningOfState("ruled out", "entry"), "did-not")
  })

  it("recognizes stays by words with accents", () => {
    for (const word of ["Hospitalisé", "Internação", "Nội trú", "stationär"]) {
      assert.strictEqual(sideOf(word)?.[0], "IPD")
    }
    assert.isTrue(["Urgência", "cấp cứu", "Notfall"].every(isEmergency))
  })
})

describe("Diagnoses in another code system", () => {
  it.effect("are translated by a concept map that rejects unmapped codes", () =>
    Effect.gen(function*() {
      const { mapping, visits, words } = yield* begun({
        "patients.csv": clinic["patients.csv"],
        "appointments.csv": clinic["appointments.csv"],
        "diagnoses.csv": rowsUnder(
          "appointment_id,snomed_code,description",
          60,
          (at) => `A${at * 2},${["99000001", "99000002"][at % 2]},${["Pharyngitis", "Hypertension"][at % 2]}`
        )
      })
      assert.deepStrictEqual(mapping.visit.diagnosis.diagnosis_code, {
        path: "snomed_code",
        conceptMap: "diagnosis_code"
      })
      assert.strictEqual(mapping.conceptMap.diagnosis_code.unmapped, "reject")
      assert.match(words, /QUESTION what are codes of `\w+\.snomed_code` in ICD-10\?/u)
      assert.isTrue(visits.every(({ diagnosis }) => diagnosis.length === 0))
    }))

  it.effect("are translated next to ICD-10 codes, which are sent unchanged; excluded diagnoses are not sent", () =>
    Effect.gen(function*() {
      const { mapping, visits, words } = yield* begun({
        "patients.csv": clinic["patients.csv"],
        "appointments.csv": clinic["appointments.csv"],
        "conditions.csv": rowsUnder(
          "condition_id,appointment_id,code_system,condition_code,status",
          60,
          (at) =>
            `C${String(at).padStart(5, "0")},A${at * 2},${at % 4 === 0 ? "LOCAL,D012" : "ICD10,I10"},${
              at % 4 === 1 ? "ruled out" : "confirmed"
            }`
        )
      })
      assert.strictEqual(
        mapping.visit.diagnosis.diagnosis_code,
        "iif(code_system in ('ICD10'), condition_code, condition_code.translated('diagnosis_code'))"
      )
      assert.deepStrictEqual(mapping.conceptMap.conditions_status.table, { confirmed: "yes", "ruled out": "no" })
      assert.match(
        words,
        /QUESTION what are codes of `\w+\.condition_code` in ICD-10\?.*`code_system`: ICD10 45, LOCAL 15/u
      )
      const sent = visits.flatMap(({ diagnosis }) =>
        diagnosis.map((one: { diagnosis_code: string }) => one.diagnosis_code)
      )
      assert.deepStrictEqual([...new Set(sent)], ["I10"])
    }))

  it.effect("never sends the beginning of a visit as its end if another time column is unread", () =>
    Effect.gen(function*() {
      const files = (end: string) => ({
        "patients.csv": clinic["patients.csv"],
        "visits.csv": rowsUnder(
          `visit_id,patient_id,visit_type,start,${end}`,
          40,
          (at) => `V${at},P${at},OPD,2025-05-${10 + (at % 9)} 08:00,2025-05-${10 + (at % 9)} 11:00`
        )
      })
      const known = yield* begun(files("finished"))
      assert.lengthOf(known.visits, 40)
      for (const visit of known.visits) assert.include(visit.discharged_at, "T11:00")
      const unknown = yield* begun(files("tm2"))
      assert.lengthOf(unknown.visits, 0)
      assert.include(unknown.words.replaceAll(/\s+/gu, " "), "QUESTION which column is the end of the visit?")
      assert.include(unknown.told, "`discharged_at` is null")
    }).pipe(Effect.scoped))
})
