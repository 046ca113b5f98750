import { partOf, type Rule, textAt } from "./Rule.ts"

/** The levels of an address (§2.5), the highest first. */
export const addressLevels = ["province", "district", "commune", "village"] as const

/** Checks that the code of an administrative unit begins with that of its parent, if both are digits. A gazetteer replaces this check. */
export const addressCodesNest: Rule = (visit, { gazetteer }, report) => {
  if (gazetteer !== undefined) return
  const address = partOf(partOf(visit, "patient"), "address")
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
