import { assert, describe, it } from "@effect/vitest"
import { atLevels } from "../../src/diagnostic/levels.ts"
import type { FieldPath } from "../../src/visit/fields.ts"
import { makeUniqueInRun } from "../../src/visit/rules/uniqueInRun.ts"
import { visitIsNotTooLarge } from "../../src/visit/rules/visitIsNotTooLarge.ts"
import { validateVisit, type ValidationSettings } from "../../src/visit/validateVisit.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { withValue } from "./mutate.ts"

const now = Date.UTC(2026, 3, 1)

type Change = readonly [path: ReadonlyArray<string | number>, value: unknown]

/** The problems of the example visit after some changes, as `severity code path`. */
const after = (changes: ReadonlyArray<Change>, settings: Partial<ValidationSettings> = {}): ReadonlyArray<string> =>
  validateVisit(changes.reduce<unknown>((visit, [path, value]) => withValue(visit, path, value), exampleVisit), {
    now,
    ...settings
  }).filter(({ code }) => code !== "null-field").map((problem) =>
    `${problem.severity} ${problem.code} ${problem.path.join(".")}`
  )

describe("§4.5 rule 7: mandatory fields that the operator accepts as null", () => {
  it("a missing system id, verification time or image time is an error, or a warning by setting", () => {
    const places: ReadonlyArray<readonly [path: ReadonlyArray<string | number>, field: FieldPath]> = [
      [["patient", "spid"], "patient.spid"],
      [["laboratories", 0, "results", 0, "verified_at"], "laboratories.results.verified_at"],
      [["imageries", 0, "results", 0, "verified_at"], "imageries.results.verified_at"],
      [["imageries", 0, "collected_at"], "imageries.collected_at"]
    ]
    for (const [path, field] of places) {
      assert.deepStrictEqual(after([[path, null]]), [`error required-field ${path.join(".")}`])
      assert.deepStrictEqual(after([[path, null]], { mayBeNull: [field] }), [
        `warning required-field ${path.join(".")}`
      ])
    }
  })

  it("accepts only null: a removed field and an empty text stay errors", () => {
    for (const value of [undefined, ""]) {
      assert.deepStrictEqual(after([[["patient", "spid"], value]], { mayBeNull: ["patient.spid"] }), [
        "error required-field patient.spid"
      ])
    }
  })

  it("applies to the configured fields at any depth, and to no others", () => {
    const open: ReadonlyArray<Change> = [[["discharged_at"], null], [["inpatients", 0, "ended_at"], null]]
    const found = ["required-field discharged_at", "required-field inpatients.0.ended_at"]
    assert.deepStrictEqual(after(open), found.map((one) => `error ${one}`))
    assert.deepStrictEqual(
      after(open, { mayBeNull: ["discharged_at", "inpatients.ended_at"] }),
      found.map((one) => `warning ${one}`)
    )
  })
})

describe("expected fields", () => {
  it("warns of a missing marital status, and of missing days of a medicine", () => {
    assert.deepStrictEqual(
      after([
        [["patient", "marital_status"], null],
        [["prescriptions", 0, "medications", 0, "days"], null]
      ]),
      [
        "warning no-value patient.marital_status",
        "warning no-value prescriptions.0.medications.0.days"
      ]
    )
  })

  it("are reported once if they are mandatory too", () => {
    assert.deepStrictEqual(after([[["patient", "spid"], null]], { expected: ["patient.spid"] }), [
      "error required-field patient.spid"
    ])
  })

  it("are a setting; a missing required field is an error", () => {
    const noCard: Change = [["patient", "identifications"], []]
    assert.deepStrictEqual(after([noCard]), [])
    assert.deepStrictEqual(after([noCard], { expected: ["patient.identifications"] }), [
      "warning no-value patient.identifications"
    ])
    const changes: ReadonlyArray<Change> = [[["patient", "marital_status"], null], [["soaps", 0, "plan"], null]]
    assert.deepStrictEqual(after(changes, { expected: ["soaps.plan"] }), ["warning no-value soaps.0.plan"])
    assert.deepStrictEqual(after(changes, { expected: [], required: ["patient.marital_status"] }), [
      "error required-field patient.marital_status"
    ])
    for (const blank of ["", "\u00A0"]) {
      assert.deepStrictEqual(after([[["patient", "nationality"], blank]], { required: ["patient.nationality"] }), [
        "error required-field patient.nationality"
      ])
    }
  })

  it("are reported at their own places in lists of lists", () => {
    const [order] = exampleVisit.laboratories
    const withoutCategories = { ...order, results: order?.results.map((result) => ({ ...result, category: null })) }
    assert.deepStrictEqual(
      after([[["laboratories"], [withoutCategories, withoutCategories]]], {
        expected: ["laboratories.results.category"]
      })
        .filter((problem) => problem.startsWith("warning no-value")),
      [0, 1].flatMap((at) => [0, 1].map((result) => `warning no-value laboratories.${at}.results.${result}.category`))
    )
  })
})

