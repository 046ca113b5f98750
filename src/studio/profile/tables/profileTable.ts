import { Effect, Stream } from "effect"
import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Input } from "../../../source/read/findInputs.ts"
import { readInput } from "../../../source/read/readInput.ts"
import type { SniffedTable } from "../../../source/tables/sniffTable.ts"
import { TableProfiler } from "./TableProfiler.ts"

/** Reads a table's file to its end. `onRows` receives the number of rows read, `onProblem` what could not be read. */
export const profileTable = Effect.fnUntraced(function*(
  input: Input,
  sniffed: SniffedTable,
  { onProblem, onRows }: {
    readonly onRows: (count: number) => void
    readonly onProblem: (problem: Diagnostic) => void
  }
) {
  const profiler = new TableProfiler(input.name, sniffed)
  yield* Stream.runForEachArray(readInput(input, { tables: [sniffed.layout] }), (items) =>
    Effect.sync(() => {
      for (const item of items) {
        if (item._tag === "Record") profiler.row(item.record.resource)
        else if (item._tag === "Problem") {
          if (item.diagnostic.severity === "error") profiler.unreadable++
          onProblem(item.diagnostic)
        }
      }
      onRows(items.length)
    }))
  return profiler
})
