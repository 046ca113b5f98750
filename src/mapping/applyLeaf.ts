import { Result } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Span } from "../diagnostic/Span.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { Element, Elements, Variables } from "../fhirpath/FhirPath.ts"
import { isExactDecimal, recordOf, textOf, typeNameOf } from "../fhirpath/FhirPath.ts"
import { fromText as decimalFromText } from "../visit/Decimal.ts"
import { parseJson } from "../visit/decode.ts"
import { asListedCode } from "../visit/ReferenceList.ts"
import { isOpenObject } from "../visit/Referral.ts"
import { cleanText, isBlank, isCleanText } from "./cleanText.ts"
import type { ConceptMap, SourceCode } from "./ConceptMap.ts"
import { codesOf, lookUp, resolveCode } from "./ConceptMap.ts"
import { convertQuantity } from "./convertQuantity.ts"
import type { FieldReport } from "./FieldReport.ts"
import { shown } from "./FieldReport.ts"
import { dateOf, timestampOf } from "./leafTimes.ts"
import type { Row } from "./Making.ts"
import type { LeafPlan, PathPlan, TimePlan } from "./MappingPlan.ts"

/** What a path finds; a problem of the field if it fails. */
type Evaluate = (path: PathPlan, focus: Elements, variables: Variables, row: Row | null, name: string) => Elements

/** What filling one field may use and report to. */
export interface LeafContext {
  readonly zone: string
  readonly time: TimePlan
  readonly unmapped: (code: UnmappedCode) => void
  readonly problem: (row: Row | null, name: string, diagnostic: Diagnostic) => void
  /** How many problems have been told so far. */
  readonly told: () => number
  /** Whether one of those told since then is an error. */
  readonly failedSince: (told: number) => boolean
  readonly evaluate: Evaluate
  /** As `evaluate`, for the values alone. */
  readonly values: Evaluate
}

/** What somebody has found of a field already: the values of its path `at`, and nothing with those before. */
export interface SoFar {
  readonly at: number
  readonly values: Elements
  /** How many problems had been told before. */
  readonly before: number
}

/**
 * The value of one field, in the form the specification sends: what the mapping states, else what the first path with a
 * result finds, translated, converted and typed; else the default; else the field's blank. `undefined` only for a field that
 * may be omitted and has no value. `said` are the values the source states outright, which nothing else overrules.
 */
export const applyLeaf = (
  leaf: LeafPlan,
  focus: Elements,
  variables: Variables,
  row: Row,
  context: LeafContext,
  said?: ReadonlyArray<unknown>,
  sofar?: SoFar
): unknown => {
  const { field } = leaf
  if (said !== undefined) return saidOutright(leaf, said, focus, row, context)
  const before = sofar?.before ?? context.told()
  if (leaf.literal !== undefined) return stated(leaf, leaf.literal, row, context)
  for (let at = sofar?.at ?? 0; at < leaf.paths.length; at++) {
    const path = leaf.paths[at]!
    const values = at === sofar?.at ? sofar.values : context.values(path, focus, variables, row, leaf.name)
    if (values.length === 0) continue
    const value = typed(
      leaf,
      values,
      () => context.evaluate(path, focus, variables, row, leaf.name),
      focus,
      path,
      row,
      context,
      variables
    )
    if (value !== undefined) {
      if (path.warn !== undefined) {
        context.problem(row, leaf.name, { ...standIn(path.warn, path.span, focus), path: path.text })
      }
      return value
    }
  }
  if (leaf.fallback !== undefined) {
    if (leaf.fallbackTold !== undefined) {
      const { span, words } = leaf.fallbackTold
      context.problem(row, leaf.name, {
        ...standIn(words, span, focus),
        help: ["look at the record: is the value somewhere else? Then add a path"]
      })
    }
    return stated(leaf, leaf.fallback, row, context)
  }
  if (field.kind === "strings") return field.optional && leaf.paths.length === 0 ? undefined : []
  // What the specification makes mandatory is told by the validation; what the mapping makes required, here.
  // A value that was found and could not be used has been explained already; a warning is not enough where it must be there.
  const isExplained = leaf.required === "error" ? context.failedSince(before) : context.told() > before
  if (!isExplained && (leaf.required === "warning" || (leaf.required === "error" && !field.mandatory))) {
    context.problem(row, leaf.name, {
      code: "no-value",
      severity: leaf.required,
      title: `\`${leaf.name}\` has no value`,
      mapping: leaf.paths[0]?.span ?? leaf.span,
      ...(leaf.paths.length === 0 ? {} : { path: leaf.paths.map((path) => path.text).join(", else ") }),
      ...about(focus)
    })
  }
  if (leaf.empty !== undefined) return leaf.empty
  return field.optional ? undefined : field.blank
}

