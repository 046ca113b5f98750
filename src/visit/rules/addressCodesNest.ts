import { partOf, type Rule, textAt } from "./Rule.ts"

/** The levels of an address (§2.5), the highest first. */
export const addressLevels = ["province", "district", "commune", "village"] as const

/** Checks that the code of an administrative unit begins with that of its parent, if both are digits. A gazetteer is more precise. */
export const addressCodesNest: Rule = (visit, { gazetteer }, report) => {
  if (gazetteer !== undefined) return
  const address = partOf(partOf(visit, "patient"), "address")
  for (let i = 1; i < addressLevels.length; i++) {
    const outer = textAt(partOf(address, addressLevels[i - 1]!), "code")
    const inner = textAt(partOf(address, addressLevels[i]!), "code")
    if (outer === undefined || inner === undefined || !/^\d+$/.test(outer) || !/^\d+$/.test(inner)) continue
    if (inner.startsWith(outer) && inner.length > outer.length) continue
    report({
      code: "contradiction",
      severity: "warning",
      path: ["patient", "address", addressLevels[i]!, "code"],
      title: inner === outer
        ? `the \`${addressLevels[i]}\` has the code of the \`${addressLevels[i - 1]}\` it lies in`
        : `the \`${addressLevels[i]}\` is not in the \`${
          addressLevels[i - 1]
        }\`: its code does not begin with that one's`
    })
  }
}
