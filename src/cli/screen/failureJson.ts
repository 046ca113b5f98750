import { printable } from "../../diagnostic/printable.ts"

/** The error that ended a command, as one line of JSON, without a source location. */
export const failureJson = (title: string, help: ReadonlyArray<string> = [], severity = "error"): string =>
  JSON.stringify({ text: `${severity}: ${printable(title)}`, severity, message: title, help })
