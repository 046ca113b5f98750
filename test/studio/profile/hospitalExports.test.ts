import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const icd = ["A09", "J069", "I10", "E119"]

describe("Files of the Thai standard of 43 files", () => {
  const day = (at: number) => `202603${two(at)}`
  const seq = (at: number) => String(at).padStart(16, "0")
  const pid = (at: number) => String(at).padStart(6, "0")

  it.effect("are visits from SERVICE, not from DRUG_OPD, with the parts that name their number", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "PERSON.txt": table(
          "HOSPCODE|CID|PID|NAME|LNAME|HN|SEX|BIRTH",
          9,
          (at) => `10999|100000000000${at}|${pid(at)}|Ann|Example|00000010${at}|${1 + at % 2}|195${at}0304`
        ),
        "SERVICE.txt": table(
          "HOSPCODE|PID|HN|SEQ|DATE_SERV|TIME_SERV|INSID|CHIEFCOMP|BTEMP|SBP|DBP|PR",
          9,
          (at) =>
            `10999|${pid(at)}|00000010${at}|${seq(at)}|${
              day(at)
            }|08300${at}|1000000000${at}|Fever|36.${at}|11${at}|7${at}|80`
        ),
        "DIAGNOSIS_OPD.txt": table(
          "HOSPCODE|PID|SEQ|DATE_SERV|DIAGTYPE|DIAGCODE|PROVIDER",
          9,
          (at) =>
            [1, 4].map((rank) => `10999|${pid(at)}|${seq(at)}|${day(at)}|${rank}|${icd[(at + rank) % 4]}|PV00${at}`)
              .join("\n")
        ),
        "DRUG_OPD.txt": table(
          "HOSPCODE|PID|SEQ|DATE_SERV|DIDSTD|DNAME|AMOUNT|UNIT",
          9,
          (at) => `10999|${pid(at)}|${seq(at)}|${day(at)}|10000000000000000000000${at}|PARACETAMOL|1${at}|tab`
        )
      })
      assert.strictEqual(visits.length, 9)
      const [{ admitted_at, code, diagnosis, outpatients, patient, prescriptions, vital_signs }] = visits
      assert.deepStrictEqual([code, admitted_at.slice(0, 16), patient.code, patient.birthdate], [
        seq(1),
        "2026-03-01T08:30",
        pid(1),
        "1951-03-04"
      ])
      assert.deepStrictEqual(
        diagnosis.map((
          one: Record<string, unknown>
        ) => [one.diagnosis_type_name, one.diagnosis_code, one.diagnosed_by]),
        [["Primary", "I10", null], ["Secondary", "J069", null]]
      )
      assert.deepStrictEqual(outpatients[0].symptoms, ["Fever"])
      assert.strictEqual(vital_signs[0].observations.length, 4)
      assert.strictEqual(prescriptions[0].medications[0].medicine_name, "PARACETAMOL")
    }))
})

describe("Files of the Thai standard in which each patient has one visit", () => {
  it.effect("have visits that name their patient, whose number is unique in both files", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "person.txt": table(
          "HOSPCODE|CID|PID|NAME|LNAME|SEX|BIRTH",
          24,
          (at) => `10999|1000000000${at + 100}|${String(at).padStart(6, "0")}|Ann|Example|1|19${at + 60}0412`
        ),
        "service.txt": table(
          "HOSPCODE|PID|SEQ|DATE_SERV|TIME_SERV|CHIEFCOMP",
          24,
          (at) => `10999|${String(at).padStart(6, "0")}|${6_900_000 + at}|202603${two(at)}|083000|Fever`
        ),
        "drug_opd.txt": table(
          "HOSPCODE|PID|SEQ|DATE_SERV|DIDSTD|DNAME|AMOUNT|CID",
          24,
          (at) =>
            `10999|${String(at).padStart(6, "0")}|${6_900_000 + at}|202603${two(at)}|10000000000000000000000${
              at % 2
            }|PARACETAMOL|10|`
        )
      })
      assert.strictEqual(visits.length, 24)
      assert.deepStrictEqual([visits[0].patient_code, visits[0].patient.birthdate], ["000001", "1961-04-12"])
    }))
})

