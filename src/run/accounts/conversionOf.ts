import { Stream } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { knownValuesOf } from "../../mapping/codes/knownValues.ts"
import type { Conversion, RejectedRecord } from "../Conversion.ts"
import type { ConvertedRun } from "../convertRun.ts"
import type { PreparedRun } from "../prepareRun.ts"
import type { ReadRun } from "../read/readRun.ts"
import { copiesInOtherFiles } from "./copiesInOtherFiles.ts"

/** Returns the visits and totals of a run, with file names in a form that may be shown. */
export const conversionOf = (
  { checked: { plan }, labels, mistakes }: PreparedRun,
  { part, problems: ofInputs, records, tables, unreadable }: ReadRun,
  { groups, fieldOrigin, partCounts, problems, totals, visits }: ConvertedRun
): Conversion => {
  const labelled = <A extends Pick<Diagnostic, "facts" | "origin">>(about: A): A => labels.about(about)
  // Every part is converted with the same mapping: the first one reports its warnings.
  const ofRun = [...part === undefined || part.index === 1 ? mistakes : [], ...ofInputs]
  let made = 0
  return {
    records: records + unreadable.length,
    unreadable: unreadable.length,
    groups,
    tables: tables.map((table) => ({ ...table, file: labels.of(table.file) })),
    visits: Stream.map(visits, (visit) => {
      made++
      return { ...labelled(visit), problems: visit.problems.map(labelled) }
    }),
    totals: () => {
      const { coverage, namelessCopies, ...all } = totals()
      const unused = all.unused.values().reduce((sum, count) => sum + count, 0)
      return {
        ...all,
        groups: made,
        records: unreadable.length + all.usedRecords + all.rejectedRecords.length + unused,
        rejectedRecords: [...unreadable.map(rejectedInput), ...all.rejectedRecords].map((record) => ({
          ...labelled(record),
          problems: record.problems.map(labelled)
        })),
        problems: [...ofRun, ...problems(), ...copiesInOtherFiles(plan, namelessCopies)].map(labelled),
        ...(coverage === undefined ? {} : {
          coverage: {
            types: coverage.types,
            elements: coverage.elements.map(labelled),
            unusedRecords: coverage.unusedRecords.map(labelled)
          }
        })
      }
    },
    fieldOrigin: (source, field) => {
      const origin = fieldOrigin(source, field)
      return origin === undefined ? undefined : labelled(origin)
    },
    mappingHash: plan.hash,
    assumptions: plan.assumptions,
    ...(part === undefined ? {} : { part: { ...part, counts: partCounts } }),
    conceptMapLists: new Map(
      [...plan.conceptMaps.values()].flatMap(({ list, name }) => (list === undefined ? [] : [[name, list]]))
    ),
    conceptMapValues: new Map([...plan.conceptMaps.values()].map((map) => [map.name, knownValuesOf(map)]))
  }
}

const rejectedInput = (problem: Diagnostic): RejectedRecord => ({
  source: problem.source ?? problem.origin?.reference ?? "",
  origin: problem.origin ?? { file: "", line: 0, reference: "" },
  problems: [problem]
})
