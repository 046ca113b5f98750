import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/**
 * Records the behaviour of the built program from outside. For each command and input, these are the exit code, the output, and the bytes
 * of each file that it writes. Comparing the records of two builds proves that a refactoring changes nothing, and shows each changed
 * message.
 *
 *     npm run build && node tools/freeze.ts before/
 *     …change…
 *     npm run build && node tools/freeze.ts after/ && node tools/freeze.ts --compare before/ after/
 *
 * Inputs are the samples and, if it exists, the folder `../shared/data`. Each conversion runs on all cores and on one; inputs of more
 * than 32 MB spill to disk. Times, durations, ports and folders, which differ between runs, are replaced by `<…>`. What a command prints
 * of paths is the business of `test/cli/installedPaths.test.ts`. Small worlds of records, in memory and on disk, are compared by the laws
 * of `test/run/partition`, which make new ones in each run.
 */
interface Case {
  readonly name: string
  /** The command. In its arguments, `OUT` is the folder of its files, and `VISIT` the code of the first visit in `OUT/visits.ndjson`. */
  readonly args: ReadonlyArray<string>
  /** Commands that are run before it with the same folder. Their files are not recorded. */
  readonly first?: ReadonlyArray<ReadonlyArray<string>>
  readonly oneCore?: boolean
}

/** The commands without a case, and where their behaviour is compared. */
const elsewhere: Readonly<Record<string, string>> = {
  beneficiary: "it asks a service: test/cli/fill.test.ts",
  fetch: "it asks a FHIR server: test/mirror",
  release: "it changes a journal: test/cli/sending.test.ts",
  sandbox: "it serves until it is stopped: test/service/sandbox",
  status: "it reads a journal: test/cli/sending.test.ts",
  workbench: "it serves until it is stopped: test/studio/workbench"
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
  const visits = ["convert", input, ...facility, "-o", "OUT/visits.ndjson", "--report", "OUT/report.json"]
  const part = (index: number) => [
    "convert",
    "OUT/parts",
    "--part",
    `${index}/2`,
    ...facility,
    "-o",
    `OUT/visits-${index}.ndjson`,
    "--report",
    `OUT/report-${index}.json`
  ]
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
    { name: `init ${sample}`, args: ["init", "OUT/facility", "--from", input] },
    {
      name: `validate ${sample}`,
      first: [visits],
      args: ["validate", "OUT/visits.ndjson", ...facility, "--report", "OUT/validated.json"]
    },
    {
      name: `submit ${sample}`,
      first: [visits],
      args: ["submit", "OUT/visits.ndjson", ...facility, "--sandbox", "--report", "OUT/submitted.json"]
    },
    {
      name: `explain ${sample}`,
      first: [visits],
      args: ["explain", "VISIT", input, ...facility, "--format", "json", "--show-values"]
    },
    { name: `to-fhir ${sample}`, first: [visits], args: ["to-fhir", "OUT/visits.ndjson", "-o", "OUT/bundles.ndjson"] },
    { name: `to-csv ${sample}`, first: [visits], args: ["to-csv", "OUT/visits.ndjson", "-o", "OUT/tables"] },
    { name: `overview ${sample}`, first: [visits], args: ["overview", "OUT/report.json", "-o", "OUT/overview.html"] },
    { name: `assumptions ${sample}`, args: ["assumptions", input, ...facility] },
    { name: `mapping fix ${sample}`, args: ["mapping", "fix", input, ...facility, "--why", "frozen"] },
    {
      name: `merge-reports ${sample}`,
      first: [["partition", input, ...facility, "--into", "2", "-o", "OUT/parts"], part(1), part(2)],
      args: [
        "merge-reports",
        "OUT/report-1.json",
        "OUT/report-2.json",
        "--parts",
        "OUT/parts/parts.json",
        "-o",
        "OUT/merged.json"
      ]
    }
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
    { name: "mapping test csv", args: ["mapping", "test", "--facility", "mappings/csv-synthea"] },
    { name: "mapping test us", args: ["mapping", "test", "--facility", "mappings/us-synthetic"] },
    { name: "mapping diff", args: ["mapping", "diff", "fhir-r4", "us-synthetic", "samples/clinic-day/input"] },
    { name: "codes search", args: ["codes", "search", "diagnosis_types"] },
    { name: "explain a problem", args: ["explain", "null-field"] },
    { name: "generate", args: ["generate", "--visits", "20", "--seed", "1"] },
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

const run = (args: ReadonlyArray<string>, out: string, oneCore: boolean): SpawnSyncReturns<string> => {
  const words = args.map((arg) => (arg === "VISIT" ? firstVisit(out) : arg.replace(/^OUT/u, out)))
  const [file, rest] = oneCore
    ? ["taskset", ["-c", "0", process.execPath, program, ...words]] as const
    : [process.execPath, [program, ...words]] as const
  return spawnSync(file, rest, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    input: "",
    env: { ...process.env, NO_COLOR: "1", FHIR2VISIT_JOURNAL: "", COLUMNS: "120" }
  })
}

const firstVisit = (out: string): string =>
  /"code":"([^"]*)"/u.exec(readFileSync(join(out, "visits.ndjson"), "utf8"))?.[1] ?? "no-visit"

/** Stops if a command of the program has no case, and is not in `elsewhere`. */
const expectAllCommands = (): void => {
  const { stdout } = spawnSync(process.execPath, [program, "--help"], { encoding: "utf8" })
  const listed = stdout.slice(stdout.indexOf("SUBCOMMANDS")).split("\n\n")[0] ?? ""
  const commands = [...listed.matchAll(/^ {2}([a-z-]+)/gmu)].flatMap(([, name = ""]) => name)
  const covered = new Set(cases().flatMap(({ args, first = [] }) => [args[0], ...first.map(([name]) => name)]))
  const missing = commands.filter((name) => !covered.has(name) && !(name in elsewhere))
  if (commands.length === 0 || missing.length > 0) throw new Error(`add a case for: ${missing.join(", ")}`)
}

const record = (target: string, only: string | undefined): void => {
  expectAllCommands()
  mkdirSync(target, { recursive: true })
  const selected = cases().filter(({ name }) => only === undefined || name.includes(only))
  for (const { args, first = [], name, oneCore = false } of selected) {
    const out = mkdtempSync(join(tmpdir(), "fhir2visit-freeze-"))
    try {
      for (const before of first) run(before, out, false)
      const known = new Set(filesUnder(out))
      const done = run(args, out, oneCore)
      const folder = join(target, name.replaceAll(/[^\w.]+/gu, "-"))
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "exit"), `${done.status ?? done.signal}\n`)
      writeFileSync(join(folder, "stdout"), steady(done.stdout, out))
      writeFileSync(join(folder, "stderr"), steady(done.stderr, out))
      for (const written of filesUnder(out).filter((file) => !known.has(file))) {
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
