import { Effect } from "effect"
import { currentCode, underCurrentCodes } from "../../diagnostic/renamedCodes.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { SourceError } from "../../source/SourceError.ts"
import type { ReportJson } from "../../studio/viewer/ReportJson.ts"
import { UsageError } from "../UsageError.ts"

const maxReportBytes = 256 * 1024 * 1024

/** Reads what `--report FILE.json` wrote. */
export const readReport = Effect.fnUntraced(function*(file: string) {
  const read = yield* readTextFile(file, maxReportBytes)
  if (read._tag === "Unreadable") {
    return yield* read.isMissing
      ? new SourceError({ reason: { _tag: "NotFound", input: file } })
      : new UsageError({ title: `\`${file}\` cannot be read: ${read.why}` })
  }
  const { text } = read
  const report = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new UsageError({ title: `\`${file}\` is not JSON`, help: ["--report FILE.json writes one"] })
  })
  if (!isReport(report)) {
    return yield* new UsageError({
      title: `\`${file}\` is not the report of a run`,
      help: ["--report FILE.json writes one"]
    })
  }
  return withCurrentCodes(report)
})

/** The report with the codes that its problems have now. Reports of other versions can hold unknown codes, which are kept. */
const withCurrentCodes = ({ runs, ...report }: ReportJson): ReportJson => ({
  ...report,
  problems: report.problems.map((problem) => ({
    ...problem,
    code: currentCode(problem.code),
    first: { ...problem.first, code: currentCode(problem.code) }
  })),
  ...(runs === undefined ? {} : {
    runs: runs.map(({ summary, ...run }) => ({
      ...run,
      ...(summary === undefined ? {} : { summary: { ...summary, blockers: underCurrentCodes(summary.blockers) } })
    }))
  })
})

const isReport = (value: unknown): value is ReportJson =>
  isJsonObject(value) && typeof value.counts === "object" && Array.isArray(value.problems) &&
  Array.isArray(value.unmapped)
