import { recordOf, valueOf } from "../../fhirpath/FhirPath.ts"
import { isJsonObject, jsonListOf } from "../../json/JsonObject.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { hasCodeOf } from "./concepts.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forSome } from "./ofElements.ts"
import { yesOrNo } from "./results.ts"

/** How sections of documents refer to records: at the top level, and in a nested section. */
const entriesOfSections = ["Composition.section.entry", "Composition.section.section.entry"] as const

/** Returns whether one of some sections, or of their parts, has one of the codes and lists a record. */
const lists = (
  sections: unknown,
  codes: string,
  from: SourceRecord,
  record: SourceRecord,
  scope: EvaluationScope,
  isWanted = false
): boolean =>
  jsonListOf(sections).some((section) => {
    if (!isJsonObject(section)) return false
    const is = isWanted || hasCodeOf(section.code, codes)
    return (is && jsonListOf(section.entry).some((entry) => scope.resolve(entry, from) === record)) ||
      lists(section.section, codes, from, record, scope, is)
  })

/** Functions over the records that documents list, section by section. */
export const sectionFunctions: Readonly<Record<string, LanguageFunction>> = {
  /** Returns whether a document lists the input in a section with one of the codes, or in part of one: `inSection('11348-0 11450-4')`. */
  inSection: {
    parameters: ["codes"],
    names: "codes",
    gives: yesOrNo,
    reads: () => ({ backwards: entriesOfSections }),
    effect: "reads",
    ...forSome((element, [given], scope) => {
      const codes = given === undefined ? "" : String(valueOf(given[0]))
      const record = recordOf(element)
      return record !== undefined &&
        entriesOfSections.some((element) =>
          scope.reverse(record, element).some((document) => {
            const isListed = lists(document.resource.section, codes, document, record, scope)
            if (isListed) scope.read(document)
            return isListed
          })
        )
    })
  }
}
