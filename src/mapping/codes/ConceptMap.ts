import type { Span } from "../../diagnostic/Span.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import type { ReferenceListType } from "../../visit/Field.ts"
import type { ReferenceList } from "../../visit/values/ReferenceList.ts"
import { asListed, codeListed } from "../../visit/values/ReferenceList.ts"
import type { Unmapped } from "../language/grammar/conceptMapGrammar.ts"
import type { ValueRemark } from "../MappingPlan.ts"
import { codesWithSystem } from "./codesWithSystem.ts"
import { statesAbsence } from "./statesAbsence.ts"

/** A table from a source code to the service's value. */
export interface ConceptMap {
  readonly name: string
  readonly span: Span
  /** `code`, `system|code`, or `*|code` (of any system) to value. */
  readonly rows: ReadonlyMap<string, string>
  /** The first source location of each value of the table. */
  readonly spans?: ReadonlyMap<string, Span>
  /** Rows that are assumptions, by key. */
  readonly assumed?: ReadonlyMap<string, ValueRemark>
  /** The code systems of the rows that name none. Without it, such rows are for codes of any system. */
  readonly systems?: ReadonlySet<string>
  /** The assumption under which those rows are used for codes of other systems. Without it, they are not. */
  readonly otherSystem?: ValueRemark
  readonly unmapped: Unmapped
  /** The assumption made by the policy for unmapped codes. */
  readonly unmappedAssumed?: ValueRemark
  /** The values that rows can have, if expressions compare with them. */
  readonly values?: ReadonlyArray<string>
  /** The standard-data list of the values. */
  readonly list?: ReferenceListType
  /** That list, if loaded. Values of rows already have its spelling. */
  readonly standard?: ReferenceList
  /** The codes of that list are sent instead of its names. Values of rows are codes already. */
  readonly sendsCodes?: true
  /** Set for `other-map` after all tables are known. */
  readonly other?: ConceptMap
}

