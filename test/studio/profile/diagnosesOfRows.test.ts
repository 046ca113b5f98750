import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table } from "./drafted.ts"

interface Sent {
  readonly diagnosis: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The fields of the diagnoses of a visit. */
const fieldsOf = ({ diagnosis }: Sent, ...fields: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<unknown>> =>
  diagnosis.map((one) => fields.map((field) => one[field]))

describe("Codes that look like ICD-10", () => {
  it.effect("are no diagnoses if they are of tests, medicines or places", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(8, { header: ",location_code", more: (at) => `,W0${at}` }),
        "lab_results.csv": table("visit_no,code,test_name,result", 8, (at) => `V-${at},L0${at},Hb,12.${at}`),
        "dispensing.csv": table("visit_no,drug_name,atc_code", 8, (at) => `V-${at},Amoxicillin,J01CA04`),
        "bed_moves.csv": table("visit_no,bed_code,location_code", 8, (at) => `V-${at},B1${at},W0${at}`)
      })
      assert.lengthOf(visits, 8)
      assert.isTrue(visits.every(({ diagnosis }) => diagnosis.length === 0))
    }))

  it.effect("are asked about if no name says what they are, and taken beside the name of a diagnosis", () =>
    Effect.gen(function*() {
      const rows = (header: string) => ({
        ...days(8),
        "events.csv": table(`visit_no,${header}`, 8, (at) => `V-${at},A0${at},Text`)
      })
      const unknown = yield* drafted(rows("code,text"))
      assert.isTrue(unknown.visits.every(({ diagnosis }) => diagnosis.length === 0))
      assert.include(unknown.questions.replaceAll(/\s+/gu, " "), "are the codes of `events.code` diagnoses?")
      const known = yield* drafted(rows("code,diagnosis"))
      assert.deepStrictEqual(fieldsOf(known.visits[0], "diagnosis_code", "diagnosis_name"), [["A01", "Text"]])
    }))
})
