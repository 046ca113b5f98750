import { encounterLists, entriesOf, type Rule, textAt, type UnvalidatedVisit } from "./Rule.ts"

/**
 * §4.5 rule 3: encounter codes are unique, inside a visit too. Two codes that differ only in case give a warning. The specification does
 * not require unique codes of notes, requests, prescriptions and invoices. Equal ones give a warning. So does a diagnosis that an encounter has twice
 * with one type. So does a medicine of a prescription, or a result of a laboratory, with the same values as another. A prescription and its
 * dispense may share a code.
 */
export const codesAreUnique: Rule = (visit, _settings, report) => {
  const seen: Array<{ readonly code: string; readonly list: string; readonly index: number }> = []
  for (const list of encounterLists) {
    entriesOf(visit, list).forEach((entry, index) => {
      const code = textAt(entry, "code")
      if (code === undefined) return
      const same = seen.find((other) => other.code === code)
      const alike = same ?? seen.find((other) => differsInCase(other.code, code))
      if (alike !== undefined) {
        report({
          code: "duplicate-code",
          severity: same === undefined ? "warning" : "error",
          path: [list, index, "code"],
          title: same === undefined
            ? `\`code\` differs only in letter case from that of \`${alike.list}[${alike.index}]\``
            : `\`code\` is also that of \`${alike.list}[${alike.index}]\`; encounter codes are unique`
        })
      }
      seen.push({ code, list, index })
    })
  }
  for (const [list, kindOf, field = "code"] of others) {
    const entries = entriesOf(visit, list)
    // A single entry repeats no other.
    if (entries.length < 2) continue
    const seen = new Map<string, number>()
    entries.forEach((entry, index) => {
      const code = textAt(entry, field)
      if (code === undefined) return
      const key = kindOf(entry) + code
      const earlier = seen.get(key)
      if (earlier === undefined) seen.set(key, index)
      else {
        report({
          code: "duplicate-code",
          severity: "warning",
          path: [list, index, field],
          title: `\`${field}\` is also that of \`${list}[${earlier}]\``
        })
      }
    })
  }
  for (const [list, rows, field] of repeated) {
    entriesOf(visit, list).forEach((entry, index) => {
      const all = entriesOf(entry, rows)
      if (all.length < 2) return
      for (const [name, named] of Map.groupBy(all.entries(), ([, row]) => textAt(row, field))) {
        if (name === undefined || named.length < 2) continue
        const seen = new Map<string, number>()
        for (const [at, row] of named) {
          const values = JSON.stringify(row)
          const earlier = seen.get(values)
          if (earlier === undefined) seen.set(values, at)
          else {
            report({
              code: "duplicate-code",
              severity: "warning",
              path: [list, index, rows, at, field],
              title: `\`${field}\` is also that of \`${rows}[${earlier}]\`, and so are all other values`
            })
          }
        }
      }
    })
  }
}

const differsInCase = (one: string, other: string): boolean =>
  one.length === other.length && one.toLowerCase() === other.toLowerCase()

const others: ReadonlyArray<readonly [list: string, kindOf: (entry: UnvalidatedVisit) => string, field?: string]> = [
  ["soaps", () => ""],
  ["prescriptions", (entry) => typeof entry.encounter_code === "string" ? "dispense " : "prescription "],
  ["invoices", () => ""],
  ["laboratories", () => "", "request_code"],
  ["imageries", () => "", "request_code"],
  ["diagnosis", ({ diagnosis_type_name: type, encounter_code: encounter }) => `${type} ${encounter} `, "diagnosis_code"]
]

const repeated = [["prescriptions", "medications", "code"], ["laboratories", "results", "name"]] as const
