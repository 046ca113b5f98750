import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import type { Assumption } from "../MappingPlan.ts"

/** Reports that a value is sent, or something is dropped, under an assumption; `mapping` is the line that decides it. */
export const assumed = (
  { instead, level, means, name }: Assumption,
  mapping: Span
): Pick<Diagnostic, "code" | "severity" | "title" | "mapping" | "facts" | "help" | "assumption"> => ({
  code: "assumption",
  severity: level,
  title: withoutStop(means),
  assumption: name,
  mapping,
  facts: [["name", name]],
  help: [
    `if it is wrong: ${withoutStop(instead)}`,
    "if it is right, accept it:  fhir2visit mapping fix INPUT --only assumption --why REASON --write"
  ]
})

const withoutStop = (sentence: string): string => sentence.trim().replace(/\.$/u, "")
