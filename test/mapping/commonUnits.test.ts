import { assert, it } from "@effect/vitest"
import ucum from "@lhncbc/ucum-lhc"
import { commonUnits } from "../../src/mapping/apply/convertQuantity.ts"

it.each([...commonUnits])("UCUM knows %s", (unit) => {
  assert.strictEqual(ucum.UcumLhcUtils.getInstance().validateUnitString(unit).status, "valid")
})