describe("codes", () => {
  const renamed = (code: string): ReadonlyArray<Change> => [
    [["surgeries", 0, "code"], code],
    [["progress_notes"], []],
    [["soaps"], []]
  ]

  it("warns of codes with other signs than letters, digits, `.`, `_` and `-`, or of more than 64 characters", () => {
    for (const code of ["S 1", "S/1", "S\u179F", `S${"1".repeat(64)}`]) {
      assert.deepStrictEqual(after(renamed(code)), ["warning odd-value surgeries.0.code"], code)
    }
    for (const code of ["S.1-a_b", `S${"1".repeat(63)}`]) assert.deepStrictEqual(after(renamed(code)), [], code)
  })

  it("uses the configured pattern", () => {
    assert.deepStrictEqual(after(renamed("S/1"), { codePattern: "[A-Z0-9/-]+" }), [])
    assert.deepStrictEqual(after(renamed("s-1"), { codePattern: "[A-Z0-9/-]+" }), [
      "warning odd-value surgeries.0.code"
    ])
  })

  it("reports a code that cannot be compared with the configured pattern, because it takes too long", () => {
    const code = `${"a".repeat(80)}!`
    const visit = withValue(exampleVisit, ["surgeries", 0, "code"], code)
    const problems = validateVisit(visit, { now, codePattern: "(?:[A-Za-z0-9-]+|a*a*a*a*a*a*a*a*a*a*)" })
    assert.include(
      problems.map(({ title }) => title),
      "`code` cannot be compared with `codePattern`, which takes too long"
    )
  })

  it("§4.5 rule 3: warns of two encounter codes that differ only in letter case", () => {
    assert.deepStrictEqual(after(renamed("v260301-opd")), ["warning duplicate-code surgeries.0.code"])
    const unique = makeUniqueInRun()
    assert.deepStrictEqual(unique({ code: "V1", triages: [{ code: "E1a" }] }), [])
    const [problem, ...others] = unique({ code: "V2", triages: [{ code: "e1A" }] })
    assert.deepStrictEqual(others, [])
    assert.deepInclude(problem, { code: "duplicate-code", severity: "warning", facts: [["earlier", "visit V1"]] })
    assert.deepStrictEqual(unique({ code: "V3", triages: [{ code: "e1A" }] }).map(({ severity }) => severity), [
      "error"
    ])
  })
})

describe("§2.6: names that the specification uses", () => {
  const [history] = exampleVisit.medical_histories
  const withName = (name: string): ReadonlyArray<Change> => [[["medical_histories"], [{ ...history, name }]]]

  it("warns of another name of a history or an examination, unless it is configured", () => {
    assert.deepStrictEqual(after(withName("Travel History")), ["warning unknown-list-value medical_histories.0.name"])
    assert.deepStrictEqual(after(withName("Travel History"), { historyNames: ["Travel History"] }), [])
    const examination: ReadonlyArray<Change> = [[["physical_examinations", 0, "name"], "Abdominal girth"]]
    assert.deepStrictEqual(after(examination), ["warning unknown-list-value physical_examinations.0.name"])
    assert.deepStrictEqual(after(examination, { examinationNames: ["*"] }), [])
  })

  it("warns of two values of a name in a record of vital signs", () => {
    const twice = [{ name: "Heart Rate", value: 80 }, { name: "Temperature", value: 37 }, {
      name: "Heart Rate",
      value: 82
    }]
    assert.deepStrictEqual(after([[["vital_signs", 0, "observations"], twice]]), [
      "warning contradiction vital_signs.0.observations.2.name"
    ])
  })
})

