import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { parse } from "yaml"
import { at } from "../../../src/at.ts"
import { hashName } from "../../../src/run/links/hashName.ts"
import type { Profile } from "../../../src/studio/profile/Profile.ts"
import { DateShapes } from "../../../src/studio/profile/tables/columns/DateShapes.ts"
import { ValueSketch } from "../../../src/studio/profile/tables/columns/ValueSketch.ts"
import { present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { hasShared, sharedData } from "../../sharedData.ts"
import { profiled, rows, type } from "./drafted.ts"

/** A hospital of tables in the Buddhist calendar; every value of a person has CANARY in it. */
const hospital = {
  "patients.csv": `HN;Family Name;First Name;Sex;Born;Phone;Village Code\n${
    rows(6, (at) =>
      `H-${100 + at};CANARY-Family-${at};CANARY-Given-${at};${at % 2 === 0 ? "1" : "2"};${13 + at}/02/25${
        20 + at
      };CANARY-${at};1101010${at + 1}`)
  }`,
  "visits.csv": `VN;HN;Department;Date;Time In;Time Out;Doctor;Complaint;Left\n${
    rows(8, (at) =>
      `V-${at};H-${100 + at % 6};${at === 3 ? "IPD" : "OPD"};0${1 + at}/03/2569;08:${10 + at};09:30;CANARY-Doctor-${
        at % 2
      };CANARY complaint of ${at};${at % 2 === 0 ? "H" : "-"}`)
  }`,
  "screening.csv": `vn,taken,sbp,dbp,pulse,temp\n${
    rows(9, (at) => `V-${at},0${1 + at}/03/2569 08:20,12${at},80,7${at},"36,${at}"`)
  }`,
  "icd.csv": `VN,Rank,ICD10,Name\n${rows(8, (at) => `V-${at},1,A9${at % 3},Illness ${at % 3}`)}`
}

describe("A profile of tables", () => {
  it.effect("shows the content of each column, how full it is, and the format of its dates", () =>
    Effect.gen(function*() {
      const { tables } = yield* profiled(hospital)
      const columnsOf = (table: string) => present(tables.find(({ name }) => name === table)).columns
      const kinds = (table: string) => Object.fromEntries(columnsOf(table).map(({ kind, name }) => [name, kind]))
      assert.deepStrictEqual(kinds("patients"), {
        HN: "text",
        "Family Name": "text",
        "First Name": "text",
        Sex: "code",
        Born: "date",
        Phone: "text",
        "Village Code": "integer"
      })
      assert.deepInclude(kinds("visits"), { Date: "date", "Time In": "clock", Department: "code", Left: "code" })
      assert.deepStrictEqual(kinds("screening"), {
        vn: "text",
        taken: "timestamp",
        sbp: "integer",
        dbp: "integer",
        pulse: "integer",
        temp: "decimal"
      })
      const column = (table: string, name: string) => present(columnsOf(table).find((one) => one.name === name))
      assert.deepInclude(column("patients", "Born").dates[0], {
        format: "DD/MM/YYYY",
        calendar: "buddhist",
        ambiguous: false
      })
      assert.deepInclude(column("visits", "Date").dates[0], { ambiguous: true })
      assert.deepInclude(column("screening", "temp"), { decimal: ",", vital: "Temperature" })
      assert.strictEqual(column("visits", "Left").share, 0.5)
      assert.deepStrictEqual(column("visits", "Left").nulls, [["-", 4]])
      assert.isDefined(column("icd", "ICD10").diagnoses)
    }))

  it.effect("finds keys, and the rows that columns refer to, with the fraction that is missing", () =>
    Effect.gen(function*() {
      const { tables } = yield* profiled(hospital)
      const reported = new Map(tables.map(({ keys, links, name }) => [name, { key: keys[0], links }]))
      assert.strictEqual(reported.get("patients")?.key, "HN")
      assert.strictEqual(reported.get("visits")?.key, "VN")
      assert.deepStrictEqual(
        reported.get("visits")?.links.map(({ column, key, orphans, table }) => [column, table, key, orphans]),
        [
          ["HN", "patients", "HN", 0]
        ]
      )
      assert.deepStrictEqual(
        reported.get("screening")?.links.map(({ column, orphans, table }) => [column, table, orphans]),
        [
          ["vn", "visits", 0.111]
        ]
      )
    }))

  it.effect("shows no value of a person, as text, page or JSON", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      written(folder, hospital)
      const page = join(folder, "..", `${folder.split("/").at(-1)}.html`)
      yield* type("profile", folder, "-o", page)
      const text = yield* type("profile", folder)
      const json = yield* type("profile", folder, "--format", "json")
      for (const shown of [text.stdout, text.stderr, json.stdout, readFileSync(page, "utf8")]) {
        assert.notInclude(shown, "CANARY")
        assert.notInclude(shown, "H-10")
      }
      assert.include(text.stdout, "OPD 7, IPD 1")
    }))

  it.effect("reads a first line that looks like the others as a row, not as column names", () =>
    Effect.gen(function*() {
      const { suggestions, tables } = yield* profiled({
        "patients.csv": "T-0001,Heron,Ada,F\nT-0002,Egret,Bram,M\nT-0003,Crane,Cleo,F\n"
      })
      assert.deepStrictEqual(tables.map(({ columns, rows }) => [rows, ...columns.map(({ name }) => name)]), [
        [3, "1", "2", "3", "4"]
      ])
      assert.include(suggestions.overlay, "header: false")
    }))

  it.effect("reads single-byte Thai, tabs and compressed files, and marks guesses", () =>
    Effect.gen(function*() {
      const thai = Buffer.from([0xca, 0xc1, 0xaa, 0xd2, 0xc2])
      const { tables } = yield* profiled({
        "a.csv": Buffer.concat([Buffer.from("code,name\n1,"), thai, Buffer.from("\n2,"), thai, Buffer.from("\n3,x\n")]),
        "b.tsv.gz": gzipSync("vn\ttest\tresult\nV-1\tHb\t12\nV-2\tHb\t13\n")
      })
      assert.deepStrictEqual(
        tables.map(({ delimiter, encoding, guessed, rows }) => [delimiter, encoding, guessed, rows]),
        [["comma", "windows-874", true, 3], ["tab", "utf-8", false, 2]]
      )
      assert.deepStrictEqual(tables[0]?.columns[1]?.scripts, [["Thai", 2], ["Latin", 1]])
    }))

  it.effect("lists unread columns of tables that the mapping declares, and suggests no lines", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const input = join(folder, "in")
      written(folder, { "facility.yaml": "timezone: Asia/Phnom_Penh\nmapping: csv\n" })
      yield* Effect.sync(() =>
        written(folder, {
          "visit.csv": "code,patient_code,admitted_at,extra\nV-1,P-1,2026-03-02,x\n"
        })
      )
      void input
      const { stdout } = yield* type("profile", join(folder, "visit.csv"), "--facility", folder, "--format", "json")
      const { suggestions, tables }: Profile = JSON.parse(stdout)
      assert.deepInclude(tables[0], { name: "visit", declared: true })
      assert.strictEqual(suggestions.overlay, "")
      assert.include(suggestions.notes.join("\n"), "no line reads: `extra`")
    }))
})

