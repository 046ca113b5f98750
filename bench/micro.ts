import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { at } from "../src/at.ts"
import type { PathEngine } from "../src/fhirpath/FhirPath.ts"
import { jsonObjectOf } from "../src/json/JsonObject.ts"
import { runScope } from "../src/mapping/apply/scope/runScope.ts"
import type { CheckedMapping } from "../src/mapping/check/check.ts"
import { beginGenerating } from "../src/mapping/generatedCode.ts"
import { loadMapping } from "../src/mapping/load/loadMapping.ts"
import type { PathPlan } from "../src/mapping/MappingPlan.ts"
import type { ConvertedVisit } from "../src/run/Conversion.ts"
import { convertRecords } from "../src/run/convertRecords.ts"
import type { RecordIndex } from "../src/source/records/RecordIndex.ts"
import { recordsOf } from "../src/studio/proof/recordsOf.ts"
import { validateVisit } from "../src/visit/validateVisit.ts"
import { leafPaths } from "../test/visit/leafPaths.ts"
import { handwritten } from "./handwritten.ts"
import { handwrittenConverter } from "./handwrittenConverter.ts"
import { makeInput } from "./makeInput.ts"

/**
 * Shows where the time of a visit goes, in ratios of one run. It compares each stage with parsing the same lines once, and closures with the
 * library `fhirpath`. It compares generated code with a handwritten converter, and expressions with handwritten code. The list at the end has the most
 * expensive expressions.
 *
 *     npm run bench:micro [-- MEGABYTES MAPPING]     4 MB, fhir-r4
 */
const [size = "4", mapping = "fhir-r4"] = process.argv.slice(2)

const load = async (by: PathEngine, file = `mappings/${mapping}/mapping.yaml`): Promise<CheckedMapping> => {
  const { checked } = await Effect.runPromise(
    loadMapping(file, "mappings", { by }).pipe(Effect.provide(NodeServices.layer))
  )
  if (checked === undefined) throw new Error(`${file} has mistakes`)
  return checked
}

/** Seconds of the processor, so that other work on the machine counts less. */
const seconds = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1e6
}

/** The shortest time of each, over several alternating rounds. */
const shortest = <const Works extends ReadonlyArray<() => void>>(rounds: number, works: Works) => {
  let best = works.map(() => Infinity)
  for (let round = 0; round < rounds; round++) {
    const times = works.map((work) => seconds(work))
    best = best.map((time, index) => Math.min(time, at(times, index)))
  }
  // `best` has one time for each work.
  return best as { readonly [Index in keyof Works]: number }
}

const convert = (checked: CheckedMapping, records: RecordIndex, validate = true): void => {
  for (const { json } of visitsOf(checked, records, validate)) if (json === "") throw new Error("a visit has no bytes")
}

const visitsOf = (checked: CheckedMapping, records: RecordIndex, validate = true): Iterable<ConvertedVisit> =>
  convertRecords({
    checked,
    records,
    facility: null,
    system: null,
    zone: "Asia/Phnom_Penh",
    checkVisit: (visit) => validate ? validateVisit(visit, { now: 1_790_000_000_000 }) : [],
    compareVisit: () => []
  }).visits

/** Computes the provenance of every value of every visit, which is otherwise computed on demand. */
const explainAll = (checked: CheckedMapping, records: RecordIndex): void => {
  const { visits } = convertRecords({
    checked,
    records,
    facility: null,
    system: null,
    zone: "Asia/Phnom_Penh",
    checkVisit: (visit) =>
      leafPaths.flatMap((path) =>
        valuesAt(visit, path).map((found) => ({ code: "odd-value", severity: "warning", path: found, title: "" }))
      ),
    compareVisit: () => []
  })
  for (const { problems } of visits) if (problems.length === 0) throw new Error("a visit has no provenance")
}

/** The paths of a field's values in a visit. */
const valuesAt = (value: unknown, path: string): ReadonlyArray<ReadonlyArray<string | number>> =>
  path.split(".").reduce<ReadonlyArray<readonly [unknown, ReadonlyArray<string | number>]>>(
    (all, name) =>
      all.flatMap(([inner, at]): ReadonlyArray<readonly [unknown, ReadonlyArray<string | number>]> => {
        const found = jsonObjectOf(inner)[name]
        return Array.isArray(found)
          ? found.map((one: unknown, index) => [one, [...at, name, index]] as const)
          : found === undefined || found === null
          ? []
          : [[found, [...at, name]] as const]
      }),
    [[value, []]]
  ).map(([, at]) => at)

/** Checks that both converters give the same bytes, so that their times can be compared. */
const compareConverters = (checked: CheckedMapping, records: RecordIndex, resources: ReadonlyArray<unknown>): void => {
  const texts = new Set(handwrittenConverter(resources))
  let visits = 0
  for (const { code, json } of visitsOf(checked, records)) {
    visits++
    if (!texts.has(json)) throw new Error(`the handwritten converter makes another visit ${code}`)
  }
  if (visits !== texts.size) throw new Error("the handwritten converter makes another number of visits")
}

