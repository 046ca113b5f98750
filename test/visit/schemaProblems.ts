import { Result, Schema, type SchemaIssue } from "effect"
import { at } from "../../src/at.ts"
import { valueAt } from "../../src/visit/decode.ts"
import { describeIssue } from "../../src/visit/describeIssue.ts"
import { Visit } from "../../src/visit/Visit.ts"
import type { ValuePath, VisitProblem } from "../../src/visit/VisitProblem.ts"

const decode = Schema.decodeUnknownResult(Visit, { errors: "all", onExcessProperty: "error" })

/** The problems of form that the schema of the Visit finds: a second reading, to compare the checker with. */
export const schemaProblems = (value: unknown): ReadonlyArray<VisitProblem> =>
  Result.match(decode(value), { onSuccess: () => [], onFailure: (error) => problemsOf(error.issue, value) })

const problemsOf = (root: SchemaIssue.Issue, value: unknown): ReadonlyArray<VisitProblem> => {
  const problems: Array<VisitProblem> = []
  const walk = (issue: SchemaIssue.Issue, path: ValuePath): void => {
    switch (issue._tag) {
      case "Pointer":
        return walk(issue.issue, [...path, ...issue.path.map((key) => typeof key === "number" ? key : String(key))])
      case "Composite":
        return issue.issues.forEach((inner) => walk(inner, path))
      case "AnyOf": {
        const inner = issue.issues.filter((member) => member._tag === "Composite" || member._tag === "Pointer")
        if (inner.length === 1 && issue.issues.length === 1) return walk(at(inner, 0), path)
        break
      }
      case "Filter":
        if (issue.issue._tag === "Pointer") return walk(issue.issue, path)
        break
      default:
        break
    }
    const tag = issue._tag === "MissingKey" || issue._tag === "UnexpectedKey" ? issue._tag : "InvalidType"
    problems.push(describeIssue(tag, path, valueAt(value, path)))
  }
  walk(root, [])
  return problems
}
