import { plural } from "../../../diagnostic/count.ts"
import { shown } from "../../../diagnostic/shown.ts"
import type { Elements } from "../../../fhirpath/FhirPath.ts"
import { elementPathOf, recordOf } from "../../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../../maps.ts"
import { assumed } from "../../assumptions/assumed.ts"
import type { ConceptMap, SourceCode } from "../../codes/ConceptMap.ts"
import { codesOf, otherValues, resolveCode } from "../../codes/ConceptMap.ts"
import { withText } from "../../codes/textBeside.ts"
import { unmappedCode } from "../../codes/unmappedCode.ts"
import { forEachElement } from "../../functions/forEachElement.ts"
import type { PathPlan } from "../../MappingPlan.ts"
import type { FieldContext } from "./FieldContext.ts"
import { reportOn } from "./FieldReport.ts"

/** Translates each value on its own, for a field that takes several. */
export const translateCodes = (
  filling: FieldContext,
  map: ConceptMap,
  values: Elements,
  path: PathPlan | undefined
): ReadonlyArray<string> => forEachElement(values, (value) => translate(filling, map, codesOf(value), path))

/**
 * Translates the values that a path found for a field that takes one. The codings of one concept are alternatives. Of several concepts, one
 * without a row does not count if another has one. The first result is sent; only what is sent is reported.
 */
export const translateOne = (
  filling: FieldContext,
  map: ConceptMap,
  values: Elements,
  path: PathPlan
): ReadonlyArray<string> => {
  if (values.length === 1) return translateCodes(filling, map, values, path)
  const concepts = conceptsOf(filling, values, path).map((concept) => concept.flatMap(codesOf))
  const found = concepts.flatMap((codes) => {
    const resolved = resolveCode(map, codes)
    return resolved === undefined ? [] : [{ codes, key: resolved.key, value: resolved.value }]
  })
  const withRow = found.filter(({ key }) => key !== undefined)
  const [first, ...others] = withRow.length === 0 ? found : withRow
  const sent = first === undefined ? undefined : translate(filling, map, first.codes, path)
  return sent === undefined ? [] : [sent, ...others.flatMap(({ value }) => value ?? [])]
}

/** Returns the values of each concept. A coding, or what is below it, belongs to the concept around it. */
const conceptsOf = (
  { context, focus, leaf, row, variables }: FieldContext,
  values: Elements,
  path: PathPlan
): ReadonlyArray<ReadonlyArray<unknown>> => {
  const elements = context.evaluate(path, focus, variables, row, leaf.name)
  const concepts = new Map<unknown, Array<unknown>>()
  for (const [at, value] of values.entries()) {
    const element = elements[at]
    const [, concept] = /^(.*)\.coding\[\d+\](?:\.\w+)?$/u.exec(elementPathOf(element) ?? "") ?? []
    const key = concept === undefined ? at : `${recordOf(element)?.origin.reference} ${concept}`
    getOrMake(concepts, key, () => []).push(value)
  }
  return [...concepts.values()]
}

/** Translates the codes of one value, and reports what is assumed or missing. */
export const translate = (
  filling: FieldContext,
  map: ConceptMap,
  codes: ReadonlyArray<SourceCode>,
  path: PathPlan | undefined
): string | undefined => {
  const { context, focus, leaf } = filling
  const resolved = resolveCode(map, codes)
  if (resolved === undefined) return undefined
  const { code: first, counted, map: { name, unmapped }, value } = resolved
  if (counted) {
    const blocking = unmapped.mode === "reject" || (value === undefined && leaf.required === "error")
    context.unmapped({ table: name, ...withText(first, recordOf(focus[0])), blocking }, filling)
  }
  for (const { assume, span } of resolved.remarks) {
    if (assume !== undefined) reportOn(filling, path)(assumed(assume, span))
  }
  if (resolved.key === undefined && (unmapped.mode === "reject" || unmapped.mode === "warn")) {
    reportOn(filling, path)(unmappedCode(resolved.map, unmapped.mode, first))
  }
  if (resolved.key !== undefined && value !== undefined && codes.length > 1 && !leaf.takeFirst) {
    const others = otherValues(map, codes, value)
    if (others.length > 0) {
      reportOn(filling, path)({
        code: "too-many-values",
        severity: "warning",
        title: `\`${leaf.name}\` takes one value, and the codes of one concept have different ones`,
        label: `\`${map.name}\` has ${plural(others.length + 1, "value")} for them`,
        value: shown([value, ...others].join(" | ")),
        help: [
          "the first was taken; to accept that, set  take: first",
          `or correct the rows of \`${map.name}\`: the codes of one concept mean the same`
        ]
      })
    }
  }
  return value
}
