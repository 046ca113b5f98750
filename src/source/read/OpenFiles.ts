import { Effect } from "effect"
import type { Scope } from "effect"
import { closeSync, openSync } from "node:fs"

/**
 * The files that a run keeps open: inputs that are read at several offsets, and temporary files. An input can be renamed or removed while it
 * is open; the disk space of a temporary file is freed when it is closed.
 */
export class OpenFiles {
  readonly #descriptors = new Set<number>()

  /** Returns a descriptor that every thread of the process can read with. Throws the system's error. */
  open(path: string, flags: string | number, mode?: number): number {
    const descriptor = openSync(path, flags, mode)
    this.#descriptors.add(descriptor)
    return descriptor
  }

  /** Closes a file before the others. */
  close(descriptor: number): void {
    if (this.#descriptors.delete(descriptor)) closeSync(descriptor)
  }

  closeAll(): void {
    for (const descriptor of this.#descriptors) this.close(descriptor)
  }
}

/** Open files that are closed when the scope ends. */
export const openFiles: Effect.Effect<OpenFiles, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new OpenFiles()),
  (files) => Effect.sync(() => files.closeAll())
)