/** What is sent is told in the words of the mapping. */
const standIn = (title: string, mapping: Span, focus: Elements): Diagnostic => ({
  code: "stand-in",
  severity: "warning",
  title,
  mapping,
  ...about(focus)
})

/** What the source states outright is sent as it stands; saying nothing, it says that there is no value. */
const saidOutright = (
  leaf: LeafPlan,
  said: ReadonlyArray<unknown>,
  focus: Elements,
  row: Row,
  context: LeafContext
): unknown => {
  const report: FieldReport = (diagnostic) => {
    context.problem(row, leaf.name, { mapping: leaf.span, ...about(focus), ...diagnostic })
    return undefined
  }
  const values = said.flatMap((value) => single(leaf, value, () => typeNameOf(value), context, report) ?? [])
  if (leaf.field.kind === "strings") return values
  const [first] = values
  return first === undefined ? (leaf.field.optional ? undefined : leaf.field.blank) : first
}

/** What the mapping itself states is sent as it stands: not translated, not converted. */
const stated = (leaf: LeafPlan, value: string | number | boolean, row: Row, context: LeafContext): unknown => {
  const report: FieldReport = (diagnostic) => {
    context.problem(row, leaf.name, { mapping: leaf.span, ...diagnostic })
    return undefined
  }
  const one = single(leaf, value, () => typeNameOf(value), context, report)
  return leaf.field.kind === "strings" ? (one === undefined ? [] : [one]) : (one ?? leaf.field.blank)
}

const about = (elements: Elements): Pick<Diagnostic, "source" | "origin"> => {
  const record = recordOf(elements[0])
  return record === undefined ? {} : { source: record.origin.reference, origin: record.origin }
}

/** The value that what one path found gives a field; `undefined` when it gives none. */
export const typed = (
  leaf: LeafPlan,
  values: Elements,
  /** The elements that these are the values of. */
  elements: () => Elements,
  focus: Elements,
  path: PathPlan | undefined,
  row: Row,
  context: LeafContext,
  variables?: Variables
): unknown => {
  const report = (diagnostic: Pick<Diagnostic, "code" | "severity" | "title"> & Partial<Diagnostic>): undefined => {
    context.problem(row, leaf.name, {
      mapping: path?.span ?? leaf.span,
      ...(path === undefined ? {} : { path: path.text }),
      ...about(focus),
      ...diagnostic
    })
    return undefined
  }
  const several = leaf.field.kind === "strings" || leaf.join !== undefined
  const isAsFound = leaf.unit === undefined && leaf.conceptMap === undefined
  const typeName = (at: number): string => typeNameOf((isAsFound ? elements() : found)[at])
  let found = values
  if (!several && found.length === 1 && isAsFound) {
    return inList(leaf, single(leaf, found[0], () => typeName(0), context, report))
  }
  if (leaf.unit !== undefined) {
    found = found.flatMap((element) => convertUnit(leaf, element, focus, row, context, report, variables))
  }
  if (leaf.conceptMap !== undefined) {
    found = translate(leaf, leaf.conceptMap, several ? found : [found], context, report)
  }
  const all = found.flatMap((value, at) => inList(leaf, single(leaf, value, () => typeName(at), context, report)) ?? [])
  if (leaf.field.kind === "strings") return all.length === 0 ? undefined : all
  if (leaf.join !== undefined) return all.length === 0 ? undefined : all.join(leaf.join)
  const [first] = all
  if (first === undefined) return undefined
  if (!leaf.takeFirst && all.length > 1 && all.some((value) => JSON.stringify(value) !== JSON.stringify(first))) {
    report({
      code: "too-many-values",
      severity: "warning",
      title: `\`${leaf.name}\` takes one value, this path found ${all.length}`,
      label: `${all.length} values: ${found.slice(0, 4).map((_, at) => typeName(at)).join(", ")}`,
      value: shown(all.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" | ")),
      help: ["the first was taken; say so with  take: first", "or join them:  join: \", \""]
    })
  }
  return first
}

