import type { Element, Variables } from "../../fhirpath/FhirPath.ts"
import { isPathFault, valuesOfPath } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { generateCode } from "../apply/generateCode.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import { resourceKey } from "../functions/functions.ts"
import type { MappingPlan } from "../MappingPlan.ts"

/** Queries on the run's records; the record index of `source` implements them. */
export interface RecordLookup {
  readonly resolve: (reference: unknown, from: SourceRecord) => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
}

/**
 * The scope in which a mapping's functions are evaluated before any visit is entered: references, reverse references and
 * business keys. Keys are found once for each record. They depend only on the record, the constants and the settings,
 * so codes are the same in every run.
 */
export const runScope = (
  plan: MappingPlan,
  lookup: RecordLookup,
  { facility, system, zone }: {
    readonly facility: string | null
    readonly system: string | null
    readonly zone: string
  }
): EvaluationScope => {
  const known = new Map<string, Map<SourceRecord, string | undefined>>()
  const variables: Variables = Object.assign(Object.create(plan.constants), {
    facility: facility ?? [],
    system: system ?? []
  })
  const find = (name: string, record: SourceRecord): string | undefined => {
    const key = plan.keys.get(name)
    if (key === undefined) return undefined
    const focus: ReadonlyArray<Element> = [plan.fhirPath.elementOf(record)]
    for (const path of key.paths) {
      const result = valuesOfPath(path, focus, variables)
      const value = isPathFault(result) ? undefined : result[0]
      if (typeof value === "string" && value.trim() !== "") return value
      if (typeof value === "number") return String(value)
    }
    return key.mint === undefined ? undefined : generateCode(key.mint, facility ?? "", name, resourceKey(record))
  }
  return {
    zone,
    resolve: lookup.resolve,
    reverse: lookup.reverse,
    keyOf: (name, record) => {
      const codes = getOrMake(known, name, () => new Map())
      if (!codes.has(record)) codes.set(record, find(name, record))
      return codes.get(record)
    },
    conceptMap: (name) => plan.conceptMaps.get(name),
    inVisit: () => [],
    ofPatient: () => [],
    encounters: [],
    encounterOf: () => undefined,
    unmapped: () => undefined,
    assumed: () => undefined,
    read: () => undefined
  }
}
