import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import type { Invoice } from "fhir/r4.d.ts"
import { at } from "../../src/at.ts"
import { compare, decimalText, fromText, subtract, sum } from "../../src/json/Decimal.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { decodeVisit } from "../../src/visit/decode.ts"
import { only, present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { asFile, convert, loadChecked } from "./convert.ts"
import { ordinaryVisit } from "./ordinaryVisit.ts"

const checked = await loadChecked()

const amount = fc.tuple(fc.integer({ min: 0, max: 999_999_999_999 }), fc.stringMatching(/^(?:\.\d{1,4})?$/)).map((
  [whole, cents]
) => present(fromText(`${whole}${cents}`)))

const line = fc.record({ price: amount, discounts: fc.array(amount, { maxLength: 4 }) })

/** An invoice as a hospital writes it: prices and discounts, and no word of what is to be paid. */
const invoiced = (lines: ReadonlyArray<typeof line extends fc.Arbitrary<infer A> ? A : never>): string => {
  const bundle = toFhir({ ...ordinaryVisit, invoices: [at(ordinaryVisit.invoices, 0)] })
  const entry = present(bundle.entry).map(({ resource, ...rest }) => {
    if (resource?.resourceType !== "Invoice") return { ...rest, resource }
    // FHIR's `resourceType` is the type of the resource.
    const invoice = resource as Invoice
    const service = present(invoice.lineItem?.[0])
    return {
      ...rest,
      resource: {
        ...invoice,
        lineItem: lines.map(({ discounts, price }) => ({
          chargeItemReference: service.chargeItemReference,
          priceComponent: [
            { type: "base", amount: { value: price } },
            // A discount is written as a reduction or as what is taken off.
            ...discounts.map((value, n) => ({
              type: n % 2 === 0 ? "discount" : "deduction",
              amount: { value: n % 2 === 0 ? value : subtract(0, value) }
            }))
          ]
        }))
      }
    }
  })
  return JSON.stringify({ ...bundle, entry })
}

describe("law: money is added exactly", () => {
  it("adds discounts and subtracts them from the price without a double", { timeout }, () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const { json } = only(convert(checked, [asFile(invoiced(lines))]).visits)
        const { services } = at(Result.getOrThrow(decodeVisit(json)).invoices, 0)
        assert.strictEqual(services.length, lines.length)
        services.forEach(({ discount, payment, price }, index) => {
          const { discounts, price: expected } = at(lines, index)
          const [taken, left] = [present(discount), present(payment)]
          assert.strictEqual(decimalText(present(price)), decimalText(expected))
          assert.strictEqual(compare(taken, sum(discounts)), 0, decimalText(taken))
          assert.strictEqual(compare(left, subtract(expected, sum(discounts))), 0, decimalText(left))
        })
      }),
      { numRuns: runs(25) }
    )
  })
})
