import { assert, describe, it } from "@effect/vitest"
import { at } from "../../src/at.ts"
import { fromText } from "../../src/json/Decimal.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { captures } from "../captures.ts"
import { present } from "../present.ts"
import { asFile, convert } from "./convert.ts"
import { checkedWith } from "./killMutants.ts"
import { ordinaryVisit, withoutStatements } from "./ordinaryVisit.ts"

const invoice = at(ordinaryVisit.invoices, 0)
const bundle = JSON.stringify(withoutStatements(toFhir({
  ...ordinaryVisit,
  invoices: ["10.50", "9.70", "100.20"].map((total, n) => ({
    ...invoice,
    code: `INV-${n}`,
    total: present(fromText(total))
  }))
})))

describe("numbers that a double would write differently", () => {
  it("are ordered by their value", () => {
    const [visit] = convert(checkedWith("visit: {invoices: {orderBy: [-total]}}"), [asFile(bundle)]).visits
    assert.deepStrictEqual(captures(present(visit).json, /"total":([\d.]+)/g), ["100.20", "10.50", "9.70"])
  })

  it("are distinguished if a path finds several for one field", () => {
    const checked = checkedWith(
      "visit: {invoices: {unionAll: {invoice: {total: lineItem.priceComponent.amount.value}}}}"
    )
    const [visit] = convert(checked, [asFile(bundle)]).visits
    assert.include(present(visit).problems.map(({ code }) => code), "too-many-values")
  })
})
