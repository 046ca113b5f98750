import { Data, Effect, Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { loadMapping } from "../mapping/loadMapping.ts"
import { findInputs } from "../source/findInputs.ts"
import { readInputs } from "../source/readInput.ts"
import { RecordCollector } from "../source/RecordIndex.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { validateVisit } from "../visit/validateVisit.ts"
import type { ConvertedVisit, RecordTotals, RejectedRecord } from "./convertRecords.ts"
import { convertRecords } from "./convertRecords.ts"
import { FileLabels } from "./fileLabels.ts"

/** The mapping is wrong: no record was read. `texts` holds its files, for drawing places. */
export class MappingRefused extends Data.TaggedError("MappingRefused")<{
  readonly problems: ReadonlyArray<Diagnostic>
  readonly texts: ReadonlyMap<string, string>
}> {}

/** What a conversion is asked for. */
export interface ConversionRequest {
  readonly inputs: ReadonlyArray<string>
  readonly mapping: string
  /** The folder of the mappings that come with the program. */
  readonly shippedMappings: string
  readonly facility: string | null
  readonly system: string | null
  /** IANA name. */
  readonly zone: string
  /** Milliseconds since 1970: what "in the future" is measured by. */
  readonly now: number
  /** Shows file names as they are, also where a patient's name is part of them. */
  readonly showValues: boolean
}

/** What is known when the last visit has been taken. */
export interface ConversionTotals extends RecordTotals {
  /** Problems that belong to no visit: of the inputs as a whole, and of records that are in several places. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** What was read, and the visits made of it. */
export interface Conversion {
  /** Records that were read. */
  readonly records: number
  /** Lines, entries and files that could not be read; each is one of the rejected. */
  readonly unreadable: number
  readonly groups: number
  /** In an order that does not depend on the order of the inputs. */
  readonly visits: Stream.Stream<ConvertedVisit>
  /** Complete once `visits` has ended. */
  readonly totals: () => ConversionTotals
  readonly mappingHash: string
  readonly mappingTexts: ReadonlyMap<string, string>
}

/**
 * From inputs to visits: checks the mapping, reads every input, then converts visit by visit as they are taken. Nothing is read
 * when the mapping is wrong.
 */
export const convertInputs = Effect.fn("convertInputs")(function*(request: ConversionRequest) {
  const { checked, problems: mistakes, texts } = yield* loadMapping(request.mapping, request.shippedMappings)
  if (checked === undefined) return yield* new MappingRefused({ problems: mistakes, texts })
  const found = yield* findInputs(request.inputs)
  const collector = new RecordCollector()
  const labels = new FileLabels()
  let records = 0
  const unreadable: Array<Diagnostic> = [...found.problems]
  yield* Stream.runForEachArray(readInputs(found.inputs), (items) =>
    Effect.sync(() => {
      for (const item of items) {
        if (item._tag === "Problem") {
          unreadable.push(item.diagnostic)
          continue
        }
        collector.add(item)
        if (item._tag === "Record") {
          records++
          if (!request.showValues) labels.learn(item.record)
        }
      }
    }))
  const index = collector.index()
  const unique = makeUniqueInRun()
  const settings = { now: request.now, ...(request.facility === null ? {} : { facilityCode: request.facility }) }
  const { groups, visits, totals } = convertRecords({
    checked,
    records: index,
    facility: request.facility,
    system: request.system,
    zone: request.zone,
    checkVisit: (visit) => validateVisit(visit, settings),
    compareVisit: unique
  })
  const labelled = <A extends { readonly origin?: SourceRecord["origin"] }>(about: A): A =>
    about.origin === undefined ? about : { ...about, origin: { ...about.origin, file: labels.of(about.origin.file) } }
  return {
    records,
    unreadable: unreadable.length,
    groups,
    visits: Stream.fromIterable(
      mapped(visits, (visit) => ({ ...labelled(visit), problems: visit.problems.map(labelled) }))
    ),
    totals: () => {
      const all = totals()
      return {
        ...all,
        rejectedRecords: [...unreadable.map(rejectedInput), ...all.rejectedRecords].map((record) => ({
          ...labelled(record),
          problems: record.problems.map(labelled)
        })),
        problems: index.problems.map(labelled)
      }
    },
    mappingHash: checked.plan.hash,
    mappingTexts: texts
  } satisfies Conversion as Conversion
})

const rejectedInput = (problem: Diagnostic): RejectedRecord => ({
  source: problem.source ?? problem.origin?.reference ?? "",
  origin: problem.origin ?? { file: "", line: 0, reference: "" },
  problems: [problem]
})

function* mapped<A, B>(values: Iterable<A>, of: (value: A) => B): Generator<B> {
  for (const value of values) yield of(value)
}
