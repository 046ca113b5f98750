import { makeVisitWalk } from "../checkForm.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { type LeafRule, type Rule, type RuleSettings, toUnvalidated } from "./Rule.ts"

/** The problems of a visit: those of form, and those that the rules find, in the order of the rules. */
interface FoundProblems {
  readonly ofForm: ReadonlyArray<VisitProblem>
  readonly ofRules: ReadonlyArray<VisitProblem>
}

/** Makes a check of visits by several rules. */
export const makeRuleCheck = (
  rules: ReadonlyArray<Rule | LeafRule>
): (visit: unknown, settings: RuleSettings) => FoundProblems => {
  const leafRules = rules.filter((rule) => typeof rule !== "function")
  const walk = makeVisitWalk(leafRules)
  return (visit, settings) => {
    const loose = toUnvalidated(visit)
    // The leaf rules find their problems together, and report them in their places.
    const ofLeaves: Array<ReadonlyArray<VisitProblem>> = []
    const checks = leafRules.map((rule) => {
      const found: Array<VisitProblem> = []
      ofLeaves.push(found)
      return new rule.Check(loose, settings, (problem) => void found.push(problem))
    })
    const ofForm = walk(visit, checks)
    const ofRules: Array<VisitProblem> = []
    const report = (problem: VisitProblem): void => void ofRules.push(problem)
    let next = 0
    for (const rule of rules) {
      if (typeof rule === "function") rule(loose, settings, report)
      else ofLeaves[next++]?.forEach(report)
    }
    return { ofForm, ofRules }
  }
}