describe("A table that is called after patients and visits", () => {
  it.effect("has the visits: numbers of patients refer to the table of patients, also if both count from 1", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "PAT_Patient.csv": table(
          "PatientId,PatientCode,FirstName,LastName,DateOfBirth,Gender",
          30,
          (at) => `${at},26${1000 + at},Ann,Example${at},19${at + 60}-04-12,Female`
        ),
        "PAT_PatientVisits.csv": table(
          "PatientVisitId,VisitCode,PatientId,VisitDate,VisitTime,VisitType,EndDate",
          30,
          (at) => `${at},V26${1000 + at},${31 - at},2026-03-${two(at)},08:15:00,outpatient,2026-03-${two(at)} 10:00:00`
        ),
        "BIL_Items.csv": table(
          "BillItemId,PatientId,PatientVisitId,ItemCode,ItemName,Price,Quantity",
          30,
          (at) => `${100 + at},${31 - at},${at},OPD1,Consultation,500,1`
        )
      })
      assert.strictEqual(visits.length, 30)
      assert.deepStrictEqual(visits.map(({ patient: { surname } }) => surname).toSorted().slice(0, 2), [
        "Example1",
        "Example10"
      ])
      const first = visits.find(({ code }) => code === "1")
      assert.strictEqual(first.patient.surname, "Example30")
    }))
})

describe("Tables of a hospital whose columns end in `_DT_TM` and `_DISP`", () => {
  it.effect("are read by the words before: times, sexes, states, and ways to leave", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "ENCOUNTER.csv": table(
          "ENCNTR_ID,PERSON_ID,ENCNTR_TYPE_DISP,ENCNTR_STATUS_DISP,REG_DT_TM,DISCH_DT_TM,DISCH_DISPOSITION_DISP",
          20,
          (at) =>
            `E${at},P${at},${at % 3 ? "Outpatient" : "Inpatient"},Discharged,03/${two(at)}/2026 08:15:00,03/${
              two(at)
            }/2026 18:15:00,Home`
        ),
        "PERSON.csv": table(
          "PERSON_ID,NAME_LAST,NAME_FIRST,BIRTH_DT_TM,SEX_DISP",
          20,
          (at) => `P${at},Example,Ann,04/12/19${at + 60} 00:00:00,${at % 2 ? "Female" : "Male"}`
        )
      })
      const [{ admitted_at, discharge_type, discharged_at, patient }] = visits
      assert.strictEqual(visits.length, 20)
      assert.deepStrictEqual([admitted_at, discharged_at, discharge_type], [
        "2026-03-01T08:15:00.000+07:00",
        "2026-03-01T18:15:00.000+07:00",
        "Authorized"
      ])
      assert.deepStrictEqual([patient.sex, patient.birthdate], ["F", "1961-04-12"])
    }))
})

describe("Tables of an Indonesian hospital", () => {
  it.effect("are read by their abbreviated names, without codes of doctors as names and states as diagnoses", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        "pasien.csv": table(
          "no_rkm_medis;nm_pasien;jk;tgl_lahir;alamat;no_tlp;stts_nikah",
          9,
          (at) =>
            `00000${at};CONTOH ${at};${at % 2 ? "L" : "P"};195${at}-03-04;JL. CONTOH;0812;${
              ["MENIKAH", "JANDA"][at % 2]
            }`
        ),
        "reg_periksa.csv": table(
          "no_rawat;tgl_registrasi;jam_reg;no_rkm_medis;kd_dokter;status_lanjut",
          9,
          (at) =>
            `2026/03/${two(at)}/00000${at};2026-03-${two(at)};08:15:00;00000${at};D0${at % 2};${
              at % 3 ? "Ralan" : "Ranap"
            }`
        ),
        "diagnosa_pasien.csv": table(
          "no_rawat;kd_penyakit;prioritas;status_penyakit",
          9,
          (at) => [2, 1].map((rank) => `2026/03/${two(at)}/00000${at};${icd[(at + rank) % 4]};${rank};Lama`).join("\n")
        ),
        "pemeriksaan_ralan.csv": table(
          "no_rawat;suhu_tubuh;tensi;nadi;respirasi;berat;keluhan",
          9,
          (at) => `2026/03/${two(at)}/00000${at};36,${at};12${at}/8${at};80;20;5${at};Demam`
        )
      })
      assert.strictEqual(visits.length, 9)
      const { code, diagnosis, outpatients, patient, triages, visit_type, vital_signs } = visits[0]
      assert.deepStrictEqual([code, visit_type, patient.name, patient.sex], [
        "2026/03/01/000001",
        "OPD",
        "CONTOH 1",
        "M"
      ])
      assert.deepStrictEqual(visits.map((one) => one.visit_type === "IPD"), visits.map((_, at) => at % 3 === 2))
      assert.strictEqual(outpatients[0].encountered_by, null)
      assert.deepStrictEqual(
        diagnosis.map((one: Record<string, unknown>) => [
          one.diagnosis_type_name,
          one.diagnosis_code,
          one.diagnosis_name
        ]),
        [["Secondary", "E119", null], ["Primary", "I10", null]]
      )
      assert.deepStrictEqual(
        vital_signs[0].observations.map(({ name, value }: Record<string, unknown>) => `${name} ${value}`),
        [
          "Temperature 36.1",
          "Systolic Blood Pressure 121",
          "Diastolic Blood Pressure 81",
          "Heart Rate 80",
          "Respiratory Rate 20"
        ]
      )
      assert.deepStrictEqual([triages[0].weight, triages[0].chief_complaint], [51, "Demam"])
      // The state before a marriage is not that after one: it can mean divorced or widowed.
      assert.match(mapping, /QUESTION what do these mean\? {2}JANDA/u)
    }))
})

