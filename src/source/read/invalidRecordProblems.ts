import type { InvalidRecordReason } from "../../json/parseRecord.ts"
import type { InputProblem } from "../InputProblem.ts"

/** What is reported for a record that cannot be used, by the reason. */
export const invalidRecordProblems: Readonly<Record<InvalidRecordReason | "too-large", InputProblem>> = {
  "too-deep": {
    code: "too-deep",
    severity: "error",
    title: "a record is nested deeper than the limit",
    help: ["check the program that wrote it: real records are far below the limit"]
  },
  "too-large": {
    code: "too-large",
    severity: "error",
    title: "a record is larger than the limit",
    help: ["export large attachments as links instead of embedding them"]
  },
  "half-character": {
    code: "unreadable-record",
    severity: "error",
    title: "a text contains half of a character (a lone surrogate), which cannot be sent",
    help: ["correct the text in the source system: it was cut in the middle of a character"]
  },
  "repeated-name": {
    code: "unreadable-record",
    severity: "error",
    title: "duplicate name in an object of the record: the value is ambiguous",
    help: ["correct what writes the record: each name of a JSON object must be unique"]
  },
  "endless-number": {
    code: "unreadable-record",
    severity: "error",
    title: "a number has more than 400 digits or an exponent beyond 400",
    help: ["correct the number in the source system"]
  }
}
