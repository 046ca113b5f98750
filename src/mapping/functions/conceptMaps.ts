import { recordOf, valueOf } from "../../fhirpath/FhirPath.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import type { ResolvedCode } from "../codes/ConceptMap.ts"
import { codesOf, hasAssumedRow, hasRow, resolveCode } from "../codes/ConceptMap.ts"
import { areDifferentUnits } from "../codes/convertQuantity.ts"
import { withText } from "../codes/textBeside.ts"
import { textArgument } from "./arguments.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forEach } from "./ofElements.ts"
import { textOfEach, yesOrNo } from "./results.ts"

/** Reports the assumptions under which a code was found. */
const assume = (resolved: ResolvedCode | undefined, scope: EvaluationScope): void => {
  for (const remark of resolved?.remarks ?? []) {
    if (remark.assume !== undefined) scope.assumed(remark)
  }
}

/** Functions that look codes up in concept maps. */
export const conceptMapFunctions: Readonly<Record<string, LanguageFunction>> = {
  /** Returns true if a concept map, or its fallback map, has a row for one of the input's codes. */
  mapped: {
    parameters: ["conceptMap"],
    names: "conceptMap",
    gives: yesOrNo,
    readsValues: true,
    isTest: true,
    call: (input, args, scope) => {
      const map = scope.conceptMap(textArgument(args[0]) ?? "")
      const found = map !== undefined && input.some((element) => hasRow(map, valueOf(element)))
      if (found && hasAssumedRow(map)) {
        for (const element of input) {
          const resolved = resolveCode(map, codesOf(valueOf(element)))
          if (resolved?.key !== undefined) assume(resolved, scope)
        }
      }
      return [found]
    }
  },
  /**
   * Returns a concept map's values for the input's codes, with its policy for unmapped codes. These are counted, not reported. A code
   * without a text can have it in another cell of its row, so more than the values of the input are read.
   */
  translated: {
    parameters: ["conceptMap"],
    names: "conceptMap",
    gives: textOfEach,
    isTranslation: true,
    ...forEach((element, args, scope) => {
      const map = scope.conceptMap(textArgument(args[0]) ?? "")
      const resolved = map === undefined ? undefined : resolveCode(map, codesOf(valueOf(element)))
      if (resolved?.counted === true) {
        scope.unmapped({
          table: resolved.map.name,
          ...withText(resolved.code, recordOf(element)),
          blocking: resolved.map.unmapped.mode === "reject"
        })
      }
      assume(resolved, scope)
      return resolved?.value
    })
  },
  /** Returns true if the `unit` and the `code` of a Quantity denote different units; the concept map gives the UCUM unit of a spelling. */
  hasTwoUnits: {
    parameters: ["conceptMap"],
    names: "conceptMap",
    readsValues: true,
    effect: "none",
    ...forEach((element, [name], scope) => {
      const { code, unit } = jsonObjectOf(valueOf(element))
      return typeof unit === "string" && typeof code === "string" &&
        areDifferentUnits(unit, code, scope.conceptMap(textArgument(name) ?? ""))
    })
  }
}
