import { toEpochMillis } from "../Timestamp.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { encounterLists, entriesOf, type Loose, looseOf, textAt } from "./Rule.ts"

/**
 * What must hold between the visits of a run: §4.5 rules 2 and 3, and that a patient has one visit at an admission time (§3). The
 * function returned remembers every visit it is given and tells how a visit clashes with an earlier one, whose code it names;
 * so the same visits in the same order give the same answer. A visit that repeats an earlier code is not remembered.
 * It keeps about a quarter of a kilobyte for each visit: codes and times, nothing else.
 */
export const makeUniqueInRun = (): (visit: unknown) => ReadonlyArray<VisitProblem> => {
  // Visits are known by the order they came in.
  const codes: Array<string> = []
  const instants: Array<number> = []
  const byCode = new Map<string, Map<string, number>>()
  const byEncounter = new Map<string, number>()
  const ofPatient = new Map<string, Array<number>>()

  const encountersOf = (visit: Loose, self: number): ReadonlyArray<VisitProblem> =>
    encounterLists.flatMap((list) =>
      entriesOf(visit, list).flatMap((entry, index): ReadonlyArray<VisitProblem> => {
        const own = textAt(entry, "code")
        if (own === undefined) return []
        const earlier = byEncounter.get(own)
        if (earlier === undefined) byEncounter.set(own, self)
        return earlier === undefined || earlier === self ? [] : [{
          code: "duplicate-code",
          severity: "error",
          path: [list, index, "code"],
          title: "an encounter of an earlier visit has this code",
          facts: [["earlier", `visit ${codes[earlier]}`]],
          help: "encounter codes are unique within the record system"
        }]
      })
    )

  const admissionOf = (patient: string, instant: number, self: number): ReadonlyArray<VisitProblem> => {
    const earlier = ofPatient.get(patient)
    if (earlier === undefined) {
      ofPatient.set(patient, [self])
      return []
    }
    const others = earlier.filter((other) => minuteOf(instants[other]!) === minuteOf(instant))
    earlier.push(self)
    const [first] = others
    if (first === undefined) return []
    const same = others.find((other) => instants[other] === instant)
    return [{
      code: "same-admission-time",
      severity: same === undefined ? "warning" : "error",
      path: ["admitted_at"],
      title: `the patient was admitted ${
        same === undefined ? "within the same minute" : "at the same time"
      } for an earlier visit`,
      facts: [["earlier", `visit ${codes[same ?? first]}`]],
      help: "the service refuses the second visit of a patient with the same admission time"
    }]
  }

  return (value) => {
    const visit = looseOf(value)
    const code = textAt(visit, "code")
    if (code === undefined) return []

    const facility = textAt(visit, "health_facility_code") ?? ""
    const ofFacility = byCode.get(facility) ?? new Map<string, number>()
    byCode.set(facility, ofFacility)
    const key = code.toLowerCase()
    const alike = ofFacility.get(key)
    if (alike !== undefined && codes[alike] === code) {
      return [{
        code: "duplicate-code",
        severity: "error",
        path: ["code"],
        title: "an earlier visit of the facility has the same code",
        facts: [["earlier", `visit ${code}`]],
        help: "visit codes are unique for each facility; look whether the same visit was read twice"
      }]
    }
    const self = codes.push(code) - 1
    const patient = textAt(visit, "patient_code")
    const instant = toEpochMillis(textAt(visit, "admitted_at") ?? "")
    instants.push(instant)
    if (alike === undefined) ofFacility.set(key, self)
    const spelling: ReadonlyArray<VisitProblem> = alike === undefined ? [] : [{
      code: "duplicate-code",
      severity: "warning",
      path: ["code"],
      title: "only the case of letters tells `code` from that of an earlier visit",
      facts: [["earlier", `visit ${codes[alike]}`]]
    }]
    return [
      ...spelling,
      ...encountersOf(visit, self),
      ...(patient === undefined || Number.isNaN(instant) ? [] : admissionOf(patient, instant, self))
    ]
  }
}

const minuteOf = (instant: number): number => Math.floor(instant / 60_000)
