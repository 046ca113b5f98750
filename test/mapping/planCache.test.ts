import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { dirname, join, resolve } from "node:path"
import { afterAll, vi } from "vitest"
import { freeze } from "../../src/mapping/freezePlan.ts"
import { asData } from "../../src/mapping/language/MappingSyntax.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { makeReferenceList, type ReferenceLists } from "../../src/visit/values/ReferenceList.ts"
import { only } from "../present.ts"
import { tempFolders } from "../source/tempFolder.ts"

const newFolder = tempFolders()
afterAll(() => void vi.unstubAllEnvs())

/** The content of a mapping, without the engine that evaluates it. */
const loaded = async (file: string, cache: string, lists?: ReferenceLists, shipped = "mappings") => {
  vi.stubEnv("FHIR2VISIT_CACHE", cache)
  const { checked, problems, syntax, texts } = await Effect.runPromise(
    loadMapping(file, shipped, lists === undefined ? {} : { lists }).pipe(Effect.provide(NodeServices.layer))
  )
  assert(checked !== undefined && syntax !== undefined)
  const { fhirPath: _, ...plan } = checked.plan
  return {
    plan: freeze(plan, lists),
    lists: Array.from(checked.plan.conceptMaps.values(), ({ standard }) => standard),
    functions: checked.functions.map(({ name, over, parameters }) => ({ name, over, parameters })),
    problems,
    syntax: asData(syntax),
    texts,
    hash: plan.hash
  }
}

const entries = (cache: string): ReadonlyArray<string> =>
  fs.readdirSync(cache).filter((name) => name.endsWith(".plan")).map((name) => join(cache, name))

const overlay = (): string => {
  const folder = newFolder()
  fs.writeFileSync(join(folder, "sex.csv"), "code,value\nm,M\nf,F\n")
  fs.writeFileSync(
    join(folder, "mapping.yaml"),
    "mapping: own\nextends: csv\nvisit: {patient: {sex: {path: sex, conceptMap: sex}}}\nconceptMap:\n  sex: {file: sex.csv}\n"
  )
  return join(folder, "mapping.yaml")
}

