import type { CompiledPath, Element, Elements, FhirPath } from "../../fhirpath/FhirPath.ts"
import { recordOf, valueOf, valueText as momentText } from "../../fhirpath/FhirPath.ts"
import { isJsonObject, type JsonObject, jsonObjectOf } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { contentOf, idOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { formatTimestamp, parseInstant } from "../../visit/values/Timestamp.ts"
import type { ResolvedCode } from "../codes/ConceptMap.ts"
import { codesOf, hasAssumedRow, hasRow, resolveCode } from "../codes/ConceptMap.ts"
import { areDifferentUnits } from "../codes/convertQuantity.ts"
import { withText } from "../codes/textBeside.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import { rowNumber } from "../language/Statements.ts"
import { conceptFunctions } from "./concepts.ts"
import { current } from "./current.ts"
import { daysOf, schedule, slot } from "./dosages.ts"
import { dosageNote, dosageWords, interval, unsaid } from "./dosageWords.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import { forEachElement } from "./forEachElement.ts"
import { KeyFault } from "./KeyFault.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { peopleFunctions } from "./people.ts"
import { rangesFor } from "./ranges.ts"
import {
  inputWithTargets,
  oneOfInput,
  oneText,
  recordOfInput,
  recordsOfType,
  someOfInput,
  targetsOfInput,
  textOfEach,
  yesOrNo
} from "./results.ts"
import { sectionFunctions } from "./sections.ts"

/** What functions need of their mapping: among others the engine, which makes elements of records. */
export interface FunctionContext {
  readonly fhirPath: () => FhirPath<EvaluationScope>
  readonly statements: StatementsPlan | undefined
}

const textOf = (elements: Elements | undefined): string | undefined => {
  const value = elements === undefined ? undefined : valueOf(elements[0])
  return typeof value === "string" ? value : undefined
}

/** Returns a time as written in the source or the expression. */
const momentOf = (elements: Elements | undefined): string | undefined =>
  elements === undefined || elements.length === 0 ? undefined : momentText(valueOf(elements[0]))

/** The local times of texts, by zone. */
const localTimes = new Map<string, Map<string, string>>()

/** Returns a date or time as text; any other text is unchanged. Memoized, because many visits show the same times of their patient. */
const localTime = (text: string | undefined, zone: string): string | undefined => {
  if (text === undefined || text.length <= 10) return text
  const known = getOrMake(localTimes, zone, () => new Map())
  if (known.size > 10_000) known.clear()
  return getOrMake(known, text, () => {
    const instant = parseInstant(text, { zone })
    if ("reason" in instant) return text
    const local = formatTimestamp(instant.epochMillis, zone)
    return `${local.slice(0, 10)} ${local.slice(11, local.startsWith("00", 17) ? 16 : 19)}`
  })
}

/** Returns the references in some elements of a record. */
const namedIn = (record: Element, elements: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const value = valueOf(record)
  return isResource(value) ? elements.flatMap((element) => value[element] ?? []) : []
}

/** Splits a text into names. */
const words = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(/\s+/u).filter((one) => one !== "")

const isResource = (value: unknown): value is JsonObject & { readonly resourceType: string; readonly id?: string } =>
  isJsonObject(value) && typeof value.resourceType === "string"

/** Returns FHIR's name of a record: `Type/id`, or its `fullUrl` if it has no id. */
export const resourceKey = (record: SourceRecord): string => {
  const id = idOf(record.resource)
  if (id !== undefined) return `${record.resource.resourceType}/${id}`
  // Rows without a key are distinguished by their content.
  return record.fullUrl ??
    (record.row === undefined
      ? record.origin.reference
      : `${record.resource.resourceType}/~${contentOf(record.resource)}`)
}

/** Makes a function that returns one text for all `Dosage`s of its input. How such words are sent, a facility can decide itself. */
const dosageText = (of: (values: ReadonlyArray<unknown>) => string | undefined): LanguageFunction => ({
  parameters: [],
  gives: oneText,
  replaceable: true,
  readsValues: true,
  ofInput: true,
  call: (input) => {
    const text = of(input.map(valueOf))
    return text === undefined ? [] : [text]
  }
})

/** The functions that every mapping can call; a mapping adds its own under `function:`. */
export const languageFunctions = (context: FunctionContext): ReadonlyMap<string, LanguageFunction> => {
  const resolveOne = (element: Element, scope: EvaluationScope): SourceRecord | undefined => {
    const value = valueOf(element)
    const from = recordOf(element)
    if (isResource(value)) return from
    return from === undefined ? undefined : scope.resolve(value, from)
  }
  /** Like `resolveOne`, for functions that make a text of the target. Also reports the target as read. */
  const readTarget = (element: Element, scope: EvaluationScope): SourceRecord | undefined => {
    const record = resolveOne(element, scope)
    if (record !== undefined) scope.read(record)
    return record
  }
  const elementOf = (record: SourceRecord, scope: EvaluationScope): Element => {
    scope.read(record)
    return context.fhirPath().elementOf(record)
  }
  const assume = (resolved: ResolvedCode | undefined, scope: EvaluationScope): void => {
    for (const remark of resolved?.remarks ?? []) {
      if (remark.assume !== undefined) scope.assumed(remark)
    }
  }
  const codeOf = (name: string, record: SourceRecord, scope: EvaluationScope): string | undefined => {
    const { assumed, code, fault, read, unmapped, warnings } = scope.keyOf(name, record)
    if (fault !== undefined) throw new KeyFault(fault)
    for (const warning of warnings) scope.keyWarning(warning)
    for (const remark of assumed) scope.assumed(remark)
    for (const missing of unmapped) scope.unmapped(missing)
    for (const reached of read) scope.read(reached)
    return code
  }
  const ranges = (uncertain: boolean): LanguageFunction => ({
    parameters: ["sex", "birth date", "time"],
    least: uncertain ? 3 : 1,
    gives: someOfInput,
    chooses: true,
    call: (input, [sex, birth, time]) => {
      if (input.length === 0) return input
      const age = birth === undefined ? undefined : { birth: momentOf(birth), time: momentOf(time) }
      return rangesFor(input, { gender: momentOf(sex), age }, valueOf, uncertain)
    }
  })
  const functions: Record<string, LanguageFunction> = {
    /** Returns the target resources of references. Targets that are not in the input are omitted and counted. */
    resolve: {
      parameters: [],
      gives: targetsOfInput,
      takes: "reference",
      follows: true,
      call: (input, _, scope) =>
        forEachElement(input, (element) => {
          const target = resolveOne(element, scope)
          return target === undefined ? undefined : elementOf(target, scope)
        })
    },
    /** Returns the resources that refer to the input through an element: `reverseResolve('DiagnosticReport.result')`. */
    reverseResolve: {
      parameters: ["element"],
      names: "element",
      gives: recordsOfType,
      follows: true,
      reads: (element) => ({ backwards: [element] }),
      call: (input, [name], scope) => {
        const path = textOf(name)
        if (path === undefined) return []
        const found = forEachElement(input, (element) => {
          const target = resolveOne(element, scope)
          return target === undefined ? undefined : scope.reverse(target, path)
        })
        const [first = [], ...others] = found
        // The records that refer to one target are different ones.
        const records = others.length === 0 ? first : [...new Set(found.flat())]
        return records.map((record) => elementOf(record, scope))
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
      call: (input, [name], scope) => {
        const elements = words(textOf(name))
        if (input.every((one) => namedIn(one, elements).length === 0)) return input
        const seen = new Set<SourceRecord>()
        const found: Array<Element> = []
        const visit = (record: SourceRecord, one: Element): void => {
          if (seen.has(record)) return
          seen.add(record)
          found.push(one)
          for (const reference of namedIn(one, elements)) {
            const target = scope.resolve(reference, record)
            if (target !== undefined) visit(target, elementOf(target, scope))
          }
        }
        for (const one of input) {
          const record = recordOf(one)
          if (record === undefined) found.push(one)
          else visit(record, one)
        }
        return found
      }
    },
    /** Returns the record that contains an element. */
    record: {
      parameters: [],
      gives: recordOfInput,
      call: (input, _, scope) => {
        const records = new Set(input.flatMap((element) => recordOf(element) ?? []))
        return [...records].map((record) => elementOf(record, scope))
      }
    },
    /** Returns the input if it is a single element. */
    only: {
      parameters: [],
      gives: oneOfInput,
      chooses: true,
      call: (input) => (input.length === 1 ? input : [])
    },
    /**
     * Returns the preferred values among those in use at a time: names, addresses, telephone numbers, identifiers, or anything with a
     * period. Example: `telecom.where(system = 'phone').current(%visit.period.start)`.
     */
    current: {
      parameters: ["moment"],
      least: 0,
      gives: someOfInput,
      chooses: true,
      call: (input, [moment]) => current(input, valueOf, momentOf(moment))
    },
    /** Returns dangling references. */
    leadingNowhere: {
      parameters: [],
      gives: someOfInput,
      call: (input, _, scope) =>
        input.filter((element) => {
          const from = recordOf(element)
          return from !== undefined && scope.anyTarget(valueOf(element), from) === undefined
        })
    },
    /** Returns references to records that are in the input and must not be used: entered in error, or not about a patient. */
    leadingToUnusable: {
      parameters: [],
      gives: someOfInput,
      call: (input, _, scope) =>
        input.filter((element) => {
          const from = recordOf(element)
          return from !== undefined && scope.anyTarget(valueOf(element), from) !== undefined &&
            scope.resolve(valueOf(element), from) === undefined
        })
    },
    /** Returns whether any record refers to the input through an element, also one that must not be used: `isReferredTo('DiagnosticReport.result')`. */
    isReferredTo: {
      parameters: ["element"],
      names: "element",
      gives: yesOrNo,
      follows: true,
      reads: (element) => ({ backwards: [element] }),
      call: (input, [name], scope) => {
        const path = textOf(name)
        return [
          path !== undefined && input.some((element) => {
            const target = resolveOne(element, scope)
            return target !== undefined && scope.anyReverse(target, path).length > 0
          })
        ]
      }
    },
    /** SQL on FHIR: returns the key of a resource, `Type/id`. */
    getResourceKey: {
      parameters: [],
      gives: textOfEach,
      call: (input, _args, _scope, made) =>
        forEachElement(input, (element) => {
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
      call: (input, [type], scope, made) => {
        const expected = textOf(type)
        return forEachElement(input, (element) => {
          const target = readTarget(element, scope)
          if (target === undefined || (expected !== undefined && target.resource.resourceType !== expected)) {
            return undefined
          }
          made?.(target)
          return resourceKey(target)
        })
      }
    },
    /** Returns a business identifier declared under `key:`, of a resource or of a reference's target. */
    keyOf: {
      parameters: ["key"],
      names: "key",
      gives: textOfEach,
      follows: true,
      call: (input, [key], scope, made) => {
        const name = textOf(key)
        if (name === undefined) return []
        return forEachElement(input, (element) => {
          const record = readTarget(element, scope)
          if (record === undefined) return undefined
          const code = codeOf(name, record, scope)
          if (code !== undefined) made?.(record)
          return code
        })
      }
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
        const { encounterOf, encounters } = scope
        for (const element of input) {
          const target = resolveOne(element, scope)
          const record = target === undefined || encounters.includes(target) ? target : encounterOf(target)
          if (record !== undefined && encounters.includes(record)) {
            const code = codeOf("encounter", record, scope)
            if (code === undefined) continue
            made?.(record)
            return [code]
          }
        }
        const [main] = encounters
        const code = main === undefined ? undefined : codeOf("encounter", main, scope)
        if (main === undefined || code === undefined) return []
        made?.(main)
        return [code]
      }
    },
    /** Returns true if a concept map, or its fallback map, has a row for one of the input's codes. */
    mapped: {
      parameters: ["conceptMap"],
      names: "conceptMap",
      gives: yesOrNo,
      readsValues: true,
      call: (input, [name], scope) => {
        const map = scope.conceptMap(textOf(name) ?? "")
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
    /** Returns a concept map's values for the input's codes, with its policy for unmapped codes. These are counted, not reported. */
    translated: {
      parameters: ["conceptMap"],
      names: "conceptMap",
      gives: textOfEach,
      readsValues: true,
      call: (input, [name], scope) => {
        const map = scope.conceptMap(textOf(name) ?? "")
        if (map === undefined) return []
        return forEachElement(input, (element) => {
          const resolved = resolveCode(map, codesOf(valueOf(element)))
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
      }
    },
    /** Returns true if the `unit` and the `code` of a Quantity denote different units; the concept map gives the UCUM unit of a spelling. */
    hasTwoUnits: {
      parameters: ["conceptMap"],
      names: "conceptMap",
      readsValues: true,
      call: (input, [name], scope) => {
        const spelling = scope.conceptMap(textOf(name) ?? "")
        return forEachElement(input, (element) => {
          const { code, unit } = jsonObjectOf(valueOf(element))
          return typeof unit === "string" && typeof code === "string" && areDifferentUnits(unit, code, spelling)
        })
      }
    },
    /** Returns the records of a type in the visit: `inVisit('Appointment')`. */
    inVisit: {
      parameters: ["type"],
      names: "type",
      gives: recordsOfType,
      readsVisit: true,
      reads: (type) => ({ types: [type] }),
      readsValues: true,
      call: (_, [type], scope) => scope.inVisit(textOf(type) ?? "").map((record) => elementOf(record, scope))
    },
    /** Returns whether one of the input's records belongs to the visit. */
    isInVisit: {
      parameters: [],
      gives: yesOrNo,
      readsVisit: true,
      call: (input, _, scope) => [
        input.some((element) => {
          const record = recordOf(element)
          return record !== undefined && scope.inVisit(record.resource.resourceType).includes(record)
        })
      ]
    },
    /** Returns the records of a type that belong to the visit's patient: `ofPatient('Coverage')`. */
    ofPatient: {
      parameters: ["type"],
      names: "typeOfPatient",
      gives: recordsOfType,
      readsVisit: true,
      reads: (type) => ({ types: [type] }),
      readsValues: true,
      call: (_, [type], scope) => scope.ofPatient(textOf(type) ?? "").map((record) => elementOf(record, scope))
    },
    /** Returns whether the source states that the input is a row of a list of the visit: `isRow('vital_signs')`. */
    isRow: {
      parameters: ["list"],
      names: "list",
      gives: yesOrNo,
      readsValues: true,
      call: (input, [list]) => {
        const name = textOf(list) ?? ""
        const { statements } = context
        return [statements !== undefined && input.some((element) => rowNumber(statements, name, element) !== undefined)]
      }
    },
    /** Returns a date, or a local time to the minute or second in the facility's zone, as text: `2026-03-02`, `2026-03-02 08:15`. */
    localTime: {
      parameters: [],
      gives: textOfEach,
      readsValues: true,
      call: (input, _, scope) => forEachElement(input, (element) => localTime(momentText(valueOf(element)), scope.zone))
    },
    /** Returns how much of a medicine is taken in the morning, afternoon, evening or at night, from `Dosage`s. */
    slot: {
      parameters: ["time of day"],
      names: "timeOfDay",
      replaceable: true,
      readsValues: true,
      call: (input, [time]) => {
        const amount = slot(input.map(valueOf), textOf(time) ?? "")
        return amount === undefined ? [] : [amount]
      }
    },
    /** Returns `Dosage`s that form one schedule; none if one follows another or holds for other days. */
    schedule: {
      parameters: [],
      gives: someOfInput,
      replaceable: true,
      chooses: true,
      call: (input) => schedule(input, valueOf)
    },
    /** Returns the reference ranges that hold for a sex, and for the age that a birth date and a time give. */
    rangesFor: ranges(false),
    /** Returns the reference ranges for an age or a group of which it is not known whether the patient belongs to it, if no other holds. */
    uncertainRangesFor: ranges(true),
    /** Returns the text of `Dosage`s. */
    dosageWords: dosageText(dosageWords),
    /** Returns the text of `Dosage`s that follow each other, or have times of day that fit no four amounts. */
    unsaid: dosageText(unsaid),
    /** Returns what `Dosage`s state besides four daily amounts, frequency and days; everything if those are incomplete. */
    dosageNote: dosageText(dosageNote),
    /** Returns how often `Dosage`s are taken: `BID`, `2 x / 1 d`, `1 x / 4 - 6 h`, `1 x / 1 wk, Mon`. */
    howOften: dosageText(interval),
    /** Returns the number of days for which `Dosage`s with bounds hold, as `5 'd'`. */
    boundedFor: dosageText((values) => {
      const days = daysOf(values)
      return days === undefined ? undefined : `${days} 'd'`
    })
  }
  return new Map(
    Object.entries({
      ...functions,
      ...conceptFunctions,
      ...peopleFunctions,
      ...sectionFunctions
    })
  )
}

/** Makes a function of a mapping: a path evaluated on each element of the input, or on the input as a whole. */
export const mappingFunction = (
  parameters: ReadonlyArray<string>,
  path: string,
  over: "item" | "collection",
  fhirPath: () => FhirPath<EvaluationScope>
): LanguageFunction => {
  let compiled: CompiledPath<EvaluationScope> | undefined
  return {
    parameters,
    body: { text: path, over },
    call: (input, args, scope, _made, variables = {}) => {
      compiled ??= fhirPath().compile(path)
      const body = compiled
      const inner: Record<string, unknown> = Object.create(variables)
      parameters.forEach((name, index) => {
        inner[name] = args[index] ?? []
      })
      return over === "collection"
        ? body.evaluate(input, inner, scope)
        : input.flatMap((element) => body.evaluate([element], inner, scope))
    }
  }
}
