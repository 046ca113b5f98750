import { jsonLine } from "../../diagnostic/render/jsonLine.ts"
import { printable } from "../../diagnostic/render/printable.ts"

/** The error that ended a command, as one line of JSON, without a source location. */
export const failureJson = (
  time: number,
  title: string,
  help: ReadonlyArray<string>,
  level: "error" | "warning" = "error"
): string =>
  jsonLine({ time, level, code: "failure", message: title, text: `${level}: ${printable(title)}`, facts: { help } })