describe("Suggested lines for tables", () => {
  it.effect("do not exist for the canonical extract, which the mapping `csv` reads unchanged", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const visits = join(folder, "visits.ndjson")
      const extract = join(folder, "extract")
      yield* type("convert", "samples/outpatient-fever/input", "--facility", "samples/outpatient-fever", "-o", visits)
      yield* type("to-csv", visits, "-o", extract)
      const profile = yield* type("profile", extract, "--format", "json")
      const { suggestions }: Profile = JSON.parse(profile.stdout)
      assert.strictEqual(suggestions.overlay, "")
      assert.include(suggestions.notes.join("\n"), "mapping: csv")
      const made = join(folder, "made")
      const { stderr } = yield* type("init", made, "--from", extract)
      assert.match(stderr, /(\d+) visits? in the sample +\1 ready with this mapping/u)
    }))

  it.effect("are a mapping that passes `mapping check` and makes every visit ready", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const made = join(folder, "made")
      written(folder, hospital)
      const inputs = Object.keys(hospital).map((name) => join(folder, name))
      const { code, stderr } = yield* type(
        "init",
        made,
        "--timezone",
        "Asia/Phnom_Penh",
        ...inputs.flatMap((input) => ["--from", input])
      )
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "8 visits in the sample      8 ready with this mapping")
      assert.strictEqual((yield* type("mapping", "check", "--strict", "--facility", made)).code, 0)
      const test = yield* type("mapping", "test", "--facility", made)
      assert.strictEqual(test.code, 0, test.stdout)
      const visits = join(folder, "visits.ndjson")
      yield* type("convert", ...inputs, "--facility", made, "-o", visits)
      const sent = readFileSync(visits, "utf8").trim().split("\n").map((line) => JSON.parse(line))
      const stay = sent.find(({ code }) => code === "V-3")
      assert.deepInclude(stay, {
        patient_code: "H-103",
        visit_type: "IPD",
        admitted_at: "2026-03-04T08:13:00.000+07:00",
        discharged_at: "2026-03-04T09:30:00.000+07:00"
      })
      assert.deepInclude(stay.patient, { sex: "F", birthdate: "1980-02-16" })
      assert.deepInclude(stay.patient.address, { province: { code: "11", name: null } })
      assert.strictEqual(stay.inpatients.length, 1)
      assert.deepStrictEqual(stay.diagnosis.map((one: { readonly diagnosis_code: string }) => one.diagnosis_code), [
        "A90"
      ])
      assert.includeDeepMembers(stay.vital_signs[0].observations, [{ name: "Temperature", value: 36.3 }])
    }))

  it.effect("assign emergencies by the word for the type of visit, and mark them", () =>
    Effect.gen(function*() {
      const types = ["ambulatory", "emergency", "inpatient"]
      const { suggestions } = yield* profiled({
        "patients.csv": `id,dob,last,sex\n${rows(6, (at) => `PAT-${at},1${at}/02/1990,A,M`)}`,
        "visits.csv": `id,patient,class,admitted\n${
          rows(18, (at) => `VIS-${at},PAT-${at % 6},${types[at % 3]},1${at % 9}/06/2025 08:00`)
        }`
      })
      const { conceptMap: { visit_emergency, visit_type } } = parse(suggestions.overlay)
      assert.deepStrictEqual(visit_type.table, { ambulatory: "OPD", emergency: "OPD", inpatient: "IPD" })
      assert.deepStrictEqual(visit_emergency.table, { ambulatory: "no", emergency: "yes", inpatient: "no" })
      assert.match(suggestions.overlay, /verify it\n *emergency: "yes"/u)
    }))

  it.effect("draft triages from rows of heights and weights, and no category from a column that marks charges", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const made = join(folder, "made")
      const sizes = [["8302-2", "cm", 160], ["29463-7", "kg", 50]] as const
      const files = {
        "patients.csv": `id,dob,last,sex,marital\n${
          rows(6, (at) => `PAT-${at},1${at}/02/1990,A,M,${["M", "S", "W"][at % 3]}`)
        }`,
        "visits.csv": `id,patient,class,admitted,discharged\n${
          rows(12, (at) => `VIS-${at},PAT-${at % 6},ambulatory,${10 + at}/06/2025 08:00,${10 + at}/06/2025 09:00`)
        }`,
        "observations.csv": `visit,patient,date,code,value,units\n${
          rows(24, (index) => {
            const [code, unit, size] = at(sizes, index % 2)
            const visit = Math.floor(index / 2)
            return `VIS-${visit},PAT-${visit % 6},${10 + visit}/06/2025 08:15,${code},${size + visit},${unit}`
          })
        }`,
        "charges.csv": `id,visit,type,item code,amount\n${
          rows(24, (at) =>
            `CHG-${at},VIS-${Math.floor(at / 2)},${at % 2 === 0 ? "CHARGE" : "PAYMENT"},SVC-${at % 4},12.50`)
        }`
      }
      written(folder, files)
      const inputs = Object.keys(files).map((name) => join(folder, name))
      const init = yield* type(
        "init",
        made,
        "--timezone",
        "Asia/Phnom_Penh",
        ...inputs.flatMap((one) => ["--from", one])
      )
      assert.include(init.stderr, "12 visits in the sample      12 ready with this mapping")
      const visits = join(folder, "visits.ndjson")
      yield* type("convert", ...inputs, "--facility", made, "-o", visits)
      const visit = readFileSync(visits, "utf8").trim().split("\n").map((line) => JSON.parse(line))
        .find(({ code }) => code === "VIS-3")
      assert.strictEqual(visit.patient.marital_status, "Married")
      assert.strictEqual(visit.triages.length, 1)
      assert.deepInclude(visit.triages[0], {
        height: 163,
        weight: 53,
        recorded_at: "2025-06-13T08:15:00.000+07:00"
      })
      assert.deepStrictEqual(
        visit.invoices[0].services.map((one: { readonly service_category: unknown }) => one.service_category),
        [null]
      )
    }))

  it.effect("mark doubts: links by values only, missing rows", () =>
    Effect.gen(function*() {
      const { suggestions } = yield* profiled({
        "patients.csv": "id,dob,last,sex\nPAT-1,1990-02-01,A,M\nPAT-2,1991-04-03,B,F\n",
        "visits.csv": "id,whom,admitted\nVIS-1,PAT-1,05/06/2025\nVIS-2,PAT-2,07/08/2025\nVIS-3,PAT-9,07/08/2025\n"
      })
      assert.include(suggestions.notes.join("\n"), "no column of `visits` refers to a row of the patients")
    }))

  it.effect.skipIf(!hasShared("csv-synthea-27"))(
    "of a real export: diagnoses in SNOMED CT block their visits until they have codes of ICD-10",
    () =>
      Effect.gen(function*() {
        const made = join(yield* temporaryFolder, "made")
        const { stderr } = yield* type(
          "init",
          made,
          "--from",
          join(sharedData, "csv-synthea-27"),
          "--timezone",
          "America/New_York"
        )
        assert.include(stderr, "604 visits in the sample      291 ready with this mapping")
        assert.include(stderr, "confirm 8 proposed codes of ICD-10")
        assert.strictEqual((yield* type("mapping", "check", "--strict", "--facility", made)).code, 0)
      })
  )
})

