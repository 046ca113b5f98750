import { assert } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Compares a text with a file that holds what it should be; `UPDATE=1` writes the file anew, and the change is read in the review. */
export const assertGolden = (file: string, actual: string): void => {
  const text = actual.endsWith("\n") ? actual : `${actual}\n`
  if (process.env.UPDATE === "1") {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  assert.isTrue(existsSync(file), `${file} is missing: run with UPDATE=1`)
  assert.strictEqual(text, readFileSync(file, "utf8"), file)
}
