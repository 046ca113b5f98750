import { expectationOf, layOut } from "./compareVisit.ts"
import type { Block, CasePage } from "./readCases.ts"
import { type CaseResult, listed } from "./runCase.ts"

/** Returns the page with each expectation replaced by the case's current result. Cases that cannot be run are unchanged. */
export const updatePage = (page: CasePage, results: ReadonlyArray<CaseResult>): string => {
  const lines = page.text.split("\n")
  const changes: Array<{ readonly block: Block; readonly text: ReadonlyArray<string> }> = []
  for (const { broken, case: one, differences, message, problems, visit } of results) {
    if (broken.length > 0) continue
    const empty = one.visit?.text.trim() === ""
    if (one.visit !== undefined && (empty || differences.some(({ path }) => path.startsWith("visit")))) {
      const expected: unknown = empty ? undefined : JSON.parse(one.visit.text)
      changes.push({ block: one.visit, text: layOut(expectationOf(visit, expected)).split("\n") })
    }
    if (one.problems !== undefined && differences.some(({ path }) => path === "problems")) {
      changes.push({ block: one.problems, text: listed(problems, one.problems.text) })
    }
    if (one.message !== undefined && differences.some(({ path }) => path === "message")) {
      changes.push({ block: one.message, text: (message ?? "").split("\n") })
    }
  }
  for (const { block, text } of changes.toSorted((a, b) => b.block.line - a.block.line)) {
    lines.splice(block.line - 1, block.text.split("\n").length - 1, ...text)
  }
  return lines.join("\n")
}
