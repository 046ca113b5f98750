import { isPathFault, valuesOfPath } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { isNumbered } from "../language/Statements.ts"
import type { BranchPlan, MappingPlan, PathPlan } from "../MappingPlan.ts"
import type { Candidate, Exclusion } from "./VisitContext.ts"

/** A record as the candidate for a row. */
export const candidateOf = ({ fhirPath, statements }: MappingPlan, record: SourceRecord): Candidate => {
  const element = fhirPath.elementOf(record)
  return { record, focus: [element], numbered: statements !== undefined && isNumbered(statements, element), holds: 0 }
}

interface Chosen {
  readonly candidates: ReadonlyArray<Candidate>
  readonly refused: ReadonlyArray<Omit<Exclusion, "section">>
}

/**
 * The records of patients, chosen once for all their visits by conditions that do not depend on the visit. A line that reads all conditions
 * of a patient then checks only the remaining conditions for each visit.
 */
export class PatientRecords {
  readonly #plan: MappingPlan
  readonly #ofPatient: (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>
  readonly #chosen = new Map<BranchPlan, Map<string, Map<SourceRecord, Chosen>>>()
  readonly #steady = new Map<BranchPlan, ReadonlyArray<PathPlan>>()

  constructor(
    plan: MappingPlan,
    ofPatient: (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>
  ) {
    this.#plan = plan
    this.#ofPatient = ofPatient
  }

  chosen(
    patient: SourceRecord,
    branch: BranchPlan,
    type: string,
    section: string,
    tell: ((refusal: Exclusion) => void) | undefined
  ): ReadonlyArray<Candidate> {
    const ofType = madeIn(
      madeIn(this.#chosen, branch, newMap<string, Map<SourceRecord, Chosen>>),
      type,
      newMap<SourceRecord, Chosen>
    )
    const { candidates, refused } = madeIn(ofType, patient, () => this.#choose(patient, branch, type))
    if (tell !== undefined) { for (const one of refused) tell({ ...one, section }) }
    return candidates
  }

  #choose(patient: SourceRecord, branch: BranchPlan, type: string): Chosen {
    const conditions = madeIn(this.#steady, branch, () => this.#steadyConditions(branch))
    const candidates: Array<Candidate> = []
    const refused: Array<Chosen["refused"][number]> = []
    for (const record of this.#ofPatient(patient, type)) {
      const candidate = candidateOf(this.#plan, record)
      const holds = candidate.numbered ? 0 : this.#holding(conditions, candidate)
      if (typeof holds === "number") candidates.push({ ...candidate, holds })
      else refused.push({ record, condition: holds, passed: branch.where.indexOf(holds) })
    }
    return { candidates, refused }
  }

  /** Returns the number of leading conditions that hold, or the first condition that does not. */
  #holding(conditions: ReadonlyArray<PathPlan>, { focus }: Candidate): number | PathPlan {
    for (const [at, path] of conditions.entries()) {
      const found = valuesOfPath(path, focus, this.#plan.constants)
      // A condition that fails on a record is left to each visit, which reports it.
      if (isPathFault(found)) return at
      if (found.length !== 1 || found[0] !== true) return path
    }
    return conditions.length
  }

  /** The first conditions of a branch, up to the first that requires more than the record. */
  #steadyConditions({ where }: BranchPlan): ReadonlyArray<PathPlan> {
    const { constants } = this.#plan
    const end = where.findIndex((path) => {
      const needs = path.needs()
      // A condition that reports something reports it for each visit.
      return path.warn !== undefined || path.assume !== undefined || needs === undefined ||
        ![...needs].every((name) => name in constants)
    })
    return end < 0 ? where : where.slice(0, end)
  }
}

const newMap = <A, B>(): Map<A, B> => new Map()

const madeIn = <A, B>(map: Map<A, B>, key: A, make: () => B): B => {
  let value = map.get(key)
  if (value === undefined) map.set(key, value = make())
  return value
}
