import { encounterLists, entriesOf, type Rule, textAt, type UnvalidatedVisit } from "./Rule.ts"

/**
 * §4.5 rule 3: encounter codes are unique, inside a visit too. Two codes that differ only in case give a warning. The specification does
 * not require unique codes of notes, prescriptions and invoices; equal ones give a warning. A prescription and its dispense may share a
 * code.
 */
export const codesAreUnique: Rule = (visit, _settings, report) => {
  const codes: Array<string> = []
  const places: Array<readonly [list: string, index: number]> = []
  for (const list of encounterLists) {
    const entries = entriesOf(visit, list)
    for (let index = 0; index < entries.length; index++) {
      const code = textAt(entries[index]!, "code")
      if (code === undefined) continue
      const same = codes.indexOf(code)
      const alike = same === -1 ? indexOfSpelling(codes, code) : same
      if (alike !== -1) {
        const [other, at] = places[alike]!
        report({
          code: "duplicate-code",
          severity: same === -1 ? "warning" : "error",
          path: [list, index, "code"],
          title: same === -1
            ? `\`code\` differs only in letter case from that of \`${other}[${at}]\``
            : `\`code\` is also that of \`${other}[${at}]\`; encounter codes are unique`
        })
      }
      codes.push(code)
      places.push([list, index])
    }
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

/** Returns the index of the first code that differs from this one only in case. */
const indexOfSpelling = (codes: ReadonlyArray<string>, code: string): number => {
  const folded = code.toLowerCase()
  return codes.findIndex((other) => other.length === code.length && other.toLowerCase() === folded)
}

const others: ReadonlyArray<readonly [list: string, kindOf: (entry: UnvalidatedVisit) => string]> = [
  ["soaps", () => ""],
  ["prescriptions", (entry) => typeof entry.encounter_code === "string" ? "dispense " : "prescription "],
  ["invoices", () => ""]
]
