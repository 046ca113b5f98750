import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { afterAll, vi } from "vitest"
import { isKeptZone } from "../../src/facility/settings/keptZone.ts"
import { only } from "../present.ts"
import { tempFolders } from "../source/tempFolder.ts"

const newFolder = tempFolders()
afterAll(() => void vi.unstubAllEnvs())

const entries = (cache: string): ReadonlyArray<string> => fs.readdirSync(cache).filter((name) => name.endsWith(".zone"))

describe("The zone of a facility", () => {
  it("is kept once in the cache folder, and a name that is no zone is not", () => {
    const cache = newFolder()
    vi.stubEnv("FHIR2VISIT_CACHE", cache)
    assert.isFalse(isKeptZone("Asia/Nowhere"))
    assert.deepStrictEqual(entries(cache), [])
    assert.isTrue(isKeptZone("Asia/Phnom_Penh"))
    const entry = only(entries(cache))
    // An entry that is written again is another file.
    const { ino } = fs.statSync(join(cache, entry))
    assert.isTrue(isKeptZone("Asia/Phnom_Penh"))
    assert.deepStrictEqual(entries(cache), [entry])
    assert.strictEqual(fs.statSync(join(cache, entry)).ino, ino)
  })

  it("is found without a cache folder, and next to a damaged entry", () => {
    vi.stubEnv("FHIR2VISIT_CACHE", "")
    assert.isTrue(isKeptZone("Asia/Phnom_Penh"))
    const cache = newFolder()
    vi.stubEnv("FHIR2VISIT_CACHE", cache)
    assert.isTrue(isKeptZone("America/New_York"))
    const entry = only(entries(cache))
    fs.writeFileSync(join(cache, entry), "damaged")
    assert.isTrue(isKeptZone("America/New_York"))
  })
})
