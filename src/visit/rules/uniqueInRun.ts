import { encounterCodesOf } from "../encounterCodes.ts"
import { toEpochMillis } from "../Timestamp.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { looseOf, textAt } from "./Rule.ts"
import { TextTable } from "./TextTable.ts"

/**
 * What must hold between the visits of a run: §4.5 rules 2 and 3, and that a patient has one visit at an admission time (§3). The
 * function returned remembers every visit it is given and tells how a visit clashes with an earlier one, whose code it names;
 * so the same visits in the same order give the same answer. A visit that repeats an earlier code is not remembered.
 * It keeps less than two hundred bytes for each visit: codes and times, nothing else.
 */
export const makeUniqueInRun = (): (visit: unknown) => ReadonlyArray<VisitProblem> => {
  /** Codes of visits behind the numbers of their facilities. Visits are known by the order they came in. */
  const visits = new TextTable((text) => text.toLowerCase())
  const facilities = new Map<string, number>()
  const instants: Array<number> = []
  const encounters = new TextTable((text) => text.toLowerCase())
  /** Of each encounter its visit. */
  const visitOf: Array<number> = []
  const patients = new TextTable()
  /** Of each patient the last visit, and of each visit the one of its patient before; `none` where there is none. */
  const lastOf: Array<number> = []
  const before: Array<number> = []

  const codeOf = (visit: number): string => {
    const text = visits.at(visit)
    return text.slice(text.indexOf(" ") + 1)
  }

  const encountersOf = (visit: unknown, self: number): ReadonlyArray<VisitProblem> =>
    encounterCodesOf(visit).flatMap(({ code, path }): ReadonlyArray<VisitProblem> => {
      const alike = encounters.alike(code)
      const known = alike.find((other) => encounters.at(other) === code)
      if (known === undefined) {
        encounters.add(code)
        visitOf.push(self)
        const spelled = alike.find((other) => visitOf[other] !== self)
        return spelled === undefined ? [] : [{
          code: "duplicate-code",
          severity: "warning",
          path,
          title: "only the case of letters tells `code` from that of an encounter of an earlier visit",
          facts: [["earlier", `visit ${codeOf(visitOf[spelled]!)}`]]
        }]
      }
      const earlier = visitOf[known]!
      return earlier === self ? [] : [{
        code: "duplicate-code",
        severity: "error",
        path,
        title: "an encounter of an earlier visit has this code",
        facts: [["earlier", `visit ${codeOf(earlier)}`]],
        help: "encounter codes are unique within the record system"
      }]
    })

  const admissionOf = (code: string, instant: number, self: number): ReadonlyArray<VisitProblem> => {
    const [known] = patients.alike(code)
    const patient = known ?? patients.add(code)
    const others: Array<number> = []
    for (let other = lastOf[patient] ?? none; other !== none; other = before[other]!) {
      if (minuteOf(instants[other]!) === minuteOf(instant)) others.push(other)
    }
    before[self] = lastOf[patient] ?? none
    lastOf[patient] = self
    const first = others.at(-1)
    if (first === undefined) return []
    const same = others.findLast((other) => instants[other] === instant)
    return [{
      code: "same-admission-time",
      severity: same === undefined ? "warning" : "error",
      path: ["admitted_at"],
      title: `the patient was admitted ${
        same === undefined ? "within the same minute" : "at the same time"
      } for an earlier visit`,
      facts: [["earlier", `visit ${codeOf(same ?? first)}`]],
      help: "the service refuses the second visit of a patient with the same admission time"
    }]
  }

  return (value) => {
    const visit = looseOf(value)
    const code = textAt(visit, "code")
    if (code === undefined) return []

    const facility = textAt(visit, "health_facility_code") ?? ""
    const number = facilities.get(facility) ?? facilities.size
    facilities.set(facility, number)
    const text = `${number} ${code}`
    const alike = visits.alike(text)
    if (alike.some((other) => visits.at(other) === text)) {
      return [{
        code: "duplicate-code",
        severity: "error",
        path: ["code"],
        title: "an earlier visit of the facility has the same code",
        facts: [["earlier", `visit ${code}`]],
        help: "visit codes are unique for each facility; look whether the same visit was read twice"
      }]
    }
    const self = visits.add(text)
    const patient = textAt(visit, "patient_code")
    const instant = toEpochMillis(textAt(visit, "admitted_at") ?? "")
    instants.push(instant)
    before.push(none)
    const [spelled] = alike
    const spelling: ReadonlyArray<VisitProblem> = spelled === undefined ? [] : [{
      code: "duplicate-code",
      severity: "warning",
      path: ["code"],
      title: "only the case of letters tells `code` from that of an earlier visit",
      facts: [["earlier", `visit ${codeOf(spelled)}`]]
    }]
    return [
      ...spelling,
      ...encountersOf(visit, self),
      ...(patient === undefined || Number.isNaN(instant) ? [] : admissionOf(patient, instant, self))
    ]
  }
}

const none = -1

const minuteOf = (instant: number): number => Math.floor(instant / 60_000)
