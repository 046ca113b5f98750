import { partOf, type Rule } from "./Rule.ts"

const written = ["nationality", "disabilities", "photos"]

/** §2.5: an empty string is sent if the nationality is unknown, and if there are no disabilities or photos. */
export const emptyIsWrittenEmpty: Rule = (visit, _settings, report) => {
  const patient = partOf(visit, "patient")
  for (const name of written) {
    if (patient[name] !== null) continue
    report({
      code: "invalid-field",
      severity: "warning",
      path: ["patient", name],
      title: `\`${name}\` is null; the specification sends an empty string here`
    })
  }
}
