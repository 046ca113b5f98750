import { Effect, Layer, Stream } from "effect"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import type { Conversion, ConversionTotals, ConvertedVisit } from "../../src/run/Conversion.ts"

/** A pipeline that has read some records, and made these visits. By default all records are in the visits. */
export const madePipeline = (
  visits: ReadonlyArray<ConvertedVisit>,
  { records = 9, ...totals }: Partial<ConversionTotals> = {}
) =>
  Layer.succeed(Pipeline, {
    convertAll: () =>
      Effect.succeed<Conversion>({
        groups: visits.length,
        records,
        unreadable: 0,
        visits: Stream.fromIterable(visits),
        tables: [],
        mappingHash: "abc",
        assumptions: new Map(),
        conceptMapLists: new Map(),
        conceptMapValues: new Map(),
        fieldOrigin: (source, field) =>
          field === "admitted_at"
            ? { mapping: { file: "mapping.yaml", line: 4, column: 3, endColumn: 9 }, path: "period.start", source }
            : undefined,
        totals: () => ({
          records,
          groups: visits.length,
          usedRecords: records,
          used: new Map([["Encounter", records]]),
          rejectedRecords: [],
          unused: new Map(),
          unmapped: [],
          unresolved: new Map(),
          placedByTime: new Map(),
          excluded: new Set(),
          copies: new Map(),
          problems: [],
          ...totals
        })
      })
  })
