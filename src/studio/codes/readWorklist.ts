import { Effect, FileSystem } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { readTableRows } from "../../mapping/tables/csvTable.ts"
import { readTableText } from "../../mapping/tables/readTable.ts"

/** Reads an earlier worklist, or returns what is wrong with it, so that no work is overwritten. No rows if there is none. */
export const readWorklist = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => true))) return { rows: [], problems: [] }
  const text = yield* readTableText(file)
  if (text._tag === "Unreadable") {
    const title = `the earlier worklist \`${file}\` cannot be read: ${text.why}`
    const problem: Diagnostic = {
      code: "unreadable-file",
      severity: "error",
      title,
      help: [...text.help, "or move it away"]
    }
    return { rows: [], problems: [problem] }
  }
  const { reader, rows } = readTableRows(file, text.text)
  return { rows, problems: reader.problems.filter(({ severity }) => severity === "error") }
})