/** A code as its list has it: `J189` is `J18.9`. */
const inList = ({ listed }: LeafPlan, value: unknown): unknown =>
  listed === undefined || typeof value !== "string" ? value : asListedCode(listed, value) ?? value

/**
 * Translates codes. `groups` are elements that are alternatives of one value (the codings of one concept, or the several
 * values a path found for a field that takes one).
 */
const translate = (
  leaf: LeafPlan,
  map: ConceptMap,
  groups: ReadonlyArray<Element>,
  context: LeafContext,
  report: FieldReport
): ReadonlyArray<string> =>
  groups.flatMap((group) => {
    const codes = (Array.isArray(group) ? group : [group]).flatMap(codesOf)
    if (codes.length === 0) return []
    return translated(leaf, map, codes, context, report)
  })

const translated = (
  leaf: LeafPlan,
  map: ConceptMap,
  codes: ReadonlyArray<SourceCode>,
  context: LeafContext,
  report: FieldReport
): ReadonlyArray<string> => {
  const resolved = resolveCode(map, codes)
  if (resolved === undefined) return []
  const { code: first, counted, map: { name, unmapped }, value } = resolved
  if (counted) {
    const blocking = unmapped.mode === "reject" || (value === undefined && leaf.required === "error")
    context.unmapped({ table: name, ...first, blocking })
  }
  if (resolved.key === undefined && (unmapped.mode === "reject" || unmapped.mode === "warn")) {
    report({
      code: "unmapped-code",
      severity: unmapped.mode === "reject" ? "error" : "warning",
      title: `the concept map \`${name}\` has no row for a code of the source`,
      ...(first.words === true ? { value: shown(first.code) } : {}),
      facts: [
        [
          "code",
          first.words === true
            ? "none, only words"
            : first.system === null
            ? first.code
            : `${first.code}  in ${first.system}`
        ],
        ["policy", `${unmapped.mode}: the field stays empty`]
      ],
      help: [
        `add a row under  conceptMap: ${name}: table:   for example  ${
          first.words === true ? "\"THE WORDS\"" : quoteKey(first.code)
        }: …`,
        `or fill in its line of the facility's table \`${name}\`;  fhir2visit codes unmapped  writes it`
      ]
    })
  }
  return value === undefined ? [] : [value]
}

const quoteKey = (code: string): string => (/^[A-Za-z][A-Za-z0-9_-]*$/u.test(code) ? code : JSON.stringify(code))

const convertUnit = (
  leaf: LeafPlan,
  value: unknown,
  focus: Elements,
  row: Row,
  context: LeafContext,
  report: FieldReport,
  variables: Variables | undefined
): ReadonlyArray<Element> => {
  const unit = leaf.unit!
  let to: string | undefined
  if (typeof unit.to === "string") to = unit.to
  else {
    const codes = context.values(unit.to.of, focus, variables ?? {}, row, leaf.name).flatMap(codesOf)
    to = lookUp(unit.to.conceptMap, codes)
  }
  if (to === undefined) {
    report({
      code: "unknown-unit",
      severity: "warning",
      title: `\`${leaf.name}\` has no unit to be sent in`,
      help: [
        typeof unit.to === "string" ? "name the unit" : `add a row to the concept map  ${unit.to.conceptMap.name}`,
        "the value is left out"
      ]
    })
    return []
  }
  const [from] = unit.from === undefined
    ? []
    : context.values(unit.from, focus, variables ?? {}, row, leaf.name).map(textOf)
  const quantity = unit.from === undefined ? value : { value, unit: from }
  const converted = convertQuantity(quantity, to, unit)
  if (typeof converted === "object" && "fault" in converted && converted.unit !== undefined) {
    if (unit.spelling !== undefined) {
      context.unmapped({
        table: unit.spelling.name,
        system: null,
        code: converted.unit,
        display: null,
        blocking: false
      })
    }
  }
  if (typeof converted === "object" && "fault" in converted && converted.fault === "comparator") {
    return report({
      code: "left-out",
      severity: "warning",
      title: `\`${leaf.name}\` is a number, and the source says only what it is less or more than`,
      help: ["the value is left out"]
    }) ?? []
  }
  if (typeof converted === "object" && "fault" in converted) {
    report({
      code: "unknown-unit",
      severity: "warning",
      title: converted.fault === "no-unit"
        ? `\`${leaf.name}\` needs ${to} and the source gives a number without a unit`
        : `\`${leaf.name}\` needs ${to} and the source's unit cannot be converted to it`,
      ...(converted.unit === undefined ? {} : { facts: [["unit", converted.unit]] as const }),
      help: converted.unit === undefined || unit.spelling === undefined
        ? ["the value is left out; correct the unit in the source system"]
        : [
          `say what it means:  conceptMap: {${unit.spelling.name}: {table: {${quoteKey(converted.unit)}: UCUM UNIT}}}`,
          "or correct the unit in the source system; the value is left out"
        ]
    })
    return []
  }
  return [converted.value]
}

