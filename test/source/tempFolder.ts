import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/** A function that makes empty folders; they go when the tests of the file are done. */
export const tempFolders = (): () => string => {
  const made: Array<string> = []
  afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
  return () => {
    const folder = mkdtempSync(join(tmpdir(), "source-"))
    made.push(folder)
    return folder
  }
}

/** A folder that is gone when the test is over. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "fhir2visit-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