describe("A cached mapping", () => {
  it.each(fs.globSync(["mappings/*/mapping.yaml", "samples/*/mapping.yaml", "bench/*/mapping.yaml"]).toSorted())(
    "can be kept, and given to other threads: %s",
    async (file) => {
      const cache = newFolder()
      await loaded(file, cache)
      assert.lengthOf(entries(cache), 1)
    }
  )

  it.each(["fhir-r4", "us-synthetic", "csv-synthea"])("equals the checked mapping: %s", async (name) => {
    const file = `mappings/${name}/mapping.yaml`
    const cache = newFolder()
    const checked = await loaded(file, "")
    assert.deepStrictEqual(await loaded(file, cache), checked)
    const entry = only(entries(cache))
    const { ino, mode } = fs.statSync(entry)
    assert.strictEqual(mode & 0o777, 0o600)
    assert.deepStrictEqual(await loaded(file, cache), checked)
    assert.strictEqual(fs.statSync(entry).ino, ino, "it was read, and not made again")
  })

  it("is checked again after a file has changed", async () => {
    const file = overlay()
    const cache = newFolder()
    const first = await loaded(file, cache)
    fs.writeFileSync(join(file, "../sex.csv"), "code,value\nm,M\nf,F\nx,M\n")
    const second = await loaded(file, cache)
    assert.notStrictEqual(second.hash, first.hash)
    fs.appendFileSync(file, "  yes_or_no: {unmapped: warn}\n")
    const third = await loaded(file, cache)
    assert.notStrictEqual(third.hash, second.hash)
    assert.deepStrictEqual(await loaded(file, ""), third)
  })

  it("is used in another working folder if the files there are equal, otherwise checked again", async () => {
    const cache = newFolder()
    const shipped = resolve("mappings")
    const home = process.cwd()
    const loadedIn = async (folder: string) => {
      process.chdir(folder)
      try {
        return await loaded("mapping.yaml", cache, undefined, shipped)
      } finally {
        process.chdir(home)
      }
    }
    const [one, equal, other] = [dirname(overlay()), dirname(overlay()), dirname(overlay())]
    fs.appendFileSync(join(other, "mapping.yaml"), "  visit_type: {unmapped: skip}\n")
    const checked = await loadedIn(one)
    const { ino } = fs.statSync(only(entries(cache)))
    assert.deepStrictEqual(await loadedIn(equal), checked)
    assert.strictEqual(fs.statSync(only(entries(cache))).ino, ino, "it was read, and not made again")
    assert.notStrictEqual((await loadedIn(other)).hash, checked.hash)
    assert.deepStrictEqual(await loadedIn(one), checked)
    assert.lengthOf(entries(cache), 2, "neither has replaced the entry of the other")
  })

  it("has the lists of the standard data that it was checked against, and is checked again for other lists", async () => {
    const cache = newFolder()
    const file = "mappings/fhir-r4/mapping.yaml"
    const listsOf = (digest: string | undefined, name: string): ReferenceLists =>
      new Map([["visit_types", makeReferenceList([{ code: "V-1", name }], digest === undefined ? {} : { digest })]])
    const first = listsOf("one", "OPD")
    const checked = await loaded(file, cache, first)
    const entry = only(entries(cache))
    const { ino } = fs.statSync(entry)
    const again = listsOf("one", "OPD")
    const kept = await loaded(file, cache, again)
    assert.strictEqual(fs.statSync(entry).ino, ino, "it was read, and not made again")
    assert.deepStrictEqual(kept, checked)
    assert.include(kept.lists, again.get("visit_types"), "it has the lists that are loaded now")
    const other = await loaded(file, cache, listsOf("two", "IPD"))
    assert.lengthOf(entries(cache), 2)
    assert.notDeepEqual(other.problems, checked.problems)
    await loaded(file, cache, listsOf(undefined, "OPD"))
    assert.lengthOf(entries(cache), 2)
  })

  it("is checked again if the entry is damaged or writable by others, or cannot be stored", async () => {
    const file = overlay()
    const cache = newFolder()
    const checked = await loaded(file, cache)
    const entry = only(entries(cache))
    const bytes = fs.readFileSync(entry)
    const spoilt: ReadonlyArray<() => void> = [
      () => fs.writeFileSync(entry, bytes.subarray(0, bytes.length / 2)),
      () => fs.writeFileSync(entry, ""),
      () => fs.writeFileSync(entry, Buffer.concat([bytes.subarray(0, 70), Buffer.from("x"), bytes.subarray(71)])),
      () => fs.chmodSync(entry, 0o644)
    ]
    for (const spoil of spoilt) {
      spoil()
      const { ino } = fs.statSync(entry)
      assert.deepStrictEqual(await loaded(file, cache), checked)
      assert.notStrictEqual(fs.statSync(entry).ino, ino)
    }
    const open = newFolder()
    fs.chmodSync(open, 0o755)
    assert.deepStrictEqual(await loaded(file, open), checked)
    assert.deepStrictEqual(entries(open), [])
    assert.deepStrictEqual(await loaded(file, file), checked)
  })

  it("is evicted if ten others were used later, by a run or a check", async () => {
    const cache = newFolder()
    const [used, unused] = [overlay(), overlay()]
    const entryOf = async (file: string) => {
      const existing = entries(cache)
      await loaded(file, cache)
      return only(entries(cache).filter((entry) => !existing.includes(entry)))
    }
    const [usedEntry, unusedEntry] = [await entryOf(used), await entryOf(unused)]
    const oneHourAgo = Date.now() / 1000 - 3600
    const twoHoursAgo = oneHourAgo - 3600
    for (const entry of [usedEntry, unusedEntry]) fs.utimesSync(entry, twoHoursAgo, twoHoursAgo)
    for (let at = 0; at < 12; at++) {
      fs.writeFileSync(join(cache, `${at}.plan`), "")
      fs.utimesSync(join(cache, `${at}.plan`), oneHourAgo, oneHourAgo)
    }
    await loaded(used, cache)
    await loaded(overlay(), cache)
    assert.lengthOf(entries(cache), 10)
    assert.include(entries(cache), usedEntry)
    assert.notInclude(entries(cache), unusedEntry)
  })

  it("replaces what a process that was killed did not finish, and counts no unfinished entry", async () => {
    const cache = newFolder()
    const drafts = Array.from({ length: 12 }, (_, at) => join(cache, `${at}.plan.${at}.draft`))
    for (const draft of drafts) fs.writeFileSync(draft, "")
    const twoHoursAgo = Date.now() / 1000 - 7200
    for (const draft of drafts.slice(1)) fs.utimesSync(draft, twoHoursAgo, twoHoursAgo)
    for (let at = 0; at < 9; at++) fs.writeFileSync(join(cache, `${at}.plan`), "")
    await loaded(overlay(), cache)
    const names = fs.readdirSync(cache)
    assert.lengthOf(names.filter((name) => name.endsWith(".plan")), 10)
    assert.deepStrictEqual(names.filter((name) => name.endsWith(".draft")), ["0.plan.0.draft"])
  })
})
