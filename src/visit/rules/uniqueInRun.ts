import { getOrMake } from "../../maps.ts"
import { encounterCodesOf } from "../encounterCodes.ts"
import { hasNoErrors } from "../validateVisit.ts"
import { toEpochMillis } from "../values/Timestamp.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { entriesOf, textAt, toUnvalidated, type UnvalidatedVisit } from "./Rule.ts"
import { Numbers, TextTable } from "./TextTable.ts"

/**
 * Compares a visit with the earlier ones. `isSent`: whether it is sent with the problems found (default: if none of them is an error). A
 * visit that is not sent is not remembered, so that it blocks none.
 */
export type CompareVisit = (
  visit: unknown,
  origin?: VisitOrigin,
  isSent?: (problems: ReadonlyArray<VisitProblem>) => boolean
) => ReadonlyArray<VisitProblem>

/** The source location of a visit, or of the record it was made from. */
interface VisitOrigin {
  readonly file: string
  readonly line: number
}

/**
 * Checks the rules between the visits of a run (§4.5 rules 1, 2 and 3). A patient has one visit per admission time (§3). A visit during
 * a stay of the patient gives a warning. So does a short number of a record that a record of another patient has. The returned
 * function reports conflicts with an earlier visit, with its code and source location, and remembers the visit if it is sent. The same
 * visits in the same order therefore give the same result. It keeps less than 200 bytes for each visit: only codes, times and source
 * locations.
 */
