import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import { afterAll, vi } from "vitest"
import type { Span } from "../../src/diagnostic/Span.ts"
import {
  addInferences,
  allInferences,
  countInferences,
  forgetInferences
} from "../../src/mapping/check/expressions/keptInferences.ts"
import { asData, spanWithin, type Syntax, withScalars } from "../../src/mapping/language/MappingSyntax.ts"
import { addParsed, parsedData, parseYaml } from "../../src/mapping/language/parseYaml.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { only, present } from "../present.ts"
import { tempFolders } from "../source/tempFolder.ts"
import { check } from "./Mistakes.ts"

const newFolder = tempFolders()
afterAll(() => void vi.unstubAllEnvs())

const over = (base: string, lines: string): string => `mapping: example\nextends: ${base}\n${lines}`

/** Sections that have nothing to do with the path of the patient, and whose check would take long. */
const without = visitFields.flatMap(({ kind, name }) =>
  kind === "list" && name !== "medical_histories" ? [`  ${name}: {enabled: false}\n`] : []
)

/** A path that is right in some of these mappings, and wrong or used differently in the others. */
const occupation = (more: string, path = "f(name)") =>
  over("fhir-r4", `${more}visit:\n  patient: {occupation: {path: "${path}", take: first}}\n${without.join("")}`)

const table = (type: string): string =>
  over(
    "csv",
    `table:\n  lab: {column: {vn: text, value: ${type}}, link: {visit: {table: visit, on: vn}}}\n` +
      "visit:\n  laboratories: {where: {high: value > 5}}\n"
  )

const mappings = [
  over("fhir-r4", ""),
  over("us-synthetic", ""),
  occupation("function: {f: {parameters: [], path: text}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: txt}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: g()}, g: {parameters: [], path: text}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: g()}, g: {parameters: [], path: txt}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: g()}, g: {parameters: [], path: f()}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: \"%visit.id\"}}\n", "name.f()"),
  occupation("constant: {word: a}\n", "name.where(text = %word).text"),
  occupation("", "name.where(text = %word).text"),
  occupation("", "identifierIn('word')"),
  occupation("constant: {word: a}\n", "identifierIn('word')"),
  occupation("constant: {word: a}\n", "identifierIn(%word)"),
  occupation("", "identifierIn(%word)"),
  occupation("conceptMap: {job: {table: {a: b}}}\n", "name.text.mapped('job')"),
  occupation("", "name.text.mapped('job')"),
  occupation("grouping: {patientScope: {Task: for}}\n", "ofPatient('Task').description"),
  occupation("", "ofPatient('Task').description"),
  occupation("", "name.text + 5"),
  table("decimal"),
  table("text")
]

/** What a check reports, and what the run follows for the mapping. */
const resultOf = (text: string) =>
  Effect.map(check(text), ({ checked, problems }) => ({ problems, followed: checked?.plan.followed }))

/** What another process would read. */
const asRead = <A>(value: A): A => deserialize(serialize(value))

describe("The check of a mapping", () => {
  it.effect("finds the same after any other mapping, in this process or an earlier one, as it finds first", () =>
    Effect.gen(function*() {
      const fresh = []
      for (const text of mappings) {
        forgetInferences()
        fresh.push(yield* resultOf(text))
      }
      assert.isAtLeast(fresh.filter(({ problems }) => problems.length > 0).length, 7)
      assert.deepStrictEqual(yield* Effect.forEach(mappings, resultOf), fresh)
      const kept = asRead(allInferences())
      forgetInferences()
      addInferences(kept)
      const count = countInferences()
      assert.deepStrictEqual(yield* Effect.forEach(mappings.toReversed(), resultOf), fresh.toReversed())
      assert.strictEqual(countInferences(), count, "nothing was inferred again")
    }))

  it("knows the places in a file that an earlier process parsed", () => {
    const files = globSync("mappings/*/*.yaml").toSorted().map((file) => {
      const text = readFileSync(file, "utf8")
      const places = placesIn(parseYaml(file, text).syntax)
      return { file, text, places, data: present(asRead(parsedData(file, text))) }
    })
    // Few files are remembered.
    for (let at = 0; at < 40; at++) parseYaml(`${at}`, "a: b")
    for (const { data, file, places, text } of files) {
      addParsed(file, text, data)
      const { syntax } = parseYaml(file, text)
      assert.deepStrictEqual(asData(present(syntax)), asData(data))
      assert.deepStrictEqual(placesIn(syntax), places)
    }
    assert.isAbove(files.flatMap(({ places }) => places).length, 100)
  })

  it("keeps what it found, and what it finds after an edit if that is much", async () => {
    const cache = newFolder()
    const file = join(newFolder(), "mapping.yaml")
    const checked = async (lines: string) => {
      writeFileSync(file, `mapping: own\nextends: fhir-r4\n${lines}`)
      vi.stubEnv("FHIR2VISIT_CACHE", cache)
      const { problems } = await Effect.runPromise(
        loadMapping(file, "mappings", {}).pipe(Effect.provide(NodeServices.layer))
      )
      assert.isEmpty(problems.filter(({ severity }) => severity === "error"))
      const entry = join(cache, only(readdirSync(cache).filter((name) => name.endsWith(".check"))))
      const { ino, mode } = statSync(entry)
      assert.strictEqual(mode & 0o777, 0o600)
      return ino
    }
    forgetInferences()
    const first = await checked("")
    assert.strictEqual(await checked("constant: {word: a}\n"), first)
    assert.notStrictEqual(await checked("function: {isNotRefuted: {path: \"true\"}}\n"), first)
  })

  it("takes what the check of another mapping found, if the same program kept it", async () => {
    const cache = newFolder()
    const checkedFirst = async () => {
      const file = join(newFolder(), "mapping.yaml")
      writeFileSync(file, over("fhir-r4", ""))
      forgetInferences()
      vi.stubEnv("FHIR2VISIT_CACHE", cache)
      const { problems } = await Effect.runPromise(
        loadMapping(file, "mappings", {}).pipe(Effect.provide(NodeServices.layer))
      )
      assert.isEmpty(problems)
      return readdirSync(cache).filter((name) => name.endsWith(".check"))
    }
    const entry = only(await checkedFirst())
    // Nothing new was found.
    assert.deepStrictEqual(await checkedFirst(), [entry])
    renameSync(join(cache, entry), join(cache, entry.replace(/^\w+/u, "another")))
    assert.lengthOf(await checkedFirst(), 2)
  })
})

/** Where the second character of each text of a file is, unless it is written unchanged. */
const placesIn = (syntax: Syntax | undefined) => {
  const places: Array<Span> = []
  withScalars(present(syntax), (scalar) => {
    if (!scalar.verbatim && typeof scalar.value === "string") places.push(spanWithin(scalar, 1, 1))
    return scalar
  })
  return places
}
