import { assert, describe, it } from "@effect/vitest"
import { foldedMessage, foldKinds } from "../../src/cli/screen/foldKinds.ts"
import { isCountedNull } from "../../src/cli/screen/Screen.ts"
import { collate } from "../../src/diagnostic/collate.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { present } from "../present.ts"

const at = (line: number, reference: string) => ({
  source: reference,
  origin: { file: "in.ndjson", line, reference }
})

const folded = (problems: ReadonlyArray<Diagnostic>) =>
  foldKinds(collate(problems)).map((kind) => {
    const { count, first } = foldedMessage(kind)
    const also = first.facts?.find(([name]) => name === "also")?.[1]
    return [count, first.title, ...also === undefined ? [] : [also]]
  })

it("a null is a message if it rejects a visit, otherwise a line of the summary", () => {
  const problem = { code: "null-field", title: "" } as const
  assert.deepStrictEqual(
    (["error", "warning"] as const).map((severity) => isCountedNull({ ...problem, severity })),
    [false, true]
  )
})

describe("foldKinds", () => {
  const lacks = (type: string, line: number): Diagnostic => ({
    code: "no-encounter",
    severity: "error",
    title: `this ${type} refers to no encounter, so it belongs to no visit`,
    ...at(line, `${type}/${line}`)
  })

  it("joins kinds that differ in the type of the record only, and shows what the others are", () => {
    assert.deepStrictEqual(
      folded([lacks("Observation", 1), lacks("Condition", 2), lacks("Observation", 3), lacks("Claim", 4)]),
      [
        [2, "this Observation refers to no encounter, so it belongs to no visit", "1 × Condition, 1 × Claim"]
      ]
    )
  })

  it("joins the fields that are empty because of one record, and no others", () => {
    const empty = (field: string, visit: string, line: number): Diagnostic => ({
      code: "required-field",
      severity: "error",
      title: `\`${field.split(".").at(-1)}\` is null; it is mandatory`,
      field,
      visit,
      ...at(line, `Encounter/${line}`)
    })
    const fields = ["admitted_at", "discharged_at", "outpatients[0].started_at"]
    assert.deepStrictEqual(
      folded([...fields.map((field) => empty(field, "V1", 1)), empty("patient_code", "V2", 2)]),
      [
        [1, "`admitted_at` is null; it is mandatory", "discharged_at, outpatients[].started_at"],
        [1, "`patient_code` is null; it is mandatory"]
      ]
    )
  })

  it("joins fields of several sections that lack the same element of a type, and no others", () => {
    const empty = (field: string, path: string, visit: string, line: number): Diagnostic => ({
      code: "required-field",
      severity: "error",
      title: `\`${field.split(".").at(-1)}\` is null; it is mandatory`,
      field,
      path,
      visit,
      ...at(line, `visit/${line}`)
    })
    assert.deepStrictEqual(
      folded([
        empty("discharged_at", "discharged_at", "V1", 1),
        empty("discharged_at", "discharged_at", "V2", 2),
        empty("outpatients[0].ended_at", "discharged_at", "V1", 1),
        empty("emergencies[0].ended_at", "discharged_at", "V2", 2),
        empty("patient.sex", "sex", "V3", 3)
      ]),
      [
        [2, "`discharged_at` is null; it is mandatory", "outpatients[].ended_at, emergencies[].ended_at"],
        [1, "`sex` is null; it is mandatory"]
      ]
    )
  })

  it("shows causes of others first, a file that cannot be read only if it is an error", () => {
    const problem = (code: Diagnostic["code"], severity: Diagnostic["severity"], times: number): Diagnostic => ({
      code,
      severity,
      title: code,
      times,
      ...at(1, "")
    })
    const order = foldKinds(collate([
      problem("no-value", "warning", 100),
      problem("incomplete-visit", "error", 50),
      problem("unreadable-input", "warning", 1),
      problem("unreadable-input", "error", 1)
    ]))
    assert.deepStrictEqual(order.map(({ first: { code, severity } }) => `${severity} ${code}`), [
      "error unreadable-input",
      "error incomplete-visit",
      "warning no-value",
      "warning unreadable-input"
    ])
    assert.deepStrictEqual(present(order[0]).others, [])
  })
})