export const makeUniqueInRun = (): CompareVisit => {
  /** Visit codes prefixed with the number of their facility. Visits are numbered in order of arrival. */
  const visits = new TextTable((text) => text.toLowerCase())
  const facilities = new Map<string, number>()
  const instants: Array<number> = []
  /** The end of each visit, and whether it has a stay. */
  const ends: Array<number> = []
  const stays: Array<boolean> = []
  const encounters = new TextTable((text) => text.toLowerCase())
  /** The visit of each encounter. */
  const visitOf = new Numbers()
  /** Short numbers of other records, with the visit and the patient of each. */
  const records = new TextTable()
  const visitOfRecord = new Numbers()
  const patientOfRecord = new Numbers()
  const patients = new TextTable()
  /** The sex and the date of birth of each patient, and the first visit. */
  const persons = new TextTable()
  const personOf = new Numbers()
  const firstOf = new Numbers()
  /** The last visit of each patient, and the same patient's previous visit for each visit; `none` if there is none. */
  const lastOf: Array<number> = []
  const before: Array<number> = []
  /** For patients with many visits, such as a placeholder: the visits of each minute, one for each instant. */
  const minutesOf = new Map<number, Map<number, Array<number>>>()
  /** The source location of each visit: the number of its file's name, from 1, and the line. */
  const names = new TextTable()
  const files = new Numbers()
  const lines = new Numbers()

  const codeOf = (visit: number): string => {
    const text = visits.at(visit)
    return text.slice(text.indexOf(" ") + 1)
  }

  const numberOf = (file: string): number => names.alike(file)[0] ?? names.add(file)

  const factsOf = (visit: number): ReadonlyArray<readonly [name: string, text: string]> => {
    const file = files.at(visit)
    return [
      ["earlier", `visit ${codeOf(visit)}`],
      ...(file === 0 ? [] : [["other", `${names.at(file - 1)}:${lines.at(visit)}`] as const])
    ]
  }

  /** What to remember of a visit, once it is known that it is sent. */
  let later: Array<() => void> = []

  const encountersOf = (visit: unknown, self: number): ReadonlyArray<VisitProblem> =>
    encounterCodesOf(visit).flatMap(({ code, path }): ReadonlyArray<VisitProblem> => {
      const alike = encounters.alike(code)
      const known = alike.find((other) => encounters.at(other) === code)
      if (known === undefined) {
        later.push(() => {
          encounters.add(code)
          visitOf.push(self)
        })
        const [spelled] = alike
        return spelled === undefined ? [] : [{
          code: "duplicate-code",
          severity: "warning",
          path,
          title: "`code` differs only in letter case from that of an encounter of an earlier visit",
          facts: factsOf(visitOf.at(spelled))
        }]
      }
      return [{
        code: "duplicate-code",
        severity: "error",
        path,
        title: "an encounter of an earlier visit has this code",
        facts: factsOf(visitOf.at(known)),
        help: "encounter codes are unique within the record system"
      }]
    })

  /** A number that is counted for each patient or visit can have become the code of a record. */
  const recordsOf = (visit: UnvalidatedVisit, patient: number, self: number): ReadonlyArray<VisitProblem> =>
    recordCodes.flatMap(([list, field]) =>
      entriesOf(visit, list).flatMap((entry, index): ReadonlyArray<VisitProblem> => {
        const code = textAt(entry, field)
        if (code === undefined || !shortNumber.test(code)) return []
        const text = `${textAt(visit, "health_facility_code") ?? ""} ${list} ${code}`
        const [known] = records.alike(text)
        if (known === undefined) {
          later.push(() => {
            records.add(text)
            visitOfRecord.push(self)
            patientOfRecord.push(patient)
          })
          return []
        }
        return patientOfRecord.at(known) === patient ? [] : [{
          code: "duplicate-code",
          severity: "warning",
          path: [list, index, field],
          title: `an earlier visit of another patient has this \`${field}\``,
          facts: factsOf(visitOfRecord.at(known)),
          help:
            "a number that is counted for each patient identifies no record; check the key the code is made of, under `key:`"
        }]
      })
    )

  const minuteAt = (visit: number): number => minuteOf(instants[visit] ?? Number.NaN)

  /** Returns the patient's first earlier visit of the same minute, and the first of the same instant. */
  const earlierAt = (
    patient: number,
    minute: number,
    instant: number
  ): { readonly first: number | undefined; readonly same: number | undefined } => {
    const index = minutesOf.get(patient)
    const all: Array<number> = []
    if (index === undefined) {
      for (let other = lastOf[patient] ?? none; other !== none; other = before[other] ?? none) all.push(other)
      all.reverse()
      if (all.length === manyVisits) {
        const made = new Map<number, Array<number>>()
        for (const other of all) {
          const others = getOrMake(made, minuteAt(other), () => [])
          if (others.every((known) => instants[known] !== instants[other])) others.push(other)
        }
        minutesOf.set(patient, made)
      }
    }
    const others = index?.get(minute) ?? all.filter((other) => minuteAt(other) === minute)
    return { first: others[0], same: others.find((other) => instants[other] === instant) }
  }

  const patientOf = (code: string, self: number, visit: UnvalidatedVisit): number => {
    const [known] = patients.alike(code)
    if (known !== undefined) return known
    later.push(() => {
      firstOf.push(self)
      personOf.push(numberOfPerson(visit))
      patients.add(code)
    })
    return patients.length
  }

  const numberOfPerson = (visit: UnvalidatedVisit): number => {
    const { birthdate, sex } = toUnvalidated(visit.patient)
    const person = typeof sex === "string" && typeof birthdate === "string" ? `${sex} ${birthdate}` : ""
    return persons.alike(person)[0] ?? persons.add(person)
  }

  /** §4.5 rule 1: a patient code is unique. The first visit that states sex and date of birth counts. */
  const identityOf = (patient: number, visit: UnvalidatedVisit, self: number): ReadonlyArray<VisitProblem> => {
    if (patient === patients.length) return []
    const [one, other] = [personOf.at(patient), numberOfPerson(visit)]
    if (one === other || persons.at(other) === "") return []
    if (persons.at(one) === "") {
      later.push(() => {
        personOf.set(patient, other)
        firstOf.set(patient, self)
      })
      return []
    }
    return [{
      code: "duplicate-code",
      severity: "error",
      path: ["patient_code"],
      title: "an earlier visit has this patient code, with another sex or date of birth",
      facts: factsOf(firstOf.at(patient)),
      help:
        "patient codes are unique; correct the code or the patient in the record system. The earlier visit can be the wrong one"
    }]
  }

  const admissionOf = (patient: number, instant: number, self: number): ReadonlyArray<VisitProblem> => {
    const minute = minuteOf(instant)
    const { first, same } = earlierAt(patient, minute, instant)
    later.push(() => {
      const index = minutesOf.get(patient)
      if (index === undefined) {
        before[self] = lastOf[patient] ?? none
        lastOf[patient] = self
      } else if (same === undefined) getOrMake(index, minute, () => []).push(self)
    })
    if (first === undefined) return []
    return [{
      code: "same-admission-time",
      severity: same === undefined ? "warning" : "error",
      path: ["admitted_at"],
      title: `the patient was admitted ${
        same === undefined ? "within the same minute" : "at the same time"
      } for an earlier visit`,
      facts: factsOf(same ?? first),
      help: "correct one of the two times in the source, or send both as one visit: the service refuses the second"
    }]
  }

  const facilityOf = (visit: number): string => visits.at(visit).split(" ", 1)[0] ?? ""

  /**
   * A patient who is in a stay is in no second visit, and a stay that begins when another one of the facility ends can be its next ward.
   * Patients with many visits, such as a placeholder, are not compared.
   */
  const overlapOf = (
    patient: number,
    facility: number,
    start: number,
    end: number,
    stay: boolean
  ): ReadonlyArray<VisitProblem> => {
    if (minutesOf.has(patient)) return []
    let next: number | undefined
    for (let other = lastOf[patient] ?? none; other !== none; other = before[other] ?? none) {
      const [began = Number.NaN, ended = Number.NaN] = [instants[other], ends[other]]
      const isStay = stay || stays[other] === true
      if (
        stay && stays[other] === true && (minuteOf(ended) === minuteOf(start) || minuteOf(end) === minuteOf(began)) &&
        facilityOf(other) === String(facility)
      ) next ??= other
      if (!isStay || !(began < end && start < ended) || minuteOf(began) === minuteOf(start)) continue
      return [{
        code: "contradiction",
        severity: "warning",
        path: ["admitted_at"],
        title: "the patient is in an earlier visit at the same time, and one of the two is a stay",
        facts: factsOf(other),
        help: "correct the times in the source, or send both as one visit, with `partOf`"
      }]
    }
    return next === undefined ? [] : [{
      code: "contradiction",
      severity: "warning",
      path: ["admitted_at"],
      title: "a stay of the patient begins in the minute in which another one ends",
      facts: factsOf(next),
      help:
        "if the patient was only transferred to another ward, both are one visit: write `partOf` into the source, or read it in the mapping, under `grouping: partOf`"
    }]
  }

  return (value, origin, isSent = hasNoErrors) => {
    const visit = toUnvalidated(value)
    const code = textAt(visit, "code")
    if (code === undefined) return []

    const facility = textAt(visit, "health_facility_code") ?? ""
    const number = facilities.get(facility) ?? facilities.size
    facilities.set(facility, number)
    const text = `${number} ${code}`
    const alike = visits.alike(text)
    const repeated = alike.find((other) => visits.at(other) === text)
    if (repeated !== undefined) {
      return [{
        code: "duplicate-code",
        severity: "error",
        path: ["code"],
        title: "an earlier visit of the facility has the same code",
        facts: factsOf(repeated),
        help: "visit codes are unique for each facility; check whether the same visit was read twice"
      }]
    }
    const self = visits.length
    later = []
    const patientCode = textAt(visit, "patient_code")
    const patient = patientCode === undefined ? undefined : patientOf(patientCode, self, visit)
    const instant = toEpochMillis(textAt(visit, "admitted_at") ?? "")
    const end = toEpochMillis(textAt(visit, "discharged_at") ?? "")
    const stay = textAt(visit, "visit_type") === "IPD" || entriesOf(visit, "inpatients").length > 0
    const [spelled] = alike
    const spelling: ReadonlyArray<VisitProblem> = spelled === undefined ? [] : [{
      code: "duplicate-code",
      severity: "warning",
      path: ["code"],
      title: "`code` differs only in letter case from that of an earlier visit",
      facts: factsOf(spelled)
    }]
    const found = [
      ...spelling,
      ...encountersOf(visit, self),
      ...(patient === undefined ? [] : identityOf(patient, visit, self)),
      ...(patient === undefined ? [] : recordsOf(visit, patient, self)),
      ...(patient === undefined || Number.isNaN(instant)
        ? []
        : [...admissionOf(patient, instant, self), ...overlapOf(patient, number, instant, end, stay)])
    ]
    if (!isSent(found)) return found
    visits.add(text)
    files.push(origin === undefined ? 0 : 1 + numberOf(origin.file))
    lines.push(origin?.line ?? 0)
    instants.push(instant)
    ends.push(end)
    stays.push(stay)
    before.push(none)
    for (const remember of later) remember()
    return found
  }
}

const none = -1

/** Codes of records that belong to one patient. */
const recordCodes = [
  ["soaps", "code"],
  ["progress_notes", "code"],
  ["laboratories", "request_code"],
  ["imageries", "request_code"],
  ["prescriptions", "code"],
  ["invoices", "code"]
] as const

/** A code that can be counted from 1 for each patient. All others would take memory. */
const shortNumber = /^\d{1,6}$/u

/** From this number of visits of one patient on, they are looked up by minute. */
const manyVisits = 100

const minuteOf = (instant: number): number => Math.floor(instant / 60_000)
