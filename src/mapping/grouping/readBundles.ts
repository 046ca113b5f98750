import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { BundleContext, SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EncounterTree } from "./encounterTree.ts"
import type { GroupingContext } from "./GroupingContext.ts"
import { withdrawnDocuments } from "./withdrawnDocuments.ts"

/** The encounters and patients of Bundles that are one visit. */
export interface Bundles {
  /** The encounter of a Bundle: `Composition.encounter`, its only encounter, or the top of all of its encounters. */
  readonly encounterOf: (bundle: BundleContext) => SourceRecord | undefined
  /**
   * The problem of a record that belongs to the visit of an encounter only by a document that must not be used. A linked record has other
   * reasons to belong to it. An older version of a document always has it.
   */
  readonly withdrawn: (record: SourceRecord, encounter: SourceRecord, isLinked: boolean) => Diagnostic | undefined
  /** The only patient in the Bundle of an encounter. */
  readonly patientOf: (root: SourceRecord) => SourceRecord | undefined
}

/** Finds the Bundles that are one visit, and their encounters. */
export const readBundles = (
  context: GroupingContext,
  encounters: ReadonlyArray<SourceRecord>,
  { rootOf }: EncounterTree
): Bundles => {
  const { plan: { bundles }, source } = context
  const keyOf = ({ bundle }: SourceRecord): string | undefined =>
    bundle !== undefined && bundles.has(bundle.type) ? bundle.key : undefined
  const found = new Map<string, SourceRecord>()
  const compositions = (bundles.has("document") ? source.all("Composition") : [])
    .filter(({ bundle }) => bundle?.type === "document")
  for (const composition of compositions) {
    if (composition.bundle === undefined || composition.resource.encounter === undefined) continue
    const encounter = source.resolve(composition.resource.encounter, composition)
    if (encounter !== undefined) found.set(composition.bundle.key, encounter)
  }
  for (const [key, all] of bundles.size === 0 ? [] : Map.groupBy(encounters, keyOf)) {
    if (key === undefined || found.has(key)) continue
    const tops = new Set(all.map((one) => rootOf.get(one)))
    const [top] = all.length === 1 ? all : tops
    if (top !== undefined && tops.size === 1) found.set(key, top)
  }
  const encounterOf: Bundles["encounterOf"] = ({ key }) => found.get(key)
  let patients: Map<string | undefined, Array<SourceRecord>> | undefined
  return {
    encounterOf,
    withdrawn: withdrawnDocuments(context, compositions, encounterOf),
    patientOf: (root) => {
      const key = keyOf(root)
      if (key === undefined) return undefined
      patients ??= Map.groupBy(source.all("Patient"), keyOf)
      const [patient, ...others] = patients.get(key) ?? []
      return others.length === 0 ? patient : undefined
    }
  }
}