describe("Stays of a French-speaking hospital", () => {
  const extract = {
    "patients.csv": table(
      "N° IPP;Nom;Prénoms;Sexe;Date de naissance;Situation matrimoniale",
      9,
      (at) => `000030${at};Exemple;Zoé;F;13/04/195${at};${at % 2 ? "Marié(e)" : "Célibataire"}`
    ),
    "sejours.csv": table(
      "N° séjour;N° IPP;Date entrée;Heure entrée;Date sortie;Code CIM10;Température;TA;État de sortie",
      9,
      (at) =>
        `S-${at};000030${at};0${at}/03/2026;08h15;0${at}/03/2026;A09;37,${at};1${at}/${at % 2 ? "7" : "6,5"};${
          ["Guérie", "Amélioré", "Évadé"][at % 3]
        }`
    ),
    "ordonnances.csv": table(
      "N° séjour;Médicament;Dosage;Forme;Posologie;Voie;Durée (jours)",
      9,
      (at) => `S-${at};Paracétamol;500 mg;Comprimé;1 cp x 3/j;Orale;${at}`
    )
  }

  it.effect("have the outcome that their state says, pressures in millimetres, and doses with their route", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted(extract)
      assert.strictEqual(visits.length, 9)
      assert.notMatch(questions, /took place/u)
      assert.deepStrictEqual(visits.slice(0, 3).map((one) => [one.discharge_type, one.visit_outcome]), [
        [null, "Improved"],
        ["Absconded", null],
        [null, "Recovered"]
      ])
      const { admitted_at, patient, prescriptions, vital_signs } = visits[1]
      assert.strictEqual(admitted_at.slice(0, 16), "2026-03-02T08:15")
      assert.deepStrictEqual([patient.code, patient.marital_status], ["0000302", "Single"])
      assert.deepStrictEqual(vital_signs[0].observations.map(({ value }: { readonly value: unknown }) => value), [
        37.2,
        120,
        65
      ])
      const { days, form, medicine_name, method, note, strength } = prescriptions[0].medications[0]
      assert.deepStrictEqual([medicine_name, strength, form, note, method, days], [
        "Paracétamol",
        "500 mg",
        "Comprimé",
        "1 cp x 3/j",
        "Orale",
        2
      ])
    }))
})

describe("A column with both the type of the discharge and the outcome", () => {
  it.effect("fills each with the words that mean it", () =>
    Effect.gen(function*() {
      const words = ["Cured", "LAMA", "Expired", "Relieved"]
      const { questions, visits } = yield* drafted(
        days(9, { header: ",discharge_status", more: (at) => `,${words[at % 4]}` })
      )
      assert.deepStrictEqual(visits.slice(0, 4).map((one) => [one.discharge_type, one.visit_outcome]), [
        ["Unauthorized", null],
        ["Deceased", "Deceased"],
        [null, "Improved"],
        [null, "Recovered"]
      ])
      assert.match(questions, /QUESTION what do codes of `visit_outcome` mean\?/u)
    }))
})

