import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Facility } from "../../../facility/Facility.ts"
import type { CheckedMapping } from "../../../mapping/check/check.ts"
import type { VisitGroup } from "../../../mapping/grouping/VisitGroup.ts"
import type { Syntax } from "../../../mapping/language/MappingSyntax.ts"
import { UnreadableRecords } from "../../../run/accounts/UnreadableRecords.ts"
import { runSettings, visitChecks } from "../../../run/checks/visitChecks.ts"
import type { ConvertedVisit } from "../../../run/Conversion.ts"
import { convertRecords } from "../../../run/convertRecords.ts"
import { separateCopies } from "../../../run/separateCopies.ts"
import type { RecordIndex } from "../../../source/records/RecordIndex.ts"
import { makeUniqueInRun } from "../../../visit/rules/uniqueInRun.ts"
import type { ReferenceLists } from "../../../visit/values/ReferenceList.ts"
import { FieldLayers } from "./FieldLayers.ts"
import type { ReadRecords } from "./readRecords.ts"

/** A valid mapping, with every file that it was read from. */
export interface GoodMapping {
  readonly facility: Facility
  readonly lists: ReferenceLists
  readonly checked: CheckedMapping
  readonly syntax: Syntax
  readonly texts: ReadonlyMap<string, string>
  readonly warnings: ReadonlyArray<Diagnostic>
  /** Whether a file belongs to the facility; the others are part of the program. */
  readonly isOwn: (file: string) => boolean
}

/** A mapping applied to the input records: every visit in order, as `convert` makes it, and any visit with its provenance. */
export interface Applied {
  readonly mapping: GoodMapping
  readonly records: RecordIndex
  readonly layers: FieldLayers
  /** The visits by their keys, in the order of `visits`. */
  readonly groups: ReadonlyMap<string, VisitGroup>
  readonly visits: Iterable<ConvertedVisit>
  readonly totals: ReturnType<typeof convertRecords>["totals"]
  readonly ofPatient: ReturnType<typeof convertRecords>["grouping"]["ofPatient"]
  /** Makes the visit of a group by itself, with its problems. */
  readonly visitOf: ReturnType<typeof convertRecords>["visitOf"]
  /** The problems from comparing a visit with those before it; empty until the visit is compared. */
  readonly compared: ReadonlyMap<string, ReadonlyArray<Diagnostic>>
}

/** Groups the records by a mapping; visits are converted lazily. */
export const applyMapping = (
  mapping: GoodMapping,
  { records: read, unreadable }: ReadRecords,
  now: number
): Applied => {
  const { checked, facility, lists, syntax, texts } = mapping
  const settings = { facility: facility.code, system: facility.system, zone: facility.timezone }
  const records = separateCopies(read, checked.plan, settings)
  const checks = visitChecks(runSettings(facility.validation, { now, facility: facility.code, lists }))
  const compared = new Map<string, ReadonlyArray<Diagnostic>>()
  let keys: ReadonlyArray<string> = []
  let next = 0
  const { grouping, totals, visitOf, visits } = convertRecords({
    withUnread: true,
    checked,
    records,
    ...settings,
    ...checks,
    unreadable: new UnreadableRecords(unreadable),
    compareVisit: makeUniqueInRun(),
    compared: (_, problems) => {
      const key = keys[next]
      if (key !== undefined) compared.set(key, problems)
    }
  })
  const groups = keyed(grouping.groups)
  keys = [...groups.keys()]
  return {
    mapping,
    records,
    layers: new FieldLayers(syntax, texts),
    groups,
    visits: counted(visits, () => {
      next++
    }),
    totals,
    ofPatient: grouping.ofPatient,
    visitOf,
    compared
  }
}

function* counted<A>(items: Iterable<A>, taken: () => void): Generator<A> {
  for (const item of items) {
    taken()
    yield item
  }
}

/** The key of a visit is its main record, which is the same under every mapping. If several have one name, the key adds the location. */
const keyed = (groups: ReadonlyArray<VisitGroup>): ReadonlyMap<string, VisitGroup> => {
  const found = new Map<string, VisitGroup>()
  for (const group of groups) {
    const { file, line, reference } = group.root.origin
    let key = found.has(reference) ? `${reference} ${file}:${line}` : reference
    while (found.has(key)) key += "'"
    found.set(key, group)
  }
  return found
}
