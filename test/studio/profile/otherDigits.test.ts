import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

/** A text with the digits of a script, whose zero has this code. */
const inScript = (zero: number) => (text: string): string =>
  text.replaceAll(/\d/gu, (digit) => String.fromCharCode(zero + Number(digit)))

const scripts = [
  ["Khmer", inScript(0x17e0)],
  ["Thai", inScript(0xe50)],
  ["Arabic", inScript(0x660)],
  ["full width", inScript(0xff10)]
] as const

describe("Digits of other scripts in columns of texts", () => {
  for (const [name, write] of scripts) {
    it.effect(`are numbers in pressures, results, doses and durations: ${name}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* drafted({
          ...days(20, { header: ",bp", more: (at) => `,${write(`12${at % 10}/80`)}` }),
          "lab_results.csv": table(
            "request_no,visit_no,test_name,result,unit,taken",
            20,
            (at) => `L-${at},V-${at},CRP,${at % 5 === 0 ? "not seen" : write(`${at}.5`)},mg/L,2026-03-${two(at)} 08:30`
          ),
          "prescriptions.csv": table(
            "rx_no,visit_no,drug_code,drug_name,morning,noon,days,ordered",
            20,
            (at) =>
              `X-${at},V-${at},PARA,paracetamol,${write("1")},${write("1/2")},${write(at % 2 ? "5/7" : "3")},2026-03-${
                two(at)
              } 08:40`
          )
        })
        const [
          { laboratories: [{ results: [result] }], prescriptions: [{ medications: [dose] }], vital_signs: [signs] }
        ] = visits
        assert.deepStrictEqual(signs.observations.map((one: { readonly value: unknown }) => one.value), [121, 80])
        assert.deepStrictEqual([result.value, result.value_type], [1.5, "float"])
        assert.deepStrictEqual([dose.morning, dose.afternoon, dose.days], [1, 0.5, 5])
        assert.strictEqual(visits[4].laboratories[0].results[0].value, "not seen")
      }))
  }

  it.effect("stay as they are written in a phone number", () =>
    Effect.gen(function*() {
      const phone = inScript(0x17e0)("012000001")
      const { visits } = yield* drafted({
        ...days(6),
        "patients.csv": table("patient_no,surname,birth_date,sex,phone", 6, (at) =>
          `P-${at},Example,1990-04-12,F,${phone}`)
      })
      assert.strictEqual(visits[0].patient.phone, phone)
    }))
})