describe("Date formats of columns", () => {
  const formsOf = (...texts: ReadonlyArray<string>) => {
    const shapes = new DateShapes()
    const all = texts.every((text) => shapes.add(text))
    return all
      ? shapes.forms().map(({ ambiguous, calendar, format, mixed }) => [format, calendar, ambiguous, mixed])
      : null
  }

  it("distinguishes day first from month first by a number above 12, and otherwise marks them as ambiguous", () => {
    assert.deepStrictEqual(formsOf("14/03/2025", "02/03/2025"), [["DD/MM/YYYY", "gregorian", false, false]])
    assert.deepStrictEqual(formsOf("3/14/2025", "2/3/2025"), [["M/D/YYYY", "gregorian", false, false]])
    assert.deepStrictEqual(formsOf("01.02.2025 8:05"), [["DD.MM.YYYY H:mm", "gregorian", true, false]])
    assert.deepStrictEqual(formsOf("14/03/2025", "03/14/2025"), [["DD/MM/YYYY", "gregorian", false, true]])
    assert.deepStrictEqual(formsOf("03/14/25 08:05 AM", "01/02/2025"), [
      ["MM/DD/YY hh:mm A", "gregorian", false, false],
      ["MM/DD/YYYY", "gregorian", false, false]
    ])
  })

  it("recognizes Buddhist years, ISO 8601, and month names", () => {
    assert.deepStrictEqual(formsOf("14/03/2568"), [["DD/MM/YYYY", "buddhist", false, false]])
    assert.deepStrictEqual(formsOf("2568-03-14"), [["ISO 8601", "buddhist", false, false]])
    assert.deepStrictEqual(formsOf("2025-03-14T08:00:00Z"), [["ISO 8601", "gregorian", false, false]])
    assert.deepStrictEqual(formsOf("5 Mar 2025"), [["D MMM YYYY", "gregorian", false, false]])
    assert.isNull(formsOf("14/14/2025"))
    assert.isNull(formsOf("12.5"))
  })
})

describe("A sketch of a column", () => {
  const of = (count: number, value: (at: number) => string): ValueSketch => {
    const sketch = new ValueSketch()
    for (let at = 0; at < count; at++) sketch.add(hashName(value(at)))
    return sketch
  }

  it("counts few values, estimates many, and compares columns of either size", () => {
    assert.strictEqual(of(1000, (at) => `v${at % 70}`).different, 70)
    const many = of(60_000, (at) => `key-${at}`)
    assert.isFalse(many.isWhole)
    assert.closeTo(many.different, 60_000, 6_000)
    assert.isTrue(many.isUnique)
    const { found, lost, rows, values } = of(60_000, (at) => `key-${at + 15_000}`).within(many)
    assert.isAbove(values, 1_000)
    assert.closeTo(found / values, 0.75, 0.05)
    assert.closeTo(lost / rows, 0.25, 0.05)
  })
})