/** A code as written in the source. */
export interface SourceCode {
  readonly system: string | null
  readonly code: string
  readonly display: string | null
  /** It is free text in place of a missing code, so it can contain anything, also personal data. */
  readonly words?: true
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** The codes in a value: a string, a Coding, a CodeableConcept (each coding, then its text), a Quantity's code, a boolean. */
export const codesOf = (value: unknown): ReadonlyArray<SourceCode> => {
  const codes: Array<SourceCode> = []
  addCodes(value, codes)
  return codes
}

const addCodes = (value: unknown, codes: Array<SourceCode>): void => {
  if (typeof value === "string") {
    if (value !== "") codes.push({ system: null, code: value, display: null })
  } else if (typeof value === "boolean" || typeof value === "number") {
    codes.push({ system: null, code: String(value), display: null })
  } else if (isJsonObject(value)) {
    const { coding } = value
    const code = Array.isArray(coding) ? null : text(value.code)
    if (code !== null) return void codes.push({ system: text(value.system), code, display: text(value.display) })
    if (Array.isArray(coding)) { for (const one of coding) addCodes(one, codes) }
    const words = text(value.text)
    if (words !== null) codes.push({ system: null, code: words, display: null, words: true })
  }
}

/**
 * Returns the first result for a code of a value. It checks all codes, as `codesOf` does. `using` is passed on to `of`, so that it can be one
 * function for all calls.
 */
export const firstCode = <A, Using = undefined>(
  value: unknown,
  of: (system: string | null, code: string, display: string | null, using: Using) => A | undefined,
  using: Using
): A | undefined => {
  if (typeof value === "string") return value === "" ? undefined : of(null, value, null, using)
  if (typeof value === "boolean" || typeof value === "number") return of(null, String(value), null, using)
  if (!isJsonObject(value)) return undefined
  let found: A | undefined
  const { coding } = value
  if (Array.isArray(coding)) {
    for (let index = 0; index < coding.length; index++) {
      const one = firstCode(coding[index], found === undefined ? of : nothing, using)
      found ??= one
    }
  } else {
    const code = text(value.code)
    if (code !== null) return of(text(value.system), code, text(value.display), using)
  }
  const words = text(value.text)
  return found === undefined && words !== null ? of(null, words, null, using) : found
}

const nothing = (): undefined => undefined

/** Returns true if a concept map, or one that it passes codes on to, has a row for one of the codes in a value. */
export const hasRow = (map: ConceptMap, value: unknown): boolean =>
  firstCode(value, rowKeyOf, map) !== undefined ||
  (map.otherSystem !== undefined && firstCode(value, otherRowKeyOf, map) !== undefined) ||
  (map.other !== undefined && hasRow(map.other, value))

/** Returns true if a concept map, or one that it passes codes on to, has rows that are or can be assumptions. */
export const hasAssumedRow = ({ assumed, other, otherSystem }: ConceptMap): boolean =>
  assumed !== undefined || otherSystem !== undefined || (other !== undefined && hasAssumedRow(other))

const rowKeyOf = (system: string | null, code: string, _: string | null, map: ConceptMap): string | undefined =>
  keyOf(map, system, code)

const otherRowKeyOf = (system: string | null, code: string, _: string | null, map: ConceptMap): string | undefined =>
  keyOfOther(map, system, code)

/** Returns the key of the row for a code: the row of its system, or one that is meant for it. */
const keyOf = ({ rows, systems }: ConceptMap, system: string | null, code: string): string | undefined => {
  const withSystem = keysWithSystem(rows).get(code)
  return (system === null ? undefined : withSystem?.get(system)) ??
    (rows.has(code) && (systems === undefined || system === null || systems.has(system)) ? code : withSystem?.get("*"))
}

/**
 * Returns the key of the row for a code of a system that the concept map lacks. Such codes must be assumed to be the same. A system with rows
 * of its own is not lacking: its other codes are unmapped.
 */
const keyOfOther = (
  { otherSystem, rows, systems }: ConceptMap,
  system: string | null,
  code: string
): string | undefined =>
  otherSystem !== undefined && systems !== undefined && system !== null && !systems.has(system) && rows.has(code) &&
    !getOrMake(knownSystems, rows, systemsIn).has(system)
    ? code
    : undefined

const knownSystems = new WeakMap<ConceptMap["rows"], ReadonlySet<string>>()

/** Returns the code systems that rows name. */
const systemsIn = (rows: ConceptMap["rows"]): ReadonlySet<string> =>
  new Set([...keysWithSystem(rows).values()].flatMap((bySystem) => [...bySystem.keys()]))

const known = new WeakMap<ConceptMap["rows"], ReturnType<typeof codesWithSystem>>()

const keysWithSystem = (rows: ConceptMap["rows"]): ReturnType<typeof codesWithSystem> =>
  getOrMake(known, rows, withSystemIn)

const withSystemIn = (rows: ConceptMap["rows"]): ReturnType<typeof codesWithSystem> => codesWithSystem(rows.keys())

/**
 * The result of a concept map for the codes of a value. It is a row, of this map or of one that it passes codes on to, or the result of the
 * policy.
 */
export interface ResolvedCode {
  /** The map that has the row, or whose policy applies. */
  readonly map: ConceptMap
  /** The maps that were searched before without a result. */
  readonly passed: ReadonlyArray<ConceptMap>
  /** The mapped code, or the first code if all are unmapped. */
  readonly code: SourceCode
  /** The key of the row; absent if all codes are unmapped. */
  readonly key?: string
  /** The assumptions: of the row, of using it for a code of another system, or of the policy for unmapped codes. */
  readonly remarks: ReadonlyArray<ValueRemark>
  /** The value to send; absent if the field stays blank. */
  readonly value?: string
  /** The code is unmapped and counted. A concept map without rows that passes codes on is not counted. */
  readonly counted: boolean
}

const none: ReadonlyArray<never> = []

/**
 * Looks codes up, and applies the concept map's policy to an unmapped code; `undefined` if there is no code. A code that states why there is
 * no concept can have a row, but is never sent itself.
 */
export const resolveCode = (map: ConceptMap, codes: ReadonlyArray<SourceCode>): ResolvedCode | undefined => {
  const first = codes.find((one) => !statesAbsence(one)) ?? codes[0]
  if (first === undefined) return undefined
  const found = findRow(map, codes, keyOfCode) ?? findRow(map, codes, keyOfOtherCode)
  if (found !== undefined) return found
  const passed: Array<ConceptMap> = []
  for (let requested = map;; requested = requested.other) {
    const { sendsCodes, standard, unmapped } = requested
    const listed = sendsCodes === true ? codeListed : asListed
    if (unmapped.mode !== "other-map" || requested.other === undefined) {
      // A code that is a value of the service's list needs no row.
      const inList = unmapped.mode === "provided" && standard !== undefined ? listed(standard, first.code) : undefined
      const value = unmapped.mode === "fixed"
        ? unmapped.value
        : unmapped.mode === "provided"
        ? inList ?? (statesAbsence(first) ? undefined : first.code)
        : undefined
      const remark = inList === undefined ? requested.unmappedAssumed : undefined
      const counted = unmapped.mode !== "provided" || requested.rows.size > 0 || remark !== undefined
      return {
        map: requested,
        passed,
        code: first,
        counted,
        remarks: remark === undefined ? none : [remark],
        ...(value === undefined ? {} : { value })
      }
    }
    passed.push(requested)
  }
}

/** Returns the key of a concept map's row for one of the codes of a value. */
type FindKey = (map: ConceptMap, code: SourceCode, codes: ReadonlyArray<SourceCode>) => string | undefined

/** Text that only repeats a code of another system does not show what the code means. */
const keyOfCode: FindKey = (map, { code, system, words }, codes) => {
  const key = keyOf(map, system, code)
  const isRepeated = key !== undefined && words === true && map.otherSystem !== undefined &&
    codes.some((one) => one.code === code && keyOfOther(map, one.system, code) !== undefined)
  return isRepeated ? undefined : key
}

const keyOfOtherCode: FindKey = (map, { code, system }) => keyOfOther(map, system, code)

/** Looks up codes in a concept map, then in those that it passes codes on to. */
const findRow = (map: ConceptMap, codes: ReadonlyArray<SourceCode>, find: FindKey): ResolvedCode | undefined => {
  const passed: Array<ConceptMap> = []
  for (let requested: ConceptMap | undefined = map; requested !== undefined; requested = requested.other) {
    for (const code of codes) {
      const key = find(requested, code, codes)
      const value = key === undefined ? undefined : requested.rows.get(key)
      if (key === undefined || value === undefined) continue
      const own = requested.assumed?.get(key)
      const other = find === keyOfOtherCode ? requested.otherSystem : undefined
      return {
        map: requested,
        passed,
        code,
        key,
        value,
        counted: false,
        remarks: own === undefined && other === undefined ? none : [own, other].flatMap((remark) => remark ?? [])
      }
    }
    passed.push(requested)
  }
  return undefined
}

/** Returns the values of rows for the codes of one value, without those of the first row. Codes of one concept should mean the same. */
export const otherValues = (
  map: ConceptMap,
  codes: ReadonlyArray<SourceCode>,
  first: string
): ReadonlyArray<string> => {
  const others = new Set<string>()
  for (const code of codes) {
    const value = findRow(map, [code], keyOfCode)?.value
    if (value !== undefined && value !== first) others.add(value)
  }
  return [...others]
}

/** The value of the first mapped code; a code of a system that the concept map names before one of another system. */
export const lookUp = (map: ConceptMap, codes: ReadonlyArray<SourceCode>): string | undefined => {
  for (const find of [keyOf, keyOfOther]) {
    for (const { system, code } of codes) {
      const key = find(map, system, code)
      if (key !== undefined) return map.rows.get(key)
    }
  }
  return undefined
}
