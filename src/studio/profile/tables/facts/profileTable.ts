import { Effect, Stream } from "effect"
import { at } from "../../../../at.ts"
import type { Diagnostic } from "../../../../diagnostic/Diagnostic.ts"
import type { Input } from "../../../../source/read/findInputs.ts"
import { readInput } from "../../../../source/read/readInput.ts"
import type { SniffedFile } from "./alikeFiles.ts"
import { findHead } from "./findHead.ts"
import { TableProfiler } from "./TableProfiler.ts"

/** Reads the files of a table to their end. `onRows` receives the number of rows read, `onProblem` what could not be read. */
export const profileTable = Effect.fnUntraced(function*(
  files: ReadonlyArray<SniffedFile<Input>>,
  { onProblem, onRows }: {
    readonly onRows: (count: number) => void
    readonly onProblem: (problem: Diagnostic) => void
  }
) {
  const head = files.map(({ sniffed }) =>
    sniffed.declared.length > 0 ? [] : findHead(sniffed)
  ).find(({ length }) => length > 0) ?? []
  const parts = files.map(({ input, sniffed }) => new TableProfiler(input.name, sniffed, head))
  const first = at(parts, 0)
  const whole = parts.length === 1 ? first : new TableProfiler(first.file, first.sniffed, head, parts)
  const fillDown = head.length === 0 ? {} : { fillDown: { columns: head.map((at) => `c${at + 1}`), within: [] } }
  for (const [index, { input, sniffed }] of files.entries()) {
    const profilers = new Set([at(parts, index), whole])
    yield* Stream.runForEachArray(
      readInput(input, { tables: [{ ...sniffed.layout, ...fillDown }] }),
      (items) =>
        Effect.sync(() => {
          for (const item of items) {
            if (item._tag === "Record") { for (const profiler of profilers) profiler.row(item.record.resource) }
            else if (item._tag === "Problem") {
              if (item.diagnostic.severity === "error") { for (const profiler of profilers) profiler.unreadable++ }
              onProblem(item.diagnostic)
            }
          }
          onRows(items.length)
        })
    )
  }
  return whole
})
