import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { EvaluationScope } from "../../functions/EvaluationScope.ts"
import type { MappingPlan } from "../../MappingPlan.ts"
import { RecordKeys } from "./RecordKeys.ts"

/** Queries on the run's records; the record index of `source` implements them. */
export interface RecordLookup {
  /** Looked up `quietly`, a reference that leads nowhere is not counted. */
  readonly resolve: (reference: unknown, from: SourceRecord, quietly?: "quietly") => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
}

/** The scope in which a mapping's functions are evaluated outside of a visit: references, reverse references and business keys. */
export const runScope = (
  plan: MappingPlan,
  lookup: RecordLookup,
  { facility, system, zone }: {
    readonly facility: string | null
    readonly system: string | null
    readonly zone: string
  }
): EvaluationScope => {
  const scope: EvaluationScope = {
    zone,
    resolve: lookup.resolve,
    reverse: lookup.reverse,
    anyTarget: lookup.resolve,
    anyReverse: lookup.reverse,
    keyOf: (name, record) => keys.of(name, record),
    conceptMap: (name) => plan.conceptMaps.get(name),
    inVisit: () => [],
    ofPatient: () => [],
    encounters: [],
    encounterOf: () => undefined,
    ...unreported
  }
  const keys = new RecordKeys(plan, scope, { facility, system })
  return scope
}

/** The parts of a scope that receive reports, for an evaluation whose reports are of no interest. */
const unreported: Pick<EvaluationScope, "assumed" | "keyWarning" | "read" | "unmapped"> = {
  assumed: () => undefined,
  keyWarning: () => undefined,
  read: () => undefined,
  unmapped: () => undefined
}

const unknown = (): never => {
  throw new Error("the records are still being read")
}

/** The scope while records are read. Functions cannot follow references yet: an expression that calls one fails. */
export const readingScope: EvaluationScope = {
  get zone() {
    return unknown()
  },
  resolve: unknown,
  reverse: unknown,
  anyTarget: unknown,
  anyReverse: unknown,
  keyOf: unknown,
  conceptMap: unknown,
  inVisit: unknown,
  ofPatient: unknown,
  encounters: [],
  encounterOf: unknown,
  ...unreported
}
