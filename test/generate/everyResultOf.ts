import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { runSettings, visitChecks } from "../../src/run/checks/visitChecks.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import { recordsOf, type SourceText } from "../../src/studio/proof/recordsOf.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { now } from "../run/converted.ts"

const settings = { facility: FacilityCode("HF0001"), system: SystemCode("SYS-1"), zone: "Asia/Phnom_Penh" }
const checks = visitChecks(runSettings({}, { now, facility: settings.facility }))

/** Everything that a conversion of texts gives: visits, problems, assumptions, and the accounts of records and codes. */
export const everyResultOf = (checked: CheckedMapping, texts: ReadonlyArray<SourceText>) => {
  const { index, unreadable } = recordsOf(texts)
  const { totals, visits } = convertRecords({ ...settings, checked, records: index, ...checks, compareVisit: () => [] })
  const made = [...visits]
  return { visits: made, totals: totals(), unreadable }
}
