import { Result } from "effect"
import fc from "fast-check"
import { compareTexts } from "../../compareTexts.ts"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import { getOrMake, increment } from "../../maps.ts"
import { convertRecords } from "../../run/convertRecords.ts"
import { parseJson } from "../../visit/decode.ts"
import { encodeVisit } from "../../visit/encode.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import { normalize } from "../canonical/normalize.ts"
import { rewriteSystems } from "../canonical/rewriteSystems.ts"
import { toFhir } from "../canonical/toFhir.ts"
import { arbitraryVisit } from "./arbitraryVisit.ts"
import { isMutable } from "./MutableObject.ts"
import { recordsOf, type SourceText } from "./recordsOf.ts"
import { variants } from "./variants.ts"

/** A field that differs after the round trip in at least one visit. */
interface DifferingField {
  /** Without indexes: `vital_signs.recorded_by`; `""` if there was no visit at all. */
  readonly field: string
  readonly visits: number
  /** The values of one visit, before and after. They are made up. */
  readonly sent: unknown
  readonly back: unknown
}

/** The result of converting made-up visits to FHIR and back with a mapping. */
export interface RoundTrip {
  readonly visits: number
  /** The same seed tries the same visits again. */
  readonly seed: number
  /** Fields that are lost or changed, the most frequent first. */
  readonly fields: ReadonlyArray<DifferingField>
  /** The number of visits with different bytes, by the form of the input. */
  readonly variants: ReadonlyMap<string, number>
  /** Visits with a record that was rejected. */
  readonly rejected: number
}

interface RoundTripOptions {
  readonly checked: CheckedMapping
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  /** IANA name. */
  readonly zone: string
  readonly visits: number
  readonly seed: number
}

/**
 * Tests the laws of the round trip with a mapping. A visit that is written as FHIR and converted must be the same visit. The order, the
 * files and the form of its records must make no difference.
 */
export const roundTrip = (options: RoundTripOptions): RoundTrip => {
  const { checked, seed, zone } = options
  const convert = (texts: ReadonlyArray<SourceText>) => {
    const { totals, visits } = convertRecords({
      checked,
      records: recordsOf(texts).index,
      facility: options.facility,
      system: options.system,
      zone,
      checkVisit: () => [],
      compareVisit: () => []
    })
    return { visits: [...visits].map(({ json }) => json), totals: totals() }
  }
  const found = new Map<string, { -readonly [K in keyof DifferingField]: DifferingField[K] }>()
  const differing = new Map<string, number>()
  let rejected = 0
  const trials = fc.tuple(arbitraryVisit, fc.constantFrom(...variants)).chain(([visit, variant]) => {
    const bundle = rewriteSystems(toFhir(visit), checked.plan.constants)
    return variant.of(bundle).map((texts) => ({ visit, bundle, variant: variant.name, texts }))
  })
  for (const { bundle, texts, variant, visit } of fc.sample(trials, { numRuns: options.visits, seed })) {
    const { totals, visits: [back, more] } = convert([{ file: "visit.json", text: JSON.stringify(bundle) }])
    const expected = encodeVisit(normalize(visit, zone))
    if (back !== expected || more !== undefined) {
      for (const [field, { one, other }] of fieldDifferences(expected, back)) {
        getOrMake(found, field, () => ({ field, visits: 0, sent: one, back: other })).visits++
      }
    }
    if (totals.rejectedRecords.length > 0) rejected++
    const again = convert(texts).visits
    if (again.length !== 1 || again[0] !== back) increment(differing, variant)
  }
  return {
    visits: options.visits,
    seed,
    fields: [...found.values()].toSorted((one, other) =>
      other.visits - one.visits || compareTexts(one.field, other.field)
    ),
    variants: differing,
    rejected
  }
}

interface Pair {
  readonly one: unknown
  readonly other: unknown
}

const fieldDifferences = (expected: string, back: string | undefined): ReadonlyMap<string, Pair> => {
  const found = new Map<string, Pair>()
  if (back === undefined) found.set("", { one: "a visit", other: "none" })
  else compare(valueOf(expected), valueOf(back), "", found)
  return found
}

const valueOf = (json: string): unknown => Result.getOrThrow(parseJson(json))

const compare = (one: unknown, other: unknown, field: string, found: Map<string, Pair>): void => {
  if (isMutable(one) && isMutable(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      compare(one[key], other[key], field === "" ? key : `${field}.${key}`, found)
    }
  } else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.some(isMutable)) {
    one.forEach((item, index) => compare(item, other[index], field, found))
  } else if (JSON.stringify(one) !== JSON.stringify(other) && !found.has(field)) found.set(field, { one, other })
}
