import { stat } from "node:fs/promises"
import type { TableLayout } from "../tables/TableLayout.ts"
import type { Input } from "./findInputs.ts"
import { LineFile } from "./LineFile.ts"
import { lineStartOf } from "./readInput.ts"

/** So many files are kept open at most: the system has its limit. */
const openFiles = 200

/** Bytes of all files together, as they are stored. */
export const sizeOfInputs = async (inputs: ReadonlyArray<Input>): Promise<number> =>
  (await sized(inputs)).reduce((sum, { size }) => sum + size, 0)

/**
 * The larger files of a run whose lines are records, opened: `least` bytes and more. Throws `SourceError` when the system does not give one.
 */
export const findLineFiles = async (
  inputs: ReadonlyArray<Input>,
  options: { readonly least: number; readonly tables: ReadonlyArray<TableLayout> }
): Promise<ReadonlyArray<LineFile>> => {
  const all = await sized(inputs)
  const large = all.filter(({ size }) => size >= options.least).toSorted((one, other) => other.size - one.size)
  const chosen = new Set(large.slice(0, openFiles))
  const files: Array<LineFile> = []
  for (const one of all) {
    const start = chosen.has(one) ? await lineStartOf(one.input, { tables: options.tables }) : undefined
    if (start !== undefined) files.push(new LineFile(one.input, start))
  }
  return files
}

const sized = (inputs: ReadonlyArray<Input>) =>
  Promise.all(
    inputs.filter((input) => input._tag === "File").map(async (input) => ({
      input,
      // What has gone away is told by whoever reads it.
      size: await stat(input.path).then(({ size }) => size, () => 0)
    }))
  )
