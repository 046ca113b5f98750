import { printable } from "../../diagnostic/printable.ts"

/** Why a command cannot go on, as one line of JSON: no place of a file has part in it. */
export const failureJson = (title: string, help: ReadonlyArray<string> = [], severity = "error"): string =>
  JSON.stringify({ text: `${severity}: ${printable(title)}`, severity, message: title, help })
