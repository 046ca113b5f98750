import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasShared, sharedData } from "./sharedData.ts"

const gigabyte = 2 ** 30

/**
 * Keeps the temporary files of all tests, and of the programs they start, in one folder, and removes it at the end. The folder is in memory
 * if there is room and programs can run from it: on a disk, the tests wait for each journal to be synchronized. A
 * thread that a run starts takes the modules that an earlier thread has compiled.
 */
export default () => {
  if (!hasShared()) {
    process.stderr.write(`\nSKIPPED: ALL TESTS WITH RECORDS OF OTHERS. There is no folder ${sharedData}\n\n`)
  }
  const folder = inMemory() ?? mkdtempSync(join(tmpdir(), "f2v-"))
  process.env.TMPDIR = folder
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
  return () => rmSync(folder, { recursive: true, force: true })
}

const inMemory = (): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    if (bavail * bsize < 8 * gigabyte) return undefined
    const folder = mkdtempSync("/dev/shm/f2v-")
    const script = join(folder, "script")
    writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 })
    if (spawnSync(script).status === 0) return folder
    rmSync(folder, { recursive: true })
  } catch {
    // Not every system has this folder.
  }
  return undefined
}
