import { Effect } from "effect"
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
  return report
})

const isReport = (value: unknown): value is ReportJson =>
  isJsonObject(value) && typeof value.counts === "object" && Array.isArray(value.problems) &&
  Array.isArray(value.unmapped)