const print = (name: string, ratio: number, more = ""): void => {
  process.stdout.write(`${name.padEnd(44)} ${ratio.toFixed(ratio < 10 ? 2 : 1).padStart(7)}${more}\n`)
}

const folder = mkdtempSync(join(tmpdir(), "fhir2visit-bench-"))
try {
  const file = join(folder, "input.ndjson")
  await makeInput(file, Number(size))
  const text = readFileSync(file, "utf8")
  const closures = await load("definition")
  const library = await load("library")
  const { index } = recordsOf([{ file, text }])

  const sample = await load({}, "bench/few-fields/mapping.yaml")
  beginGenerating(sample.plan, Infinity)
  const resources = index.types.flatMap((type) => index.all(type).map(({ resource }) => resource))
  compareConverters(sample, index, resources)

  const [parse, read, whole, unchecked, reported, slow] = shortest(5, [
    () => text.split("\n").forEach((line) => line === "" || JSON.parse(line)),
    () => recordsOf([{ file, text }]),
    () => convert(closures, index),
    () => convert(closures, index, false),
    () => explainAll(closures, index),
    () => convert(library, index)
  ])
  // V8 optimizes all code of the mapping later than the few functions of the handwritten converter.
  const [fewFields, fewUnchecked, byHand] = shortest(100, [
    () => convert(sample, index),
    () => convert(sample, index, false),
    () => handwrittenConverter(resources)
  ])
  print("parse every line", 1)
  print("read and index : parse", read / parse)
  print("group, map, validate, encode : parse", whole / parse)
  print("  of that, validate", (whole - unchecked) / whole)
  print("provenance of every value : none, no validation", reported / unchecked)
  print("library : closures, the same visits", slow / whole)
  print("few fields by generated code : by hand", fewFields / byHand)
  print("few fields without validation : by hand", fewUnchecked / byHand)
  print("few fields by hand : parse", byHand / parse)

  process.stdout.write("\nexpressions, on every record of their type: closures : by hand, library : closures\n")
  for (const [expression, { byHand, type }] of Object.entries(handwritten)) {
    const records = index.all(type)
    const compiled = ({ plan }: CheckedMapping) => {
      const scope = runScope(plan, index, { facility: null, system: null, zone: "Asia/Phnom_Penh" })
      const path = plan.fhirPath.compile(expression)
      const elements = records.map((record) => [plan.fhirPath.elementOf(record)])
      return () => elements.forEach((focus) => path.values(focus, plan.constants, scope))
    }
    const times = Math.ceil(20_000 / Math.max(1, records.length))
    const repeated = (work: () => void) => () => {
      for (let time = 0; time < times; time++) work()
    }
    const [hand, ours, theirs] = shortest(4, [
      repeated(() => records.forEach(({ resource }) => byHand(resource))),
      repeated(compiled(closures)),
      repeated(compiled(library))
    ])
    print(expression.slice(0, 44), ours / hand, (theirs / ours).toFixed(1).padStart(8))
  }

  process.stdout.write("\nexpressions by their part of the time that a visit spends in expressions\n")
  for (const { evaluations, part, path } of partsOf(closures, () => convert(closures, index)).slice(0, 20)) {
    process.stdout.write(
      `${(100 * part).toFixed(1).padStart(5)} %  ${String(evaluations).padStart(7)} ×  ${path.text.slice(0, 100)}\n`
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Measures every expression of a plan while something runs. */
function partsOf(
  { plan }: CheckedMapping,
  run: () => void
): ReadonlyArray<{ readonly path: PathPlan; readonly evaluations: number; readonly part: number }> {
  const found = new Map<string, { path: PathPlan; evaluations: number; nanoseconds: number }>()
  const seen = new Set<object>()
  const watch = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    if ("evaluate" in value) {
      // Of all parts of a plan, only compiled paths can be evaluated. Only this run uses them, so it may replace their functions.
      const path = value as { -readonly [K in keyof PathPlan]: PathPlan[K] }
      const known = found.get(path.text) ?? { path, evaluations: 0, nanoseconds: 0 }
      found.set(path.text, known)
      for (const way of ["evaluate", "values"] as const) {
        const original = path[way]
        path[way] = (focus, variables, scope) => {
          const started = process.hrtime.bigint()
          try {
            return original(focus, variables, scope)
          } finally {
            known.evaluations++
            known.nanoseconds += Number(process.hrtime.bigint() - started)
          }
        }
      }
    } else if (value instanceof Map) { for (const inner of value.values()) watch(inner) }
    else for (const inner of Object.values(value)) watch(inner)
  }
  watch([plan.grouping, plan.keys, plan.visit])
  run()
  const all = [...found.values()]
  const sum = all.reduce((total, { nanoseconds }) => total + nanoseconds, 0)
  return all
    .map(({ evaluations, nanoseconds, path }) => ({ path, evaluations, part: nanoseconds / sum }))
    .toSorted((one, other) => other.part - one.part)
}