describe("A column with the state of a discharge in Thai or of a marriage in Khmer", () => {
  it.effect("is not asked about as the state of the visit", () =>
    Effect.gen(function*() {
      for (const header of ["สถานะการจำหน่าย", "ស្ថានភាពអាពាហ៍ពិពាហ៍"]) {
        const { questions } = yield* drafted(days(9, { header: `,${header}`, more: (at) => `,${1 + at % 3}` }))
        assert.notMatch(questions, /took place|translated\('visit/u)
      }
    }))
})

describe("A wide table of tracked events", () => {
  it.effect("is read with names of patients and prefixes of elements", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "events.csv": table(
          "Event,Tracked entity instance,Event date,Patient first name,Patient surname,Patient date of birth,Patient sex,VIT - Weight (kg),VIT - BP,DX - ICD-10 primary",
          9,
          (at) => `ev${at},te${at},2026-03-0${at} 00:00:00.0,Ann,Example,195${at}-03-04,Female,5${at}.5,12${at}/80,A09`
        )
      })
      assert.strictEqual(visits.length, 9)
      const { code, diagnosis, patient, triages, vital_signs } = visits[0]
      assert.deepStrictEqual([code, patient.code, patient.surname, patient.name, patient.sex], [
        "ev1",
        "te1",
        "Example",
        "Ann",
        "F"
      ])
      assert.strictEqual(triages[0].weight, 51.5)
      assert.strictEqual(vital_signs[0].observations[0].value, 121)
      assert.strictEqual(diagnosis[0].diagnosis_code, "A09")
    }))
})

describe("Patients without a date of birth", () => {
  it.effect("are asked about, and an age is not sent as one", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        "visits.csv": table("visit_no,hn,surname,first_name,sex,age,visit_date,type", 9, (at) =>
          `V-${at},HN-${at},Example,Ann,F,3${at} Y,2026-03-0${at} 08:15,OPD`)
      })
      assert.deepStrictEqual(visits, [])
      assert.match(questions, /QUESTION which column has the dates of birth\? None was found, and `age` has only ages/u)
    }))
})

describe("Medicines whose duration has a unit", () => {
  const orders = (units: ReadonlyArray<string>) => ({
    ...days(8),
    "drug_orders.csv": table(
      "order_id,visit_no,drug_name,route,duration,duration_units",
      8,
      (at) => `${at},V-${at},Paracetamol,Oral,${at},${units[at % units.length]}`
    )
  })
  const daysOf = (visits: ReadonlyArray<any>) =>
    visits.slice(0, 4).map((one) => one.prescriptions[0].medications[0].days)

  it.effect("are sent in days", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted(orders(["Day(s)", "Week(s)"]))
      assert.deepStrictEqual(daysOf(visits), [7, 2, 21, 4])
      assert.notInclude(questions, "how many days")
    }))

  it.effect("are not sent in another unit of a later extract, which is listed as an unmapped code", () =>
    Effect.gen(function*() {
      const { later: { problems, visits } } = yield* drafted(
        orders(["Day(s)", "Week(s)"]),
        orders(["Day(s)", "Month(s)"])
      )
      assert.deepStrictEqual(daysOf(visits), [null, 2, null, 4])
      assert.match(problems, /unmapped codes? in .*duration_days/u)
    }))

  it.effect("are not sent in another unit, with a question", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted(orders(["Day(s)", "Dose"]))
      assert.deepStrictEqual(daysOf(visits), [null, 2, null, 4])
      assert.match(questions, /QUESTION how many days are durations in the other units of `duration_units`/u)
    }))
})

describe("A column called dosage", () => {
  it.effect("is no strength in English, where it can say how a medicine is taken", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        ...days(8),
        "prescriptions.csv": table("visit_no,drug_name,dosage,route", 8, (at) => `V-${at},Paracetamol,1 tab TDS,Oral`)
      })
      assert.isNull(visits[0].prescriptions[0].medications[0].strength)
      assert.match(mapping, /^# - prescriptions_table: dosage 8/mu)
    }))
})

