import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type LoadedMapping, loadMapping } from "../../src/mapping/load/loadMapping.ts"
import type { Conversion, ConversionTotals, ConvertedVisit } from "../../src/run/Conversion.ts"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { convert } from "../../src/run/convert.ts"
import { present } from "../present.ts"
import { temporaryFolder } from "../source/tempFolder.ts"

/** A completed conversion. */
export interface Converted {
  readonly records: number
  readonly groups: number
  readonly unreadable: number
  readonly visits: ReadonlyArray<ConvertedVisit>
  readonly totals: ConversionTotals
  readonly mappingHash: string
  readonly assumptions: Conversion["assumptions"]
}

/** 2027-01-01: after every date in the samples and tests. */
export const now = Date.UTC(2027, 0, 1)

/** The neutral settings: every setting has its default. */
export const neutral = {
  mapping: "mappings/fhir-r4/mapping.yaml",
  shippedMappings: "mappings",
  facility: null,
  system: null,
  zone: "Asia/Phnom_Penh",
  now,
  showValues: false
} as const satisfies Omit<ConversionRequest, "inputs">

/** The base mapping with fixed codes of administrative units, which are mandatory, so that records need none. */
export const addressed = `mapping: example
extends: fhir-r4
visit:
  patient:
    address:
      province: {code: {value: "12"}}
      district: {code: {value: "1201"}}
      commune: {code: {value: "120101"}}
      village: {code: {value: "12010101"}}
`

/** The file of a mapping that refers to no other file of its folder: for one text, the same in all tests. */
export const mappingFile = (text: string): string => {
  const file = join(tmpdir(), `mapping-${createHash("sha256").update(text).digest("hex")}.yaml`)
  if (!existsSync(file)) writeFileSync(file, text)
  return file
}

/** Converts files as the program does (default: base mapping and neutral settings). `each` is called with every visit. */
export const converted = (
  inputs: ReadonlyArray<string>,
  settings: Partial<ConversionRequest> = {},
  each: () => void = () => undefined
) =>
  Effect.gen(function*() {
    const request = { inputs, ...neutral, ...settings }
    const conversion = yield* convert({ ...request, ...yield* loadedOnce(request) })
    const visits = yield* Stream.runCollect(Stream.tap(conversion.visits, () => Effect.sync(each)))
    const { assumptions, groups, mappingHash, records, unreadable } = conversion
    const totals = conversion.totals()
    const result: Converted = { records, groups, unreadable, visits: [...visits], totals, mappingHash, assumptions }
    return result
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

/**
 * Mappings by their texts, and by their names if other files may be next to them. Loading one takes longer than converting a few records, and most tests use the same. The memory of all
 * would slow down each garbage collection.
 */
const mappings = new Map<string, LoadedMapping>()
const maxMappings = 8

/** Whether a mapping reads no files but its text and shipped mappings. */
const isAlone = (text: string): boolean => !/\bfile\b|^extends: (?!(?:fhir-r4|csv|us-synthetic)$)/mu.test(text)

/** Returns the mapping of a request, if it depends on nothing but its text. */
export const loadedOnce = Effect.fnUntraced(function*(
  { accepted, loaded: given, mapping, shippedMappings, tables, validation }: Omit<ConversionRequest, "inputs">
) {
  const dependsOnMore = accepted !== undefined || tables !== undefined || validation?.lists !== undefined
  if (given !== undefined || dependsOnMore || !existsSync(mapping)) return {}
  const text = readFileSync(mapping, "utf8")
  const key = isAlone(text) ? text : `${mapping}\n${text}`
  const loaded = mappings.get(key) ?? (yield* loadMapping(mapping, shippedMappings))
  // The one that was used last is the last entry.
  mappings.delete(key)
  mappings.set(key, loaded)
  const [oldest] = mappings.keys()
  if (oldest !== undefined && mappings.size > maxMappings) mappings.delete(oldest)
  return { loaded }
})

/** Writes files, at least one, into a folder and returns their paths. */
export const written = (
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>
): readonly [string, ...ReadonlyArray<string>] => {
  const [first, ...others] = Object.entries(files).map(([name, content]) => {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  })
  return [present(first), ...others]
}

/** Checks that every record is in a visit, in a rejected line, or counted as unused. */
export const addsUp = ({ records, totals }: Converted): boolean =>
  records ===
    totals.usedRecords + totals.rejectedRecords.length +
      [...totals.unused.values()].reduce((sum, count) => sum + count, 0)

/** Converts files in memory and in the smallest partitions, which must give the same result (default mapping: `addressed`). */
export const bothWays = (
  files: Readonly<Record<string, string | Uint8Array>>,
  validation: ConversionRequest["validation"] = {},
  mapping = addressed
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const inputs = written(folder, files)
    const settings = { mapping: mappingFile(mapping), validation }
    const whole = yield* converted(inputs, {
      ...settings,
      memoryLimits: { maxInMemoryBytes: Number.POSITIVE_INFINITY, workers: 0 }
    })
    const { groups: _, ...cut } = yield* converted(inputs, {
      ...settings,
      memoryLimits: { maxInMemoryBytes: 0, partitionBytes: 1, workers: 0, helps: false }
    })
    const { groups: __, ...all } = whole
    assert.deepStrictEqual(cut, all)
    assert.isTrue(addsUp(whole))
    return { folder, ...whole }
  })

export { temporaryFolder }
