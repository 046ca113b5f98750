import { stat } from "node:fs/promises"
import type { TableLayout } from "../tables/TableLayout.ts"
import type { Input } from "./findInputs.ts"
import { LineFile } from "./LineFile.ts"
import type { OpenFiles } from "./OpenFiles.ts"
import { lineStartOf } from "./readInput.ts"

/** Maximum number of open inputs, because the system limits them. */
const maxOpen = 200

/** Bytes of all files together, as stored. */
export const sizeOfInputs = async (inputs: ReadonlyArray<Input>): Promise<number> =>
  (await sized(inputs)).reduce((sum, { size }) => sum + size, 0)

/**
 * Opens the files of a run that have at least `minBytes` bytes and whose lines are records; if too many, only the largest. Throws
 * `SourceError` if the system cannot read one.
 */
export const findLineFiles = async (
  files: OpenFiles,
  inputs: ReadonlyArray<Input>,
  options: { readonly minBytes: number; readonly tables: ReadonlyArray<TableLayout> }
): Promise<ReadonlyArray<LineFile>> => {
  const all = await sized(inputs)
  const large = all.filter(({ size }) => size >= options.minBytes).toSorted((one, other) => other.size - one.size)
  const chosen = new Set(large.slice(0, maxOpen))
  const found: Array<LineFile> = []
  for (const one of all) {
    const start = chosen.has(one) ? await lineStartOf(one.input, { tables: options.tables }) : undefined
    if (start !== undefined) found.push(new LineFile(files, one.input, start))
  }
  return found
}

const sized = (inputs: ReadonlyArray<Input>) =>
  Promise.all(
    inputs.filter((input) => input._tag === "File").map(async (input) => ({
      input,
      // The reader of the file reports that it disappeared.
      size: await stat(input.path).then(({ size }) => size, () => 0)
    }))
  )
