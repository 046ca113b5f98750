import { toEpochMillis } from "../Timestamp.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { encounterLists, entriesOf, looseOf, textAt } from "./Rule.ts"

interface Earlier {
  readonly instant: number
  readonly visit: string
}

/**
 * What must hold between the visits of a run: §4.5 rules 2 and 3, and that a patient has one visit at an admission time (§3). The
 * function returned remembers every visit it is given and tells how a visit clashes with an earlier one, whose code it names;
 * so the same visits in the same order give the same answer. A visit that repeats an earlier code is not remembered.
 */
export const makeUniqueInRun = (): (visit: unknown) => ReadonlyArray<VisitProblem> => {
  const visits = new Map<string, string>()
  const encounters = new Map<string, string>()
  const admissions = new Map<string, Array<Earlier>>()

  return (value) => {
    const visit = looseOf(value)
    const code = textAt(visit, "code")
    if (code === undefined) return []
    const problems: Array<VisitProblem> = []

    const key = `${textAt(visit, "health_facility_code") ?? ""}\n${code.toLowerCase()}`
    const alike = visits.get(key)
    if (alike === code) {
      return [{
        code: "duplicate-code",
        severity: "error",
        path: ["code"],
        title: `an earlier visit of the facility has the code \`${code}\` too`,
        help: "visit codes are unique for each facility; look whether the same visit was read twice"
      }]
    }
    if (alike === undefined) visits.set(key, code)
    else {
      problems.push({
        code: "duplicate-code",
        severity: "warning",
        path: ["code"],
        title: `only the case of letters tells \`code\` from that of the earlier visit \`${alike}\``
      })
    }

    for (const list of encounterLists) {
      entriesOf(visit, list).forEach((entry, index) => {
        const own = textAt(entry, "code")
        if (own === undefined) return
        const earlier = encounters.get(own)
        if (earlier === undefined) encounters.set(own, code)
        else if (earlier !== code) {
          problems.push({
            code: "duplicate-code",
            severity: "error",
            path: [list, index, "code"],
            title: `an encounter of the earlier visit \`${earlier}\` has this code`,
            help: "encounter codes are unique within the record system"
          })
        }
      })
    }

    const patient = textAt(visit, "patient_code")
    const instant = toEpochMillis(textAt(visit, "admitted_at") ?? "")
    if (patient !== undefined && !Number.isNaN(instant)) {
      const minute = `${patient}\n${Math.floor(instant / 60_000)}`
      const others = admissions.get(minute) ?? []
      const same = others.find((other) => other.instant === instant)
      const close = same ?? others[0]
      if (close !== undefined) {
        problems.push({
          code: "same-admission-time",
          severity: same === undefined ? "warning" : "error",
          path: ["admitted_at"],
          title: `the patient was admitted ${
            same === undefined ? "within the same minute" : "at the same time"
          } for the earlier visit \`${close.visit}\``,
          help: "the service refuses the second visit of a patient with the same admission time"
        })
      }
      admissions.set(minute, [...others, { instant, visit: code }])
    }
    return problems
  }
}
