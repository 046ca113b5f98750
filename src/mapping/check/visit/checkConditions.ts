import type { Span } from "../../../diagnostic/Span.ts"
import { requiredTextsOf } from "../../../fhirpath/pathSteps.ts"
import type { SyntaxEntry } from "../../language/MappingSyntax.ts"
import { isNull } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { BranchPlan, PathPlan } from "../../MappingPlan.ts"

/**
 * Checks an overlay's `where` against the base's. Named conditions merge by name. If only one side has names, the overlay would replace
 * the base's conditions, and rows that the base excludes would be sent.
 */
export const checkConditions = (
  reader: SyntaxReader,
  below: SyntaxEntry | undefined,
  over: SyntaxEntry | undefined
): void => {
  if (below === undefined || over === undefined || isNull(below.value) || isNull(over.value)) return
  const [unnamed, named] = below.value.kind === "map" ? [over, below] : [below, over]
  if (named.value.kind !== "map" || unnamed.value.kind === "map") return
  const names = [...named.value.entries.keys()]
  reader.report(
    "invalid-value",
    unnamed.value.span,
    "do not mix named and unnamed conditions",
    {
      help: ["give it a name, so that it applies in addition to them:  where: {NAME: PATH}"],
      labels: [{ span: named.key, text: `named: ${names.join(", ")}` }]
    }
  )
}

/**
 * Warns about conditions that are never all true, because they need different texts in one element. They are in a branch of the facility,
 * or in all branches of a section. Branches that only report are not counted.
 */
export const checkTogether = (
  reader: SyntaxReader,
  branches: ReadonlyArray<BranchPlan>,
  own: (file: string) => boolean
): void => {
  const sent = branches.filter(({ where }) => !where.some(({ text }) => text === "false"))
  const never = sent.flatMap((branch) => {
    const found = neverTrueIn(branch.where)
    return found === undefined ? [] : [{ ...found, branch }]
  })
  const [first] = never.length === sent.length ? never : never.filter(({ branch }) => own(branch.span.file))
  if (first === undefined) return
  const { element, one, other } = first
  const [marked, unmarked] = own(other.span.file) && !own(one.span.file) ? [other, one] : [one, other]
  // A misspelt value is already reported.
  const isAt = ({ file, line }: Span): boolean => file === marked.span.file && line === marked.span.line
  if (reader.problems.some(({ code, mapping }) => code === "unknown-code" && mapping !== undefined && isAt(mapping))) {
    return
  }
  reader.warn("invalid-value", marked.span, `this is never true: \`${element}\` has one value`, {
    help: ["all conditions must be true; for one of several values write  a = 'x' or a = 'y'  in one condition"],
    labels: marked === unmarked ? [] : [{ span: unmarked.span, text: "this needs another value" }]
  })
}

const neverTrueIn = (
  conditions: ReadonlyArray<PathPlan>
): { readonly element: string; readonly one: PathPlan; readonly other: PathPlan } | undefined => {
  const needed = new Map<string, { readonly by: PathPlan; readonly texts: ReadonlySet<string> }>()
  for (const by of conditions) {
    for (const [element, texts] of requiredTextsOf(by.text)) {
      const before = needed.get(element)
      const both = before?.texts.intersection(texts) ?? texts
      if (both.size === 0) {
        return { element, one: by, other: texts.size === 0 ? by : before?.by ?? by }
      }
      needed.set(element, { by, texts: both })
    }
  }
  return undefined
}
