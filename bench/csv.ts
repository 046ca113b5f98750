import * as NodeServices from "@effect/platform-node/NodeServices"
import { parse } from "csv-parse"
import { Effect, Result, Stream } from "effect"
import { spawnSync } from "node:child_process"
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadMapping } from "../src/mapping/load/loadMapping.ts"
import { findInputs } from "../src/source/read/findInputs.ts"
import { readInputs } from "../src/source/read/readInput.ts"
import type { TableLayout } from "../src/source/tables/TableLayout.ts"
import { extractTables } from "../src/studio/canonical/extractTables.ts"
import { CsvWriter, extractHeader } from "../src/studio/canonical/toCsv.ts"
import { decodeVisit } from "../src/visit/decode.ts"
import { median } from "./measure.ts"

/**
 * Measures the rows per second of reading tables into records, relative to only `csv-parse` on the same files, by processor time. It
 * also measures a whole `convert`, by the clock. Rounds alternate; the ratio is of medians. The target is a ratio of at most 2.5.
 *
 *     node bench/csv.ts 20                  a made-up canonical extract of about 20 MB
 *     node bench/csv.ts FOLDER FACILITY     the files of a folder, with the mapping of a facility folder
 */
const rounds = 5

/** Seconds of processor time of this process: other work on the machine does not count. */
const now = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

const clock = (): number => Number(process.hrtime.bigint()) / 1e9

/** Writes a canonical extract of many copies of one visit. */
const makeExtract = (folder: string, megabytes: number): void => {
  const text = JSON.stringify(JSON.parse(readFileSync("samples/outpatient-fever/expected.json", "utf8")))
  const files = new Map(extractTables.map((table) => {
    const file = createWriteStream(join(folder, `${table.name}.csv`))
    file.write(extractHeader(table))
    return [table.name, file] as const
  }))
  const writer = new CsvWriter()
  let bytes = 0
  for (let copy = 0; bytes < megabytes * 1_000_000; copy++) {
    const renamed = Result.getOrThrow(decodeVisit(text.replace(/"([A-Z]{1,3}\d{5,})"/gu, `"$1-${copy}"`)))
    for (const [table, rows] of writer.rows(renamed) ?? []) {
      bytes += Buffer.byteLength(rows)
      const file = files.get(table)
      if (file === undefined) throw new Error(`the extract has no table ${table}`)
      file.write(rows)
    }
  }
  for (const file of files.values()) file.end()
}

const parseOnly = async (files: ReadonlyArray<string>): Promise<number> => {
  let rows = 0
  for (const file of files) {
    await new Promise<void>((resolve, reject) => {
      createReadStream(file).pipe(parse({ bom: true })).on("data", () => {
        rows++
      }).on("error", reject).on("end", resolve)
    })
  }
  return rows
}

const readRecords = (files: ReadonlyArray<string>, tables: ReadonlyArray<TableLayout>): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const { inputs } = yield* findInputs(files)
      let records = 0
      yield* Stream.runForEachArray(readInputs(inputs, { tables }), (items) =>
        Effect.sync(() => {
          for (const item of items) if (item._tag === "Record") records++
        }))
      return records
    })
  )

const [first = "20", facility] = process.argv.slice(2)
const made = facility === undefined
const folder = made ? mkdtempSync(join(tmpdir(), "fhir2visit-csv-")) : first
try {
  if (made) {
    mkdirSync(folder, { recursive: true })
    makeExtract(folder, Number(first))
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const files = readdirSync(folder).filter((name) => name.endsWith(".csv")).map((name) => join(folder, name))
  const mapping = made ? "mappings/csv/mapping.yaml" : join(facility, "mapping.yaml")
  const { checked, problems } = await Effect.runPromise(
    loadMapping(mapping, "mappings").pipe(Effect.provide(NodeServices.layer))
  )
  if (checked === undefined) throw new Error(problems.map(({ title }) => title).join("\n"))
  const parsing: Array<number> = []
  const reading: Array<number> = []
  let rows = 0
  let records = 0
  for (let round = 0; round < rounds; round++) {
    let start = now()
    rows = await parseOnly(files)
    parsing.push(now() - start)
    start = now()
    records = await readRecords(files, checked.plan.tables)
    reading.push(now() - start)
  }
  const settings = join(folder, "facility.yaml")
  if (made) {
    writeFileSync(settings, "facility: HF0001\nsystem: BENCH\ntimezone: Asia/Phnom_Penh\nmapping: csv\n")
  }
  const start = clock()
  const { stderr } = spawnSync(process.execPath, [
    "dist/fhir2visit.mjs",
    "convert",
    ...files,
    "-o",
    join(tmpdir(), `fhir2visit-csv-${process.pid}.ndjson`),
    "--facility",
    made ? settings : facility
  ], { encoding: "utf8" })
  const whole = clock() - start
  rmSync(join(tmpdir(), `fhir2visit-csv-${process.pid}.ndjson`), { force: true })
  const speed = (seconds: number): string => `${Math.round(rows / seconds).toLocaleString("en")} rows a second`
  process.stdout.write(
    `${rows.toLocaleString("en")} rows, ${records.toLocaleString("en")} records\n`
      + `csv-parse only    ${speed(median(parsing))}\n`
      + `reading           ${speed(median(reading))}   reading : csv-parse = ${
        (median(reading) / median(parsing)).toFixed(2)
      }   (target: at most 2.5)\n`
      + `whole convert     ${speed(whole)}   ${/\d+ visits? [^\n]*/u.exec(stderr)?.[0] ?? stderr.slice(0, 300)}\n`
  )
} finally {
  if (made) rmSync(folder, { recursive: true, force: true })
}
