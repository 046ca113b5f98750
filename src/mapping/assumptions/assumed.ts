import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { getOrMake } from "../../maps.ts"
import type { Assumption } from "../MappingPlan.ts"

type AssumptionReport = Pick<
  Diagnostic,
  "code" | "severity" | "title" | "mapping" | "facts" | "help" | "assumption"
>

/** The reports of each assumption, by the line that decides it. Every visit makes the same ones. */
const known = new WeakMap<Assumption, Map<Span, AssumptionReport>>()

/** Reports that a value is sent, or something is dropped, under an assumption; `mapping` is the line that decides it. */
export const assumed = (assumption: Assumption, mapping: Span): AssumptionReport => {
  const reports = getOrMake(known, assumption, () => new Map())
  return getOrMake(reports, mapping, () => reportOf(assumption, mapping))
}

const reportOf = ({ instead, level, means, name }: Assumption, mapping: Span): AssumptionReport => ({
  code: "assumption",
  severity: level,
  title: withoutStop(means),
  assumption: name,
  mapping,
  facts: [["name", name]],
  help: [
    `if it is wrong: ${withoutStop(instead)}`,
    `if it is right, accept it in assumptions.yaml, next to facility.yaml:  accept: {${name}: "WHY, WHO, WHEN"}`
  ]
})

const withoutStop = (sentence: string): string => sentence.trim().replace(/\.$/u, "")
