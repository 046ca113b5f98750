import { Data, Effect, Stream } from "effect"
import type { FillVisit } from "../beneficiary/fillVisits.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { loadMapping } from "../mapping/loadMapping.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import { findInputs } from "../source/findInputs.ts"
import { readInputs } from "../source/readInput.ts"
import { RecordCollector } from "../source/RecordIndex.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { validateVisit } from "../visit/validateVisit.ts"
import type { ConvertedVisit, Home, RecordTotals, RejectedRecord } from "./convertRecords.ts"
import { convertRecords } from "./convertRecords.ts"
import { FileLabels } from "./fileLabels.ts"

/** The mapping is wrong: no record was read. */
export class MappingRefused extends Data.TaggedError("MappingRefused")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** What a conversion is asked for. */
export interface ConversionRequest {
  readonly inputs: ReadonlyArray<string>
  readonly mapping: string
  /** The folder of the mappings that come with the program. */
  readonly shippedMappings: string
  readonly facility: string | null
  readonly system: string | null
  /** Code tables of the facility, put on top of the mapping's concept maps. */
  readonly tables?: ReadonlyArray<NamedTable>
  /** IANA name. */
  readonly zone: string
  /** Milliseconds since 1970: what "in the future" is measured by. */
  readonly now: number
  /** Shows file names as they are, also where a patient's name is part of them. */
  readonly showValues: boolean
  /** Tell what no mapping line read. It takes time and memory for each record. */
  readonly coverage?: boolean
  /** Which names of the service's lists mean what, where they differ from the usual; and the lists that are at hand. */
  readonly validation?: Partial<RuleSettings>
  /** Fills in what is known of a visit elsewhere, before it is validated. */
  readonly fill?: FillVisit
}

/** What is known when the last visit has been taken. */
export interface ConversionTotals extends RecordTotals {
  /** Problems that belong to no visit: of the inputs as a whole, and of records that are in several places. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** What was read, and the visits made of it. */
export interface Conversion {
  /** Records that were met: in a visit, rejected (unreadable ones too), or not used. */
  readonly records: number
  /** Of these, lines, entries and files that could not be read; each is one of the rejected. */
  readonly unreadable: number
  readonly groups: number
  /** The files of tables that were read. */
  readonly tables: ReadonlyArray<TableFile>
  /** In an order that does not depend on the order of the inputs. */
  readonly visits: Stream.Stream<ConvertedVisit, SourceError | OperatorError>
  /** Complete once `visits` has ended. */
  readonly totals: () => ConversionTotals
  /** Where a field of a visit came from, by the visit's source: for what the service says of it. */
  readonly homeOf: (source: string, field: string) => Home | undefined
  readonly mappingHash: string
  /** The list of the standard data that the values of a concept map come from, by the concept map's name. */
  readonly conceptMapLists: ReadonlyMap<string, ReferenceListType>
}

/**
 * From inputs to visits: checks the mapping, reads every input, then converts visit by visit as they are taken. Nothing is read
 * when the mapping is wrong.
 */
export const convertInputs = Effect.fn("convertInputs")(function*(request: ConversionRequest) {
  const { checked, problems: mistakes } = yield* loadMapping(request.mapping, request.shippedMappings, {
    ...(request.tables === undefined ? {} : { tables: request.tables }),
    ...(request.validation?.lists === undefined ? {} : { lists: request.validation.lists })
  })
  if (checked === undefined) return yield* new MappingRefused({ problems: mistakes })
  const found = yield* findInputs(request.inputs)
  const collector = new RecordCollector()
  const labels = new FileLabels()
  let records = 0
  const unreadable: Array<Diagnostic> = []
  const passedOver: Array<Diagnostic> = []
  const tables: Array<TableFile> = []
  // A file of a folder that holds no records is passed over with a warning; what should have been a record is rejected.
  const sort = (problem: Diagnostic) => (problem.severity === "error" ? unreadable : passedOver).push(problem)
  found.problems.forEach(sort)
  yield* Stream.runForEachArray(
    readInputs(found.inputs, { tables: checked.plan.tables }),
    (items) =>
      Effect.sync(() => {
        for (const item of items) {
          if (item._tag === "Problem") {
            sort(item.diagnostic)
            continue
          }
          if (item._tag === "Table") tables.push(item.table)
          collector.add(item)
          if (item._tag === "Record") {
            records++
            if (!request.showValues) labels.learn(item.record)
          }
        }
      })
  )
  const index = collector.index()
  const { fill } = request
  const unique = makeUniqueInRun()
  const settings = {
    ...request.validation,
    now: request.now,
    ...(request.facility === null ? {} : { facilityCode: request.facility })
  }
  const { drafts, groups, homeOf, visits, totals } = convertRecords({
    checked,
    records: index,
    facility: request.facility,
    system: request.system,
    zone: request.zone,
    checkVisit: (visit) => validateVisit(visit, settings),
    compareVisit: unique,
    coverage: request.coverage === true
  })
  const labelled = <A extends { readonly origin?: SourceRecord["origin"] }>(about: A): A =>
    about.origin === undefined ? about : { ...about, origin: { ...about.origin, file: labels.of(about.origin.file) } }
  return {
    records: records + unreadable.length,
    unreadable: unreadable.length,
    groups,
    tables: tables.map((table) => ({ ...table, file: labels.of(table.file) })),
    visits: Stream.map(
      fill === undefined
        ? Stream.fromIterable(visits)
        : Stream.mapEffect(
          Stream.fromIterable(drafts),
          (draft) => Effect.map(fill(draft.visit), ({ problems, visit }) => draft.finish(visit, problems))
        ),
      (visit) => ({ ...labelled(visit), problems: visit.problems.map(labelled) })
    ),
    totals: () => {
      const all = totals()
      return {
        ...all,
        rejectedRecords: [...unreadable.map(rejectedInput), ...all.rejectedRecords].map((record) => ({
          ...labelled(record),
          problems: record.problems.map(labelled)
        })),
        problems: [...mistakes, ...passedOver, ...index.problems].map(labelled),
        ...(all.coverage === undefined ? {} : {
          coverage: {
            types: all.coverage.types,
            elements: all.coverage.elements.map(labelled),
            unusedRecords: all.coverage.unusedRecords.map(labelled)
          }
        })
      }
    },
    homeOf: (source, field) => {
      const home = homeOf(source, field)
      return home === undefined ? undefined : labelled(home)
    },
    mappingHash: checked.plan.hash,
    conceptMapLists: new Map(
      [...checked.plan.conceptMaps.values()].flatMap(({ list, name }) => (list === undefined ? [] : [[name, list]]))
    )
  } satisfies Conversion as Conversion
})

const rejectedInput = (problem: Diagnostic): RejectedRecord => ({
  source: problem.source ?? problem.origin?.reference ?? "",
  origin: problem.origin ?? { file: "", line: 0, reference: "" },
  problems: [problem]
})