describe("§2.6 ImageryResult: image locations", () => {
  const at = (location: string) => after([[["imageries", 0, "results", 0, "images"], [location]]])

  it("warns of a file or a host of a private network", () => {
    for (
      const location of [
        "file:///pacs/1.dcm",
        "FILE:/pacs/1.dcm",
        "C:\\scans\\1.jpg",
        "\\\\pacs\\scans\\1.jpg",
        "http://localhost:8042/1",
        "https://pacs/1",
        "https://pacs.hospital.local/1",
        "http://10.1.2.3/1",
        "http://user@172.16.0.1:80/1",
        "http://172.31.255.1/1",
        "http://192.168.1.1/1",
        "http://169.254.0.1/1",
        "http://[::1]/1",
        "http://[fd00::1]:80/1"
      ]
    ) assert.deepStrictEqual(at(location), ["warning odd-value imageries.0.results.0.images.0"], location)
  })

  it("accepts other locations of any form", () => {
    for (
      const location of [
        "https://pacs.example.org/1",
        "http://172.32.0.1/1",
        "http://8.8.8.8/1",
        "https://[2001:db8::1]/1",
        "urn:oid:1.2.3",
        "images/1.jpg",
        "1.2.840.113619",
        "data:image/png;base64,AA=="
      ]
    ) assert.deepStrictEqual(at(location), [], location)
  })
})

describe("sizes", () => {
  it("uses the configured length of names", () => {
    const name: ReadonlyArray<Change> = [[["patient", "name"], "x".repeat(60)]]
    assert.deepStrictEqual(after(name), [])
    assert.deepStrictEqual(after(name, { maxLength: 50 }), ["warning odd-value patient.name"])
    assert.deepStrictEqual(after([[["patient", "name"], "𠀀".repeat(30)]], { maxLength: 50 }), [])
  })

  it("warns of a visit of more than a million bytes, not characters", () => {
    assert.isUndefined(visitIsNotTooLarge("x".repeat(1_000_000), 1_000_000))
    assert.deepInclude(visitIsNotTooLarge("x".repeat(1_000_001), 1_000_000), { severity: "warning", path: [] })
    assert.isUndefined(visitIsNotTooLarge("\u1780".repeat(333_333), 1_000_000))
    assert.isDefined(visitIsNotTooLarge("\u1780".repeat(333_334), 1_000_000))
  })
})

describe("levels of warnings", () => {
  const problems = [
    { code: "odd-value", severity: "warning" },
    { code: "contradiction", severity: "warning" },
    { code: "primary-diagnosis", severity: "warning" },
    { code: "foreign-code", severity: "error" },
    { code: "duplicate-code", severity: "error" }
  ] as const

  it("can raise a warning to an error or turn it off; documented errors stay errors", () => {
    const levels = new Map(
      [
        ["odd-value", "off"],
        ["primary-diagnosis", "error"],
        ["foreign-code", "off"],
        ["duplicate-code", "off"]
      ] as const
    )
    assert.deepStrictEqual(
      atLevels<(typeof problems)[number] | { code: "primary-diagnosis"; severity: "error" }>(problems, levels),
      [
        { code: "contradiction", severity: "warning" },
        { code: "primary-diagnosis", severity: "error" },
        { code: "foreign-code", severity: "error" },
        { code: "duplicate-code", severity: "error" }
      ]
    )
    assert.strictEqual(atLevels(problems, undefined), problems)
  })
})
