import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/**
 * Records the behaviour of the built program from outside: for each command and input the exit code, the output, and the bytes of each
 * file it writes. Comparing the records of two builds proves that a refactoring changes nothing, and shows each changed message.
 *
 *     npm run build && node tools/freeze.ts before/
 *     …change…
 *     npm run build && node tools/freeze.ts after/ && node tools/freeze.ts --compare before/ after/
 *
 * Inputs are the samples and, if it exists, the folder `../shared/data`. Each conversion runs on all cores and on one; inputs of more
 * than 32 MB spill to disk. Times, durations, ports and folders, which differ between runs, are replaced by `<…>`.
 */
interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly oneCore?: boolean
}

const program = resolve("dist/fhir2visit.mjs")
const shared = resolve("../shared/data")

const conversion = (name: string, inputs: ReadonlyArray<string>, facility?: string): ReadonlyArray<Case> => {
  const args = [
    "convert",
    ...inputs,
    ...(facility === undefined ? [] : ["--facility", facility]),
    "-o",
    "OUT/visits.ndjson",
    "--rejected",
    "OUT/rejected.ndjson",
    "--report",
    "OUT/report.json"
  ]
  return [{ name: `convert ${name}`, args }, { name: `convert ${name} one core`, args, oneCore: true }]
}

const samples = readdirSync("samples", { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) =>
  name
)

const ofSample = (sample: string): ReadonlyArray<Case> => {
  const input = `samples/${sample}/input`
  const facility = ["--facility", `samples/${sample}`]
  return [
    ...conversion(sample, [input], `samples/${sample}`),
    {
      name: `convert json ${sample}`,
      args: ["convert", input, ...facility, "-o", "OUT/visits.json", "--format", "json"]
    },
    { name: `convert line ${sample}`, args: ["convert", input, ...facility, "-o", "-", "--format", "line"] },
    {
      name: `coverage ${sample}`,
      args: ["convert", input, ...facility, "-o", "OUT/visits.ndjson", "--coverage", "OUT/coverage.json"]
    },
    { name: `run ${sample}`, args: ["run", input, ...facility, "--sandbox", "--report", "OUT/report.json"] },
    { name: `dry run ${sample}`, args: ["run", input, ...facility, "--sandbox", "--dry-run"] },
    { name: `profile ${sample}`, args: ["profile", input, ...facility] },
    { name: `profile json ${sample}`, args: ["profile", input, ...facility, "--format", "json"] },
    { name: `codes unmapped ${sample}`, args: ["codes", "unmapped", input, ...facility, "-o", "OUT/tables"] },
    { name: `mapping check ${sample}`, args: ["mapping", "check", ...facility] },
    { name: `mapping show ${sample}`, args: ["mapping", "show", ...facility] },
    { name: `init ${sample}`, args: ["init", "OUT/facility", "--from", input] }
  ]
}

const sets: ReadonlyArray<readonly [name: string, facility?: string]> = [
  ["bulk-synthea-60", "mappings/us-synthetic"],
  ["synthea-bundles", "mappings/us-synthetic"],
  ["bulk-10-patients-incomplete", "mappings/us-synthetic"],
  ["bulk-synthea-1patient-uscore", "mappings/us-synthetic"],
  ["csv-synthea-27", "mappings/csv-synthea"],
  ["bulk-cumulus-mini"],
  ["india-nrces-abdm-6.5.0"],
  ["srilanka-hims"],
  ["openmrs-fhir2"],
  ["hl7-r4-spec-examples"],
  ["hl7v2-converted-ms"],
  ["nasty-json"],
  ["nasty-derived"]
]

const cases = (): ReadonlyArray<Case> => {
  if (!existsSync(shared)) process.stderr.write(`freeze: ${shared} not found: only the samples are recorded\n`)
  return [
    ...samples.flatMap(ofSample),
    { name: "mapping check fhir-r4", args: ["mapping", "check", "mappings/fhir-r4"] },
    { name: "generate", args: ["generate", "--visits", "20"] },
    ...(existsSync(shared)
      ? [
        ...sets.flatMap(([name, facility]) => conversion(name, [join(shared, name)], facility)),
        ...conversion(
          "on disk",
          [join(shared, "bulk-synthea-60"), join(shared, "synthea-bundles")],
          "mappings/us-synthetic"
        ),
        ...sets.map(([name]) => ({ name: `profile ${name}`, args: ["profile", join(shared, name)] }))
      ]
      : [])
  ]
}