describe("A list of items with medicines among them", () => {
  const items =
    "item_code,item_name,item_type\nPCM,Paracetamol,DRUG\nAMX,Amoxicillin,DRUG\nCBC,Blood count,LAB\nCONS,Consultation,SERVICE\n"

  it.effect("sends medicines by the type of their item, and codes of items rather than numbers of rows", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(9),
        "items.csv": items,
        "visit_items.csv": table(
          "item_no,visit_no,item_code,qty,unit_price,amount",
          9,
          (at) => ["PCM", "CONS"].map((code, line) => `${10 * at + line},V-${at},${code},2,5,10`).join("\n")
        )
      })
      const [{ medications, services }] = visits[0].invoices
      assert.deepStrictEqual(
        [medications[0].medicine_code, medications[0].medicine_name, medications[0].quantity],
        ["PCM", "Paracetamol", 2]
      )
      assert.deepStrictEqual(services.map((one: Record<string, unknown>) => one.service_code), ["CONS"])
    }))

  it.effect("sends those with a dosage as prescriptions, too", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(9),
        "visit_items.csv": table(
          "visit_no,item_code,item_name,item_type,qty,unit_price,amount,frequency,route",
          9,
          (at) => [`V-${at},PCM,Paracetamol,DRUG,2,5,10,TDS,PO`, `V-${at},CONS,Consultation,SERVICE,1,5,5,,`].join("\n")
        )
      })
      assert.deepStrictEqual(
        visits[0].prescriptions.flatMap((one: any) => one.medications).map((
          one: any
        ) => [one.code, one.interval, one.method]),
        [["PCM", "TDS", "PO"]]
      )
      const [{ medications, services }] = visits[0].invoices
      assert.deepStrictEqual([medications.length, services.length], [1, 1])
    }))
})

describe("Rows that a column marks as deleted", () => {
  it.effect("are no visits, diagnoses, vital signs, or charges", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted({
        ...days(8, { header: ",voided", more: (at) => `,${Number(at === 3)}` }),
        "vitals.csv": table("visit_no,sbp,dbp,voided", 8, (at) => `V-${at},120,80,${Number(at === 1)}`),
        "bills.csv": table("bill_no,visit_no,billed,cancelled", 8, (at) =>
          `B-${at},V-${at},2026-03-0${at} 09:00,${at === 4 ? "Y" : "N"}`),
        "bill_lines.csv": table("bill_no,item_code,item_name,price,quantity,amount,deleted", 8, (at) =>
          [1, 2].map((line) =>
            `B-${at},S${line},Service,10,1,10,${Number(at === 5 && line === 2)}`
          ).join("\n")),
        "diagnoses.csv": table("visit_no,icd10_code,order,voided", 8, (at) =>
          [`V-${at},A09,SECONDARY,${at === 2}`, `V-${at},I10,PRIMARY,false`].join("\n"))
      })
      assert.deepStrictEqual(
        visits.map(({ code, diagnosis }) =>
          `${code} ${
            diagnosis.map((one: Record<string, unknown>) => `${one.diagnosis_code} ${one.diagnosis_type_name}`).join(
              ", "
            )
          }`
        ),
        [1, 2, 4, 5, 6, 7, 8].map((at) =>
          `V-${at} ${at === 2 ? "" : "A09 Secondary, "}I10 Primary`
        )
      )
      assert.deepStrictEqual(
        visits.map(({ invoices, vital_signs }) => [
          vital_signs.length,
          ...invoices.map((one: any) =>
            one.services.length
          )
        ]),
        [[0, 2], [1, 2], [1], [1, 1], [1, 2], [1, 2], [1, 2]]
      )
      assert.include(problems, "dropped: voided")
    }))
})

describe("Weights in stones and pounds", () => {
  it.effect("are sent in kg", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted(
        days(8, { header: ",weight", more: (at) => [",11 st 4 lb", ",9st", ",10 stone 7"][at % 3] ?? "" })
      )
      assert.deepStrictEqual(visits.slice(0, 3).map(({ triages }) => triages[0].weight), [57.2, 66.7, 71.7])
    }))
})

describe("Results of a laboratory system", () => {
  it.effect("are one request for each of its numbers, with who verified them", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(8),
        "lis_export.csv": table("LAB NO,visit_no,TEST CODE,TEST NAME,RESULT,UNIT,FLAG,COLLECTED,VERIFIED BY", 8, (at) =>
          [`CRP,CRP,${["<0.5", ">100"][at % 2]},mg/L,H`, "NS1,Dengue NS1,POS,,A", "HGB,Haemoglobin,11.5,g/dL,L"].map((
            row
          ) =>
            `2603-${at},V-${at},${row},2026-03-0${at} 08:30,Example Verifier`
          ).join("\n"))
      })
      assert.strictEqual(visits[0].laboratories.length, 1)
      const [{ request_code, results }] = visits[0].laboratories
      assert.strictEqual(request_code, "2603-1")
      assert.deepStrictEqual(
        results.map((one: Record<string, unknown>) => [one.name, one.value, one.value_type, one.verified_by]),
        [
          ["CRP", ">100", "string", "Example Verifier"],
          ["Dengue NS1", "POS", "string", "Example Verifier"],
          ["Haemoglobin", 11.5, "float", "Example Verifier"]
        ]
      )
    }))
})
