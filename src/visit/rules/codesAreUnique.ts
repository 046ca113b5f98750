import { encounterLists, entriesOf, type Loose, type Rule, textAt } from "./Rule.ts"

/**
 * §4.5 rule 3: encounter codes are unique, inside a visit too. That notes, prescriptions and invoices have codes of their own
 * is not written; two alike are worth a look. A prescription and its dispense may share a code.
 */
export const codesAreUnique: Rule = (visit, _settings, report) => {
  const encounters = new Map<string, string>()
  for (const list of encounterLists) {
    entriesOf(visit, list).forEach((entry, index) => {
      const code = textAt(entry, "code")
      if (code === undefined) return
      const earlier = encounters.get(code)
      if (earlier === undefined) encounters.set(code, `${list}[${index}]`)
      else {
        report({
          code: "duplicate-code",
          severity: "error",
          path: [list, index, "code"],
          title: `\`code\` is also that of \`${earlier}\`; encounter codes are unique`
        })
      }
    })
  }
  for (const [list, kindOf] of others) {
    const seen = new Map<string, number>()
    entriesOf(visit, list).forEach((entry, index) => {
      const code = textAt(entry, "code")
      if (code === undefined) return
      const key = kindOf(entry) + code
      const earlier = seen.get(key)
      if (earlier === undefined) seen.set(key, index)
      else {
        report({
          code: "duplicate-code",
          severity: "warning",
          path: [list, index, "code"],
          title: `\`code\` is also that of \`${list}[${earlier}]\``
        })
      }
    })
  }
}

const others: ReadonlyArray<readonly [list: string, kindOf: (entry: Loose) => string]> = [
  ["soaps", () => ""],
  ["prescriptions", (entry) => typeof entry.encounter_code === "string" ? "dispense " : "prescription "],
  ["invoices", () => ""]
]
