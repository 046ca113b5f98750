import { assert } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Compares a text with the file that holds the expected text. `UPDATE=1` rewrites the file, so that the review shows the change. */
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
