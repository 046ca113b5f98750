import { constants, fstatSync } from "node:fs"
import { SourceError } from "../SourceError.ts"
import type { FileInput } from "./findInputs.ts"
import { expectFile, notReadable } from "./findInputs.ts"
import type { OpenFiles } from "./OpenFiles.ts"

/** Describes an input file whose lines are records: enough to read it in another thread, and to detect changes. */
export interface LineFileFacts {
  /** The name that the user gave. */
  readonly name: string
  readonly descriptor: number
  readonly size: number
  readonly changedAt: number
  /** Where its first line begins: after a byte-order mark. */
  readonly start: number
}

/** An input file whose lines are records, for reading at several offsets at once. */
export class LineFile {
  readonly facts: LineFileFacts
  readonly input: FileInput

  /** Throws `SourceError` if the system cannot read the bytes. */
  constructor(files: OpenFiles, input: FileInput, start: number) {
    this.input = input
    const { name, path } = input
    try {
      const descriptor = files.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
      const stats = fstatSync(descriptor)
      expectFile(name, stats)
      this.facts = { name, descriptor, start, size: stats.size, changedAt: stats.mtimeMs }
    } catch (error) {
      throw error instanceof SourceError ? error : notReadable(name, error)
    }
  }
}

/** Throws `SourceError` if the file changed. Call it after each read, because the bytes read can mix two versions. */
export const expectUnchanged = ({ changedAt, descriptor, name, size }: LineFileFacts): void => {
  const now = fstatSync(descriptor)
  if (now.size !== size || now.mtimeMs !== changedAt) {
    throw new SourceError({ reason: { _tag: "Changed", input: name } })
  }
}
