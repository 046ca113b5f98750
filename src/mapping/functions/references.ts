import type { Element, Elements, FhirPath } from "../../fhirpath/FhirPath.ts"
import { recordOf, valueOf } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import { isResource, type SourceRecord } from "../../source/records/SourceRecord.ts"
import { textArgument } from "./arguments.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forEach, forSome } from "./ofElements.ts"
import { resourceKey } from "./resourceKey.ts"
import {
  inputWithTargets,
  recordOfInput,
  recordsOfType,
  someOfInput,
  targetsOfInput,
  textOfEach,
  yesOrNo
} from "./results.ts"
import { elementsBy, readTarget, recordReached } from "./targets.ts"

const none: ReadonlyArray<never> = []

/** Returns the references in some elements of a record. */
const namedIn = (record: Element, elements: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const value = valueOf(record)
  if (!isResource(value)) return none
  let found: Array<unknown> | undefined
  for (const element of elements) {
    const references = value[element]
    if (references === undefined || references === null) continue
    found ??= []
    if (Array.isArray(references)) found.push(...references)
    else found.push(references)
  }
  return found ?? none
}

/** Splits a text into names. */
const words = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(/\s+/u).filter((one) => one !== "")

/** The names in texts of the mapping. */
const wordsOf = new Map<string | undefined, ReadonlyArray<string>>()

/** Functions that go from references to records, and back. */
export const referenceFunctions = (
  fhirPath: () => FhirPath<EvaluationScope>
): Readonly<Record<string, LanguageFunction>> => {
  const elementOf = elementsBy(fhirPath)
  /** Adds a record and the targets of some of its elements, at any depth, each record once. */
  const addWithTargets = (
    record: SourceRecord,
    one: Element,
    elements: ReadonlyArray<string>,
    scope: EvaluationScope,
    seen: Set<SourceRecord>,
    found: Array<Element>
  ): void => {
    if (seen.has(record)) return
    seen.add(record)
    found.push(one)
    for (const reference of namedIn(one, elements)) {
      const target = scope.resolve(reference, record)
      if (target !== undefined) addWithTargets(target, elementOf(target, scope), elements, scope, seen, found)
    }
  }
  return {
    /** Returns the target resources of references. Targets that are not in the input are omitted and counted. */
    resolve: {
      parameters: [],
      gives: targetsOfInput,
      returns: "targets",
      takes: "reference",
      follows: true,
      effect: "reads",
      reaches: "records",
      ...forEach((element, _, scope) => {
        const target = recordReached(element, scope)
        return target === undefined ? undefined : elementOf(target, scope)
      })
    },
    /** Returns the resources that refer to the input through an element: `reverseResolve('DiagnosticReport.result')`. */
    reverseResolve: {
      parameters: ["element"],
      names: "element",
      gives: recordsOfType,
      returns: "named",
      follows: true,
      reads: (element) => ({ backwards: [element] }),
      effect: "reads",
      reaches: "records",
      call: (input, [name], scope) => {
        const path = textArgument(name)
        if (path === undefined || input.length === 0) return none
        const found = (element: Element): ReadonlyArray<SourceRecord> => {
          const target = recordReached(element, scope)
          return target === undefined ? none : scope.reverse(target, path)
        }
        // The records that refer to one target are different ones.
        const records = input.length === 1 ? found(input[0]) : [...new Set(input.flatMap(found))]
        return records.length === 0 ? none : records.map((record) => elementOf(record, scope))
      }
    },
    /**
     * Returns the input and the targets of some of its elements, at any depth, each record once:
     * `withAll('result hasMember')`.
     */
    withAll: {
      parameters: ["elements"],
      gives: inputWithTargets,
      reads: (elements) => ({ words: words(elements) }),
      effect: "reads",
      call: (input, [name], scope) => {
        const text = textArgument(name)
        const elements = getOrMake(wordsOf, text, () => words(text))
        if (input.every((one) => namedIn(one, elements).length === 0)) return input
        const seen = new Set<SourceRecord>()
        const found: Array<Element> = []
        for (const one of input) {
          const record = recordOf(one)
          if (record === undefined) found.push(one)
          else addWithTargets(record, one, elements, scope, seen, found)
        }
        return found
      }
    },
    /** Returns the record that contains an element. */
    record: {
      parameters: [],
      gives: recordOfInput,
      effect: "reads",
      reaches: "records",
      call: (input, _, scope) => {
        if (input.length === 0) return none
        const records = new Set(input.flatMap((element) => recordOf(element) ?? []))
        return [...records].map((record) => elementOf(record, scope))
      }
    },
    /** Returns dangling references. */
    leadingNowhere: {
      parameters: [],
      gives: someOfInput,
      effect: "reads",
      call: (input, _, scope) => referencesIn(input, (value, from) => scope.anyTarget(value, from) === undefined)
    },
    /** Returns references to records that are in the input and must not be used: entered in error, or not about a patient. */
    leadingToUnusable: {
      parameters: [],
      gives: someOfInput,
      effect: "reads",
      call: (input, _, scope) =>
        referencesIn(
          input,
          (value, from) => scope.anyTarget(value, from) !== undefined && scope.resolve(value, from) === undefined
        )
    },
    /** Returns whether any record refers to the input through an element, also one that must not be used: `isReferredTo('DiagnosticReport.result')`. */
    isReferredTo: {
      parameters: ["element"],
      names: "element",
      gives: yesOrNo,
      follows: true,
      reads: (element) => ({ backwards: [element] }),
      effect: "reads",
      ...forSome((element, [name], scope) => {
        const path = textArgument(name)
        const target = path === undefined ? undefined : recordReached(element, scope)
        return path !== undefined && target !== undefined && scope.anyReverse(target, path).length > 0
      })
    },
    /** SQL on FHIR: returns the key of a resource, `Type/id`. */
    getResourceKey: {
      parameters: [],
      gives: textOfEach,
      effect: "reads",
      reaches: "values",
      ...forEach((element, _args, _scope, made) => {
        const record = recordOf(element)
        if (record === undefined) return undefined
        made?.(record)
        return resourceKey(record)
      })
    },
    /** SQL on FHIR: returns the key of a reference's target, if it has the given type. */
    getReferenceKey: {
      parameters: ["type"],
      least: 0,
      names: "type",
      gives: textOfEach,
      follows: true,
      effect: "reads",
      reaches: "values",
      ...forEach((element, [type], scope, made) => {
        const expected = textArgument(type)
        const target = readTarget(element, scope)
        if (target === undefined || (expected !== undefined && target.resource.resourceType !== expected)) {
          return undefined
        }
        made?.(target)
        return resourceKey(target)
      })
    }
  }
}

/** Returns the references for which something is true of their text and the record that has them. */
const referencesIn = (input: Elements, isOne: (reference: unknown, from: SourceRecord) => boolean): Elements =>
  input.filter((element) => {
    const from = recordOf(element)
    return from !== undefined && isOne(valueOf(element), from)
  })
