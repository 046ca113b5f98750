import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { originText } from "../../diagnostic/Origin.ts"
import { type JsonObject, jsonObjectsIn } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { compareAges } from "../../source/records/dedupeRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { isUniqueUrl } from "../functions/resourceKey.ts"
import { type GroupingContext, valuesOn } from "./GroupingContext.ts"
import type { GroupingPath } from "./GroupingPlan.ts"
import type { Bundles } from "./readBundles.ts"

/**
 * Finds document Bundles that must not be used. Each of their Compositions breaks a condition of the mapping, or has a newer version in
 * another document.
 */
export const withdrawnDocuments = (
  context: GroupingContext,
  compositions: ReadonlyArray<SourceRecord>,
  encounterOf: Bundles["encounterOf"]
): Bundles["withdrawn"] => {
  const { plan, source } = context
  const where = plan.bundles.get("document")?.where ?? []
  const ofBundle = Map.groupBy(compositions, ({ bundle }) => bundle?.key)
  const newer = newerVersions(compositions)
  const isTrueOf = (composition: SourceRecord) => (path: GroupingPath): boolean =>
    valuesOn(context, path, composition)[0] === true
  const fit = once(() => new Set(compositions.filter((one) => !newer.has(one) && where.every(isTrueOf(one)))))
  // Equal copies of a record in several documents are one record, of one of these documents. Another may still list it.
  const listed = once(() => {
    const encounters = new Map<SourceRecord, Set<SourceRecord | undefined>>()
    for (const composition of fit()) {
      if (composition.bundle === undefined) continue
      for (const entry of entriesOf(composition.resource)) {
        const target = source.resolve(entry, composition, "quietly")
        if (target !== undefined) getOrMake(encounters, target, () => new Set()).add(encounterOf(composition.bundle))
      }
    }
    return encounters
  })
  return (record, encounter, isLinked) => {
    if (record.bundle?.type !== "document" || (isLinked && !newer.has(record))) return undefined
    const [first, ...others] = ofBundle.get(record.bundle.key) ?? []
    return first === undefined || [first, ...others].some((one) => fit().has(one)) ||
        listed().get(record)?.has(encounter) === true
      ? undefined
      : withdrawn(record, first, newer.get(first))
  }
}

/** Returns the newer version of each Composition that has one in another document. */
const newerVersions = (compositions: ReadonlyArray<SourceRecord>): ReadonlyMap<SourceRecord, SourceRecord> => {
  const newer = new Map<SourceRecord, SourceRecord>()
  for (const [name, versions] of Map.groupBy(compositions, ({ fullUrl }) => fullUrl)) {
    if (name === undefined || versions.length < 2 || !isUniqueUrl(name)) continue
    const age = compareAges(versions)
    const [newest, ...others] = versions.toSorted(age)
    for (const other of others) if (newest !== undefined && age(newest, other) < 0) newer.set(other, newest)
  }
  return newer
}

/** The references to the records of a document, also those of sections within sections. */
const entriesOf = ({ entry, section }: JsonObject): ReadonlyArray<unknown> => [
  ...jsonObjectsIn(entry),
  ...jsonObjectsIn(section).flatMap(entriesOf)
]

const placeOf = ({ origin }: SourceRecord): string => `${origin.reference} ${originText(origin)}`

const withdrawn = (record: SourceRecord, document: SourceRecord, newer: SourceRecord | undefined): Diagnostic => ({
  code: "dropped-record",
  severity: "warning",
  title: record === document
    ? "a document must not be used, or has a newer version: it is not used"
    : "a record belongs to the visit only by a document that must not be used: it is not used",
  source: record.origin.reference,
  origin: record.origin,
  facts: [
    ["document", placeOf(document)],
    ...(newer === undefined ? [] : [["newer", placeOf(newer)] as const])
  ],
  help: [
    "if the document is right, correct its status in the source system, and what replaces it",
    "if only the record is right, add its encounter"
  ]
})

/** Delays a computation until its result is needed. */
const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
