import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Keeps the temporary files of all tests, and of the programs they start, in one folder, and removes it at the end. A thread that a run
 * starts takes the modules that an earlier thread has compiled.
 */
export default () => {
  const folder = mkdtempSync(join(tmpdir(), "f2v-"))
  process.env.TMPDIR = folder
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
  return () => rmSync(folder, { recursive: true, force: true })
}
