import { apply, type ApplyContext } from "../../mapping/apply/apply.ts"
import type { VisitDraft } from "../../mapping/draft/VisitDraft.ts"
import type { EvaluationScope } from "../../mapping/functions/EvaluationScope.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { hashName } from "../links/hashName.ts"
import { type EngineDifference, EngineDiffers } from "./EngineDiffers.ts"

/** Of this many visits, one is made by the definition, too. */
const every = 500

/**
 * Makes a visit by generated code. The first visits for which a piece of code runs, and one in 500, are made by the definition, too. The name
 * of the root chooses them, so that any number of threads chooses the same. The definition also finds the keys of records again, in the scope
 * that `newScope` returns. Throws `EngineDiffers` if the two are not the same.
 */
export const applyProven = (context: ApplyContext, group: VisitGroup, newScope: () => EvaluationScope): VisitDraft => {
  const { units } = context.plan.fhirPath
  const made = apply(context, group)
  if (
    units === undefined || units.isOff || !units.proves ||
    !(units.newCode.take() || hashName(group.root.origin.reference) % every === 0)
  ) {
    return made
  }
  const facts = factsOf(made)
  const defined = units.without(() => {
    const draft = apply({ ...context, scope: newScope() }, group)
    return { draft, facts: factsOf(draft) }
  })
  for (const [index, fact] of facts.entries()) {
    if (fact !== defined.facts[index]) {
      throw new EngineDiffers({ what: whatOf(index), source: group.root.origin.reference })
    }
  }
  return defined.draft
}

/** What must be the same. The records used are those that a visit by itself uses. */
const factsOf = (draft: VisitDraft): ReadonlyArray<string> => {
  const { assumed, problems, unmapped, visit } = draft
  const reported = (all: VisitDraft["problems"]): string =>
    JSON.stringify(
      all.map(({ assumption, code, field, severity, title }) => [code, severity, field, title, assumption])
    )
  return [
    JSON.stringify(visit),
    reported(problems),
    reported(assumed),
    JSON.stringify(unmapped),
    [...draft.recordsIn({ has: () => false })].map(({ origin }) => origin.reference).toSorted().join(" ")
  ]
}

const whatOf = (index: number): EngineDifference["what"] =>
  (["values", "problems", "assumptions", "unmapped codes", "records"] as const)[index] ?? "values"
