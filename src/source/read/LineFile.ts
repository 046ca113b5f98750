import { closeSync, constants, fstatSync, openSync } from "node:fs"
import { Changed, NotAFile, SourceError } from "../SourceError.ts"
import type { Input } from "./findInputs.ts"
import { inputKindOf, notReadable } from "./findInputs.ts"

/** What is known of an input file whose lines are records: enough to read it in another thread, and to see that it is still the same. */
export interface LineFileFacts {
  /** As the user named it. */
  readonly name: string
  readonly descriptor: number
  readonly size: number
  readonly changedAt: number
  /** Where its first line begins: behind a byte-order mark. */
  readonly start: number
}

const closing = new FinalizationRegistry<number>((descriptor) => {
  closeSync(descriptor)
})

/**
 * An input file whose lines are records, to be read from several places at once. It stays open as long as somebody holds this, so that it
 * may be renamed or removed while the run goes on.
 */
export class LineFile {
  readonly facts: LineFileFacts
  readonly input: Input & { readonly _tag: "File" }

  /** Throws `SourceError` when the system does not give it. */
  constructor(input: Input & { readonly _tag: "File" }, start: number) {
    this.input = input
    const { name, path } = input
    try {
      const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
      closing.register(this, descriptor)
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) throw new SourceError({ reason: new NotAFile({ input: name, kind: inputKindOf(stats) }) })
      this.facts = { name, descriptor, start, size: stats.size, changedAt: stats.mtimeMs }
    } catch (error) {
      throw error instanceof SourceError ? error : notReadable(name, error)
    }
  }
}

/** To be called when something was read of it: what was read may be half of each. Throws `SourceError`. */
export const expectUnchanged = ({ changedAt, descriptor, name, size }: LineFileFacts): void => {
  const now = fstatSync(descriptor)
  if (now.size !== size || now.mtimeMs !== changedAt) throw new SourceError({ reason: new Changed({ input: name }) })
}
