import { DateTime, Effect, FileSystem } from "effect"
import { number, plural } from "../../diagnostic/count.ts"
import { expectDistinct } from "../files/outputTargets.ts"
import { expectWritable, type OutputError, writeWhole } from "../files/WholeFile.ts"
import { measure, metricsText } from "../report/metrics.ts"
import type { Report } from "../report/Report.ts"
import { reportJson, reportText } from "../report/reportJson.ts"
import { UsageError } from "../UsageError.ts"
import { reportError } from "./reportError.ts"
import { noteEnd } from "./runEnd.ts"
import { Screen } from "./Screen.ts"

/** Where a command's results go. */
interface Results {
  readonly output?: string | undefined
  readonly report: ReadonlyArray<string>
  readonly rejected: string | undefined
  readonly coverage?: string | undefined
  readonly part?: unknown
  readonly parts?: string | undefined
}

/** The present, ISO 8601. */
export const now = Effect.map(DateTime.now, DateTime.formatIso)

/**
 * Writes the result of a run: as a page, as JSON, or as metrics; and exports its counts as metrics. Every file that can be
 * written is written; of several failures, it fails with the last one and reports the others.
 */
export const writeReports = Effect.fnUntraced(function*(files: ReadonlyArray<string>, report: Report) {
  yield* measure(report)
  yield* noteEnd(report)
  const failed: Array<OutputError> = []
  for (const file of files) {
    yield* Effect.catch(writeReport(file, report), (error) => Effect.sync(() => void failed.push(error)))
  }
  const last = failed.pop()
  for (const error of failed) yield* reportError(error)
  if (last !== undefined) return yield* last
})

/** Writes a report in the format of the file's extension: a page, metrics, otherwise JSON. */
export const writeReport = Effect.fnUntraced(function*(file: string, report: Report) {
  if (/\.html?$/u.test(file)) return yield* writePage(file, report)
  if (!file.endsWith(".prom")) {
    return yield* writeWhole(file, reportText(reportJson(report)))
  }
  const fs = yield* FileSystem.FileSystem
  yield* writeWhole(file, yield* metricsText)
  // Only numbers, readable by a collector that runs as another user.
  yield* Effect.ignore(fs.chmod(file, 0o644))
})

/** Writes the page for people. */
const writePage = Effect.fnUntraced(function*(file: string, report: Report) {
  const { language, renderOptions } = yield* Screen
  const page = yield* Effect.promise(async () => {
    const { writePage } = await import("../../studio/viewer/writePage.ts")
    return writePage({ page: "report", language, report: reportJson(report, renderOptions.showValues) })
  })
  yield* writeWhole(file, page)
})

/** Returns true if one of the reports shows earlier runs. */
export const wantsRuns = (files: ReadonlyArray<string>): boolean => files.some((file) => !file.endsWith(".prom"))

/** The next command if something was rejected and no file of the reasons was requested. */
export const rejectedStep = (
  { rejected }: Pick<Results, "rejected">,
  counts: { readonly rejected: number; readonly rejectedRecords: number }
): ReadonlyArray<readonly [command: string, why: string]> =>
  rejected === undefined && counts.rejected + counts.rejectedRecords > 0
    ? [["add --rejected rejected.ndjson", "writes what was rejected, with its problems"]]
    : []

/** The next step for the problem of the conversion that rejects most visits. */
export const topProblemStep = (
  { facility }: { readonly facility: string | undefined },
  { counts, problems }: Report
): ReadonlyArray<readonly [command: string, why: string]> => {
  const [most] = problems.filter(({ first }) => first.severity === "error" && first.visit !== undefined)
    .toSorted((one, other) => other.visits - one.visits)
  if (counts.rejected === 0 || most === undefined) return []
  return [[
    most.first.code === "unmapped-code" && facility !== undefined
      ? "fhir2visit codes unmapped INPUT -o TABLES"
      : `fhir2visit explain ${most.first.code}`,
    `${plural(most.visits, "visit")} of ${number(counts.rejected)} rejected: ${most.first.title}`
  ]]
}

/** Extensions of formats other than JSON. */
const otherForm = /\.(?:csv|tsv|xlsx?|html?|xml|pdf|ya?ml|prom)$/iu

/** What a flag writes, and how a name asks for it. `--report` has a check of its own, because it has more forms. */
const formsOf: Readonly<Record<string, { readonly form: string; readonly help: ReadonlyArray<string> }>> = {
  "--output": {
    form: "JSON",
    help: [
      "--output visits.ndjson   a visit on each line",
      "--output visits.json     one request",
      "as tables:  fhir2visit to-csv visits.ndjson -o FOLDER"
    ]
  },
  "--rejected": { form: "JSON", help: ["--rejected rejected.ndjson"] },
  "--coverage": { form: "text or JSON", help: ["--coverage coverage.txt", "--coverage coverage.json"] }
}

/** Fails if a file that the flags name cannot be written, is named twice, or is an input. */
export const checkResults = Effect.fnUntraced(
  function*({ coverage, output, part, parts, rejected, report }: Results, inputs: ReadonlyArray<string>) {
    if (part !== undefined && coverage !== undefined) {
      return yield* new UsageError({ title: "--coverage needs the whole run, so it excludes --part" })
    }
    if (part === undefined && parts !== undefined) {
      return yield* new UsageError({
        title: "--parts needs --part"
      })
    }
    const flags = { "--output": [output], "--rejected": [rejected], "--report": report, "--coverage": [coverage] }
    const targets = Object.entries(flags).flatMap(([flag, files]) =>
      files.flatMap((file) => (file === undefined ? [] : [[flag, file] as const]))
    )
    yield* expectDistinct(targets, inputs)
    for (const [flag, file] of targets) {
      const forms = formsOf[flag]
      if (forms !== undefined && otherForm.test(file)) {
        return yield* new UsageError({ title: `${flag} writes ${forms.form}, not \`${file}\``, help: forms.help })
      }
    }
    for (const file of report) {
      if (!/\.(?:json|html?|prom)$/.test(file)) {
        return yield* new UsageError({
          title: `--report writes a .html, a .json or a .prom file, not \`${file}\``,
          help: [
            "--report report.html    for people",
            "--report report.json",
            "--report metrics.prom   for a collector of metrics"
          ]
        })
      }
    }
    // Check before sending that the reports can be written.
    for (const [, file] of targets) if (file !== "-") yield* expectWritable(file)
  }
)
