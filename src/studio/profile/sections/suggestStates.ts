import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { isPathFault, valuesOfPath } from "../../../fhirpath/FhirPath.ts"
import { readsOwn } from "../../../fhirpath/pathSteps.ts"
import { onlyReports } from "../../../mapping/apply/findRows.ts"
import { readingScope } from "../../../mapping/apply/scope/runScope.ts"
import type { BranchPlan, FieldPlan, PathPlan } from "../../../mapping/MappingPlan.ts"
import { getOrMake } from "../../../maps.ts"
import { presentStatuses } from "../../../run/checks/openVisits.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import { codesAt, type Findings } from "../Findings.ts"

/** Elements that show whether something took place, and whether that is certain. */
const elements = ["status", "clinicalStatus", "verificationStatus"] as const

/** States of complete and valid records: no question is raised if all records have one of these. */
const plain: ReadonlySet<string> = new Set(
  ("finished final completed active amended corrected appended available balanced issued current confirmed recurrence "
    + "relapse inactive remission resolved").split(" ")
)

/** Raises a question about the states that occur: which records the mapping sends, and which it excludes. */
export const suggestStates = (findings: Findings, draft: Draft): void => {
  const { plan } = findings
  const type = plan.grouping.rootType
  const where = plan.grouping.where.filter(({ text }) => readsOwn(text, "status"))
  const states = statesOf(findings, type, "status", [where])
  if (states !== undefined) {
    const question = `which of these visits took place, by \`${type}.status\`?  ${states}`
    const [condition, ...others] = where
    if (condition === undefined || others.length > 0) draft.questions.push(question)
    else draft.ask(["grouping", "where", "status"], quotedText(condition.text), question)
  }
  for (const [type, own] of branchesOf(plan.visit)) {
    for (const element of elements) {
      const conditions = own.map(({ where }) => where.filter(({ text }) => readsOwn(text, element)))
        .filter(({ length }) => length > 0)
      const states = conditions.length === 0 ? undefined : statesOf(findings, type, element, conditions)
      if (states === undefined) continue
      draft.askWithoutLine(
        `which of these should be sent, by \`${type}.${element}\`?  ${states}`,
        "`mapping show` has the conditions of the sections that read them"
      )
    }
  }
}

/** Returns the states that records have and what the mapping does with each; `undefined` if none of them raises a question. */
const statesOf = (
  findings: Findings,
  type: string,
  element: (typeof elements)[number],
  conditions: ReadonlyArray<ReadonlyArray<PathPlan>>
): string | undefined => {
  const sent: Array<string> = []
  const notSent: Array<string> = []
  let withheld = 0
  let asks = false
  for (const { code, count, shown, system } of codesAt(findings, type, element)?.all() ?? []) {
    const value = element === "status" ? code : { coding: [{ system, code }] }
    const isSent = conditions.some((some) => some.every((path) => holds(findings, path, type, { [element]: value })))
    if (!isSent || !(plain.has(code) || (type === "Encounter" && presentStatuses.has(code)))) asks = true
    if (shown === undefined) withheld++
    else (isSent ? sent : notSent).push(`${printable(code)} ${number(count)}`)
  }
  return asks
    ? [
      ...(sent.length === 0 ? [] : [`sent: ${sent.join(", ")}`]),
      ...(notSent.length === 0 ? [] : [`not sent: ${notSent.join(", ")}`]),
      ...(withheld === 0 ? [] : [plural(withheld, "other state")])
    ].join("; ")
    : undefined
}

/** Whether a condition keeps a record if only its state is known. */
const holds = ({ plan }: Findings, path: PathPlan, resourceType: string, state: object): boolean => {
  const element = plan.fhirPath.elementOf({
    origin: { file: "", line: 1, reference: resourceType },
    resource: { resourceType, ...state }
  })
  const found = valuesOfPath(path, [element], {}, readingScope)
  return !isPathFault(found) && found.every((value) => value !== false) && found.length > 0
}

/** The branches of a visit that read records of a type. */
const branchesOf = (field: FieldPlan): ReadonlyMap<string, ReadonlyArray<BranchPlan>> => {
  const found = new Map<string, Array<BranchPlan>>()
  const walk = (field: FieldPlan): void => {
    if (field.kind === "leaf") return
    for (const branch of field.branches) {
      if (branch.rows.from === "resource" && !onlyReports(branch)) {
        for (const type of branch.rows.types) getOrMake(found, type, () => []).push(branch)
      }
      branch.fields.forEach(walk)
    }
  }
  walk(field)
  return found
}
