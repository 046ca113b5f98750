import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"

/** The problem of an export without visits. It is never a success, because the program cannot know the reason. */
export const noVisits = (records: number): Diagnostic => ({
  code: "no-visits",
  severity: "error",
  title: "the input has no visits",
  facts: [["records", number(records)]],
  help: [
    "check that the input has encounters, or the table of visits",
    "if the day had no visits, do nothing"
  ]
})
