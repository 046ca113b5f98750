import { number } from "../diagnostic/count.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"

/** The problem of an export without visits. It is never a success, because the program cannot know the reason. */
export const noVisits = (records: number): Diagnostic => ({
  code: "no-visits",
  severity: "error",
  title: "no visit came out of this input",
  facts: [["records", number(records)]],
  help: [
    "look whether the records or rows that visits grow from are in the input: encounters, or the table of visits",
    "if the day had no visits, nothing has to be done"
  ]
})
