import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { textArgument } from "./arguments.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import { KeyFault } from "./KeyFault.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forEach } from "./ofElements.ts"
import { oneText, textOfEach } from "./results.ts"
import { readTarget, recordReached } from "./targets.ts"

/** Returns a key of a record, and reports what finding it reported. `made` receives the record and those that the code is made of. */
const codeOf = (
  name: string,
  record: SourceRecord,
  scope: EvaluationScope,
  made: ((record: SourceRecord) => void) | undefined
): string | undefined => {
  const { assumed, code, fault, read, sourcesOf, unmapped, warnings } = scope.keyOf(name, record)
  if (fault !== undefined) throw new KeyFault(fault)
  for (const warning of warnings) scope.keyWarning(warning)
  for (const remark of assumed) scope.assumed(remark)
  for (const missing of unmapped) scope.unmapped(missing)
  for (const reached of read) scope.read(reached)
  if (code !== undefined && made !== undefined) {
    made(record)
    for (const source of sourcesOf?.() ?? []) made(source)
  }
  return code
}

/** Functions that find the codes which a mapping declares under `key:`. */
export const keyFunctions: Readonly<Record<string, LanguageFunction>> = {
  /** Returns a business identifier declared under `key:`, of a resource or of a reference's target. */
  keyOf: {
    parameters: ["key"],
    names: "key",
    gives: textOfEach,
    follows: true,
    reaches: "values",
    ...forEach((element, args, scope, made) => {
      const name = textArgument(args[0])
      const record = name === undefined ? undefined : readTarget(element, scope)
      return name === undefined || record === undefined ? undefined : codeOf(name, record, scope, made)
    })
  },
  /**
   * Returns the code of the visit's encounter that the input refers to, or through which a record was assigned. Returns the main
   * encounter's code if that encounter is not one of the visit's own (the root, when it has members).
   */
  encounterCode: {
    parameters: [],
    gives: oneText,
    readsVisit: true,
    call: (input, _, scope, made) => {
      const { encounters } = scope
      for (const element of input) {
        const target = recordReached(element, scope)
        const record = target === undefined || encounters.includes(target) ? target : scope.encounterOf(target)
        if (record !== undefined && encounters.includes(record)) {
          const code = codeOf("encounter", record, scope, made)
          if (code !== undefined) return [code]
        }
      }
      const [main] = encounters
      const code = main === undefined ? undefined : codeOf("encounter", main, scope, made)
      return code === undefined ? [] : [code]
    }
  }
}
