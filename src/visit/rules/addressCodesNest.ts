import { partOf, type Rule, textAt } from "./Rule.ts"

const levels = ["province", "district", "commune", "village"]

/** The code of an administrative unit begins with that of the unit it lies in, where both are of digits. */
export const addressCodesNest: Rule = (visit, _settings, report) => {
  const address = partOf(partOf(visit, "patient"), "address")
  for (let i = 1; i < levels.length; i++) {
    const outer = textAt(partOf(address, levels[i - 1]!), "code")
    const inner = textAt(partOf(address, levels[i]!), "code")
    if (outer === undefined || inner === undefined || !/^\d+$/.test(outer) || !/^\d+$/.test(inner)) continue
    if (inner.startsWith(outer) && inner.length > outer.length) continue
    report({
      code: "contradiction",
      severity: "warning",
      path: ["patient", "address", levels[i]!, "code"],
      title: inner === outer
        ? `the \`${levels[i]}\` has the code of the \`${levels[i - 1]}\` it lies in`
        : `the \`${levels[i]}\` is not in the \`${levels[i - 1]}\`: its code does not begin with that one's`
    })
  }
}