const folders = [[resolve("."), "<here>"], [resolve(".."), "<above>"]] as const

/** Replaces everything that differs between two runs of one build. */
const steady = (text: string, out: string): string =>
  [[out, "OUT"] as const, ...folders].reduce((all, [from, to]) => all.replaceAll(from, to), text)
    .replaceAll(/"(started|ended|at|time|resolved)":\s*"[^"]*"/gu, (_, key: string) => `"${key}":"<time>"`)
    .replaceAll(/"(seconds|millis|runId|run)":\s*("[^"]*"|[\d.]+)/gu, (_, key: string) => `"${key}":"<run>"`)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, "<time>")
    .replaceAll(/127\.0\.0\.1:\d+/gu, "<address>")
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/gu, "<duration>")
    .replaceAll(/^HF\w+ {3}\d{4}-\d\d-\d\d$/gmu, "<facility and day>")

const filesUnder = (folder: string, within = ""): ReadonlyArray<string> =>
  readdirSync(join(folder, within), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(folder, join(within, entry.name)) : [join(within, entry.name)]
  ).sort()

const record = (target: string, only: string | undefined): void => {
  mkdirSync(target, { recursive: true })
  const selected = cases().filter(({ name }) => only === undefined || name.includes(only))
  for (const { args, name, oneCore } of selected) {
    const out = mkdtempSync(join(tmpdir(), "fhir2visit-freeze-"))
    try {
      const command = [program, ...args.map((arg) => arg.replace(/^OUT/u, out))]
      const [file, rest] = oneCore === true
        ? ["taskset", ["-c", "0", process.execPath, ...command]] as const
        : [process.execPath, command] as const
      const done = spawnSync(file, rest, {
        encoding: "utf8",
        maxBuffer: 2 ** 30,
        input: "",
        env: { ...process.env, NO_COLOR: "1", FHIR2VISIT_JOURNAL: "", COLUMNS: "120" }
      })
      const folder = join(target, name.replaceAll(/[^\w.]+/gu, "-"))
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "exit"), `${done.status ?? done.signal}\n`)
      writeFileSync(join(folder, "stdout"), steady(done.stdout, out))
      writeFileSync(join(folder, "stderr"), steady(done.stderr, out))
      for (const written of filesUnder(out)) {
        writeFileSync(join(folder, written.replaceAll("/", "~")), steady(readFileSync(join(out, written), "utf8"), out))
      }
      process.stderr.write(`${String(done.status).padStart(3)}  ${name}\n`)
    } finally {
      rmSync(out, { recursive: true, force: true })
    }
  }
}

/** Prints each file that differs; exit code 1 if there is one. */
const compare = (before: string, after: string): number => {
  const all = [...new Set([...filesUnder(before), ...filesUnder(after)])].sort()
  const read = (folder: string, file: string) =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : null
  const changed = all.filter((file) => read(before, file) !== read(after, file))
  for (const file of changed) {
    const [old, now] = [read(before, file), read(after, file)]
    const lines = (text: string | null) => text === null ? "missing" : `${text.split("\n").length - 1} lines`
    process.stdout.write(`${file}: ${lines(old)} -> ${lines(now)}\n`)
  }
  process.stdout.write(`${changed.length} of ${all.length} files differ\n`)
  return changed.length === 0 ? 0 : 1
}

const [first, second, third] = process.argv.slice(2)
if (first === "--compare" && second !== undefined && third !== undefined) process.exitCode = compare(second, third)
else if (first !== undefined && !first.startsWith("-")) record(first, second)
else {
  process.stderr.write("usage: node tools/freeze.ts FOLDER [NAME]   or   node tools/freeze.ts --compare BEFORE AFTER\n")
  process.exitCode = 2
}
