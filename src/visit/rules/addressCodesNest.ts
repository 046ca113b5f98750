import { partOf, type Rule, textAt } from "./Rule.ts"

/** The levels of an address (§2.5), the highest first. */
export const addressLevels = ["province", "district", "commune", "village"] as const

/**
 * Checks that the name of an administrative unit is not a number, which is its code in some sources. Checks that its code begins with that of
 * its parent, if both are digits. A gazetteer replaces the check of the codes.
 */
export const addressCodesNest: Rule = (visit, { gazetteer }, report) => {
  const address = partOf(partOf(visit, "patient"), "address")
  for (const level of addressLevels) {
    if (!/^\d+$/.test(textAt(partOf(address, level), "name") ?? "")) continue
    report({
      code: "odd-value",
      severity: "warning",
      path: ["patient", "address", level, "name"],
      title: `the name of the \`${level}\` is a number`,
      help: "if it is the code of the unit, send it as `code`"
    })
  }
  if (gazetteer !== undefined) return
  let outer: string | undefined
  let outerLevel = ""
  for (const level of addressLevels) {
    const code = textAt(partOf(address, level), "code")
    const inner = code !== undefined && /^\d+$/.test(code) ? code : undefined
    if (outer !== undefined && inner !== undefined && !(inner.startsWith(outer) && inner.length > outer.length)) {
      report({
        code: "contradiction",
        severity: "warning",
        path: ["patient", "address", level, "code"],
        title: inner === outer
          ? `the \`${level}\` has the code of the \`${outerLevel}\` that contains it`
          : `the \`${level}\` is not in the \`${outerLevel}\`: its code does not begin with that of the \`${outerLevel}\``
      })
    }
    outer = inner
    outerLevel = level
  }
}
