import { unitsAround } from "../values/Gazetteer.ts"
import { addressLevels } from "./addressCodesNest.ts"
import { partOf, type Rule, textAt } from "./Rule.ts"

/** Checks that the codes of an address are in the facility's gazetteer, and that each unit lies in the next higher one with a code. */
export const addressIsInGazetteer: Rule = (visit, { gazetteer }, report) => {
  if (gazetteer === undefined) return
  const address = partOf(partOf(visit, "patient"), "address")
  let outer: { readonly level: string; readonly code: string } | undefined
  for (const level of addressLevels) {
    const code = textAt(partOf(address, level), "code")
    if (code === undefined) continue
    const path = ["patient", "address", level, "code"]
    if (!gazetteer.has(code)) {
      report({
        code: "unknown-list-value",
        severity: "warning",
        path,
        title: `the code of the \`${level}\` is not in the gazetteer`,
        help: "correct the code in the source system, or update the gazetteer"
      })
      continue
    }
    if (outer !== undefined && !unitsAround(gazetteer, code).includes(outer.code)) {
      report({
        code: "contradiction",
        severity: "warning",
        path,
        title: `the \`${level}\` is not in the \`${outer.level}\`, according to the gazetteer`
      })
    }
    outer = { level, code }
  }
}
