import type { Element } from "../../fhirpath/FhirPath.ts"
import { assumed } from "../assumptions/assumed.ts"
import type { ConceptMap, SourceCode } from "../codes/ConceptMap.ts"
import { codesOf, resolveCode } from "../codes/ConceptMap.ts"
import { forEachElement } from "../functions/forEachElement.ts"
import { quoteKey } from "../language/quoteKey.ts"
import type { PathPlan } from "../MappingPlan.ts"
import type { FieldContext } from "./FieldContext.ts"
import { reportOn, shown } from "./FieldReport.ts"

/**
 * Translates codes. `groups` contains elements that are alternatives of one value: the codings of one concept, or several values found for
 * a field that takes one.
 */
export const translateCodes = (
  filling: FieldContext,
  map: ConceptMap,
  groups: ReadonlyArray<Element>,
  path: PathPlan | undefined
): ReadonlyArray<string> =>
  forEachElement(groups, (group) => {
    const codes: Array<SourceCode> = []
    for (const element of Array.isArray(group) ? group : [group]) codes.push(...codesOf(element))
    return translate(filling, map, codes, path)
  })

const translate = (
  filling: FieldContext,
  map: ConceptMap,
  codes: ReadonlyArray<SourceCode>,
  path: PathPlan | undefined
): string | undefined => {
  const { context, leaf } = filling
  const resolved = resolveCode(map, codes)
  if (resolved === undefined) return undefined
  const { code: first, counted, map: { name, unmapped }, value } = resolved
  if (counted) {
    const blocking = unmapped.mode === "reject" || (value === undefined && leaf.required === "error")
    context.unmapped({ table: name, ...first, blocking })
  }
  for (const { assume, span } of resolved.remarks) {
    if (assume !== undefined) reportOn(filling, path)(assumed(assume, span))
  }
  if (resolved.key === undefined && (unmapped.mode === "reject" || unmapped.mode === "warn")) {
    reportOn(filling, path)(unmappedCode(resolved.map, unmapped.mode, first))
  }
  return value
}

/** A code that a concept map does not contain, with what adds it. */
export const unmappedCode = (
  { name: map, rows }: Pick<ConceptMap, "name"> & Partial<Pick<ConceptMap, "rows">>,
  mode: "reject" | "warn",
  { code, system, words }: SourceCode
) => ({
  code: "unmapped-code",
  severity: mode === "reject" ? "error" : "warning",
  title: `the concept map \`${map}\` does not contain a code of the source`,
  ...(words === true ? { value: shown(code) } : {}),
  facts: [
    ["code", words === true ? "none, only words" : system === null ? code : `${code}  in ${system}`],
    ["policy", mode === "reject" ? "reject: the visit is not sent" : "warn: the field stays empty"]
  ],
  help: [
    `add a row under  conceptMap: ${map}: table:   for example  ${
      words === true
        ? "\"THE WORDS\""
        : quoteKey(rows?.has(code) === true && system !== null ? `${system}|${code}` : code)
    }: …`,
    `or fill in its line of the facility's table \`${map}\`;  fhir2visit codes unmapped INPUT -o TABLES  writes it`,
    "fhir2visit mapping fix INPUT --only row  adds the rows whose text is a name in the service's list"
  ]
} as const)
