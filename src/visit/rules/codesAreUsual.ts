import { getOrMake } from "../../maps.ts"
import { UserPattern } from "../../pattern/UserPattern.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import {
  defaultRuleSettings,
  encounterLists,
  entriesOf,
  type ReportProblem,
  type Rule,
  textAt,
  type UnvalidatedVisit
} from "./Rule.ts"

/**
 * Checks the form of the codes that must be unique: those of the visit, its patient and its encounters. They consist of letters, digits and
 * the signs `.`, `_` and `-`, and are not longer than a typical database column. The specification shows no form; a different one is a
 * setting.
 */
export const codesAreUsual: Rule = (visit, settings, report) => {
  if (visit["health_facility_code"] === unsetFacility) report(noFacility)
  const isUsual = testOf(settings.codePattern)
  checkCode(visit, "patient_code", isUsual, [], report)
  checkCode(visit, "code", isUsual, [], report)
  for (const list of encounterLists) {
    entriesOf(visit, list).forEach((entry, index) => checkCode(entry, "code", isUsual, [list, index], report))
  }
}

/** The base mappings' value for a facility that neither the source nor the settings name (`default_facility`). */
const unsetFacility = "UNSET"

const noFacility: VisitProblem = {
  code: "odd-value",
  severity: "warning",
  path: ["health_facility_code"],
  title: "`health_facility_code` is a substitute: the facility of these visits is unknown",
  help: "write  facility: CODE  in facility.yaml, or set FHIR2VISIT_FACILITY_CODE"
}

const checkCode = (
  value: UnvalidatedVisit,
  name: string,
  isUsual: CodeTest,
  path: ReadonlyArray<string | number>,
  report: ReportProblem
): void => {
  const code = textAt(value, name)
  const found = code === undefined || isUsual(code)
  if (found === true) return
  report({
    code: "odd-value",
    severity: "warning",
    path: [...path, name],
    ...(found === undefined ? undecided(name) : {
      title: `\`${name}\` does not look like a code`,
      help:
        "the specification shows no form; for codes of another form, set in facility.yaml:  validation: {codePattern: …}"
    })
  })
}

const undecided = (name: string): Pick<VisitProblem, "title" | "help"> => ({
  title: `\`${name}\` cannot be compared with \`codePattern\`, which takes too long`,
  help: "write a pattern that repeats in fewer places"
})

/** Returns `undefined` if the comparison takes too long. */
type CodeTest = (code: string) => boolean | undefined

/** Checks the default form without a regular expression, because every code of every visit is checked. */
const isUsualCode = (code: string): boolean => {
  if (code.length > 64) return false
  for (let at = 0; at < code.length; at++) {
    const sign = code.charCodeAt(at)
    const isPlain = (sign >= 97 && sign <= 122) || (sign >= 48 && sign <= 57) || (sign >= 65 && sign <= 90) ||
      sign === 45 || sign === 46 || sign === 95
    if (!isPlain) return false
  }
  return true
}

const tests = new Map<string, CodeTest>([[defaultRuleSettings.codePattern, isUsualCode]])

const testOf = (pattern: string): CodeTest =>
  getOrMake(tests, pattern, () => {
    const form = new UserPattern(`^(?:${pattern})$`, "u")
    return (code) => form.test(code)
  })