const single = (
  leaf: LeafPlan,
  value: unknown,
  typeName: () => string,
  context: LeafContext,
  report: FieldReport
): unknown => {
  if (value === null || value === undefined || (typeof value === "string" && isBlank(value))) return undefined
  const wrong = (): undefined =>
    report({
      code: "wrong-type",
      severity: leaf.field.mandatory ? "error" : "warning",
      title: `\`${leaf.name}\` cannot hold what this path found`,
      label: `found ${article(typeName())}`,
      value: shown(typeof value === "object" ? JSON.stringify(value) : String(value)),
      help: [`end the path in ${wanted(leaf)}`]
    })
  switch (leaf.field.kind) {
    case "timestamp":
    case "date": {
      const text = typeof value === "number" || typeof value === "boolean" ? undefined : textOf(value)
      if (text === undefined) return wrong()
      return leaf.field.kind === "date" ? dateOf(text, leaf, context, report) : timestampOf(text, leaf, context, report)
    }
    case "decimal":
      return decimalOf(value) ?? wrong()
    case "text-or-decimal": {
      if (typeof value === "boolean") return String(value)
      // Some systems write the number of a Quantity as a text.
      const number = typeof value === "string" && typeName() !== "decimal" ? undefined : decimalOf(value)
      return number ?? (typeof value === "string" ? cleaned(value, leaf, report) : wrong())
    }
    case "object":
      return openObject(value) ?? wrong()
    case "boolean":
      return typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : wrong()
    default: {
      const text = textOf(value)
      return text === undefined ? wrong() : cleaned(text, leaf, report)
    }
  }
}

const article = (name: string): string => (/^[aeiou]/iu.test(name) ? `an ${name}` : `a ${name}`)

const wanted = (leaf: LeafPlan): string => {
  switch (leaf.field.kind) {
    case "decimal":
      return "a number, for example  value.ofType(Quantity).value"
    case "boolean":
      return "true or false"
    default:
      return "a text, for example  .coding.display.first()  or  .text"
  }
}

const decimalOf = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  if (isExactDecimal(value)) return decimalFromText(value.toString())
  if (typeof value === "string") return decimalFromText(value.trim())
  return undefined
}

/** An object of which the specification does not show the form: a source gives it as JSON text. */
const openObject = (value: unknown): unknown => {
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return parsed !== undefined && Result.isSuccess(parsed) && isOpenObject(parsed.success) ? parsed.success : undefined
}

const cleaned = (written: string, leaf: LeafPlan, report: FieldReport): string | undefined => {
  if (isCleanText(written)) return written
  const { hadControl, text, wasApart } = cleanText(written, leaf.asWritten === true)
  if (hadControl) {
    report({
      code: "text-changed",
      severity: "warning",
      title: `control characters were taken out of \`${leaf.name}\``
    })
  }
  if (wasApart) {
    report({
      code: "text-changed",
      severity: "warning",
      title: `letters of \`${leaf.name}\` were written in parts, and were put together`
    })
  }
  return text === "" ? undefined : text
}
