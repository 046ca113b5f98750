import type { Span } from "../../../diagnostic/Span.ts"
import { defineOrTake, didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import { alwaysFinds, isEmptyPath } from "../../../fhirpath/pathSteps.ts"
import { withoutAbsent } from "../../../objects.ts"
import type { Field } from "../../../visit/Field.ts"
import { type ConceptMap, hasRow } from "../../codes/ConceptMap.ts"
import { asKey, keysOf, type Placed, readKey, readValues, type Values } from "../../language/grammar/Kind.ts"
import { fieldKeys, type SentValue, type unitKeys, valueWords } from "../../language/grammar/mappingGrammar.ts"
import {
  isNull,
  itemsOf,
  spanWithin,
  type Syntax,
  type SyntaxEntry,
  type SyntaxMap,
  withoutNulls
} from "../../language/MappingSyntax.ts"
import type { Expression, SyntaxReader } from "../../language/SyntaxReader.ts"
import type { LeafPlan, Required, UnitPlan } from "../../MappingPlan.ts"
import type { PathFocus } from "../expressions/PathScope.ts"
import { reportOtherValues, speller } from "../tables/checkConceptMaps.ts"
import { checkFit } from "./checkFit.ts"
import { checkListedName, listedNamesOf } from "./checkListedNames.ts"
import { checkLiteral, checkShown, checkTexts, formOf } from "./checkLiteral.ts"
import type { VisitScope } from "./VisitScope.ts"

/**
 * Reads one field: `null` (never a value), a path, a list of paths, or the long form with its attributes.
 * In a list, the first path that finds a value wins.
 */
export const checkLeaf = (
  reader: SyntaxReader,
  syntax: Syntax,
  field: Field,
  scope: VisitScope,
  pathFocus: PathFocus
): LeafPlan | undefined => {
  const what = `\`${field.name}\``
  const listed = field.kind === "code" && field.list === "diagnoses" ? scope.lists?.get(field.list) : undefined
  const base = {
    kind: "leaf",
    name: field.name,
    field,
    span: syntax.span,
    takeFirst: false,
    ...(scope.asWritten ? { asWritten: true } : {}),
    ...(listed === undefined ? {} : { listed })
  } as const
  const required: Required = field.mandatory ? "error" : "none"
  const listedNames = listedNamesOf(field)
  const before = reader.errors
  const compile = (paths: ReadonlyArray<Expression>, plan: LeafPlan, fallback?: SyntaxEntry): LeafPlan => {
    const plans = paths.flatMap(({ path, ...remark }) => {
      const checked = scope.compile(path, pathFocus)
      if (checked === undefined) return []
      if (reader.errors === before) {
        checkFit(reader, checked, plan, scope.model, scope.rootType)
        checkTexts(reader, path, checked.found, plan, scope.lists)
        if (listedNames !== undefined && plan.conceptMap === undefined) {
          for (const [name, { length, offset }] of checked.found.literals ?? []) {
            checkListedName(reader, name, spanWithin(path, offset, length), listedNames, "this is")
          }
        }
        const [, text = ""] = /^'(.*)'$/u.exec(String(path.value)) ?? []
        if (looksLikePath(text, pathFocus, scope.model)) {
          warnOfPath(reader, text, path.span, "write a path without the single quotes of a text")
        }
      }
      return [{ ...checked.plan, ...remark }]
    })
    if (reader.errors === before) checkReached(reader, paths, plan, fallback, scope.constants)
    return { ...plan, paths: plans }
  }
  const never = (): void => {
    if (!field.mandatory) return
    reader.warn("required-field", syntax.span, `${what} is mandatory and never has a value`, {
      help: [`every visit with it is rejected (${field.section}); give it a path, or set  {value: …}  or  {default: …}`]
    })
  }
  if (syntax.kind !== "map") {
    if (findsNothing(syntax)) never()
    const paths = readKey(reader, fieldKeys, "path", asKey("path", { key: syntax.span, value: syntax }), what) ?? []
    return compile(paths, { ...base, required, paths: [] })
  }
  // `empty: null` is a value; a `null` path finds nothing.
  const map = withoutNulls(reader.map(syntax, `the field ${what}`, keysOf(fieldKeys)), ["empty", "path"])
  const keys = readValues(reader, fieldKeys, map, { path: what })
  const { join, required: level = required, take } = keys
  const [literal, fallback] = [keys.value, keys.default].map((one) =>
    one === undefined ? undefined : { ...one, value: sentBy(one, field) }
  )
  const path = map.entries.get("path")
  const assume = map.entries.get("assume")
  if (assume !== undefined) {
    reader.report("invalid-value", assume.key, `the field ${what} does not describe what it assumes`, {
      help: [
        "write it at the path or the value that it is about:  path: [PATH, {path: PATH, assume: NAME}]  or  default: {value: VALUE, assume: NAME}"
      ]
    })
  }
  if (keys.empty?.value === "" && field.kind !== "text") {
    reader.report("invalid-value", keys.empty.span, "`empty` is `\"\"` or `null`", {
      help: [`\`${field.name}\` is not a text: without a value it is null`]
    })
  }
  checkSeveral(reader, map, field)
  const empty = keys.empty?.value
  const unit = keys.unit === undefined ? undefined : readUnit(reader, keys.unit, field.name, scope, pathFocus)
  const conceptMap = findConceptMap(reader, keys.conceptMap, scope)
  if (conceptMap !== undefined && keys.conceptMap !== undefined) {
    const { span } = keys.conceptMap
    checkTableValues(reader, conceptMap, field, span)
    if (listedNames !== undefined) {
      for (const [value, rowSpan] of conceptMap.spans ?? []) {
        checkListedName(reader, value, rowSpan, listedNames, `the concept map \`${conceptMap.name}\` gives`)
      }
    }
    checkTableList(reader, conceptMap, field, span, scope)
  }
  if (!valueWords.some((word) => map.entries.has(word))) {
    reader.report("missing-key", map.span, `the field ${what} has neither \`path\` nor \`value\``)
  }
  if (literal !== undefined) checkLiteral(reader, "value", literal.entry, literal.value, field, scope.lists)
  if (listedNames !== undefined) {
    for (const one of [literal, fallback]) {
      if (typeof one?.value !== "string") continue
      checkListedName(reader, one.value, one.entry.value.span, listedNames, "this is")
    }
  }
  if (fallback !== undefined) checkLiteral(reader, "default", fallback.entry, fallback.value, field, scope.lists)
  if (
    literal?.value === "" || (literal === undefined && fallback === undefined && !map.entries.has("required") &&
      path !== undefined && findsNothing(path.value))
  ) never()
  if (
    literal !== undefined && path !== undefined && !isNull(path.value) && path.key.file === literal.entry.key.file
  ) {
    reader.warn("invalid-value", path.key, `the path of ${what} is never evaluated`, {
      label: "`value` is set next to it",
      help: ["keep one of the two; to send a value if the path finds nothing, set `default`"]
    })
  }
  if (typeof literal?.value === "string" && looksLikePath(literal.value, pathFocus, scope.model)) {
    warnOfPath(reader, literal.value, literal.entry.value.span, "put a path under  path:")
  }
  // If an overlay sets a value over a path, the path is never evaluated.
  return compile(literal === undefined ? keys.path ?? [] : [], {
    ...base,
    paths: [],
    required: level,
    takeFirst: take === "first",
    ...withoutAbsent({
      literal: literal?.value,
      fallback: fallback?.value,
      literalRemark: literal?.remark,
      fallbackRemark: fallback?.remark,
      join,
      empty,
      unit,
      conceptMap
    })
  }, fallback?.entry)
}

/** Reports a `join` or a `take` that the field cannot follow. */
const checkSeveral = (reader: SyntaxReader, { entries }: SyntaxMap, { kind, name, values }: Field): void => {
  const [join, take] = [entries.get("join"), entries.get("take")]
  if (kind === "strings") {
    for (const one of [join, take]) {
      if (one === undefined) continue
      reader.report("invalid-value", one.key, `\`${name}\` is a list of texts: each value is sent by itself`, {
        help: [
          one === join ? "to send one text, join them in the path:  PATH.join(', ')" : "for one value:  PATH.first()"
        ]
      })
    }
  } else if (join !== undefined && take !== undefined) {
    reader.report("invalid-value", join.key, "`join` and `take` cannot be combined", {
      help: ["`take: first` sends one value, and `join` all of them as one text"]
    })
  } else if (join !== undefined && (values !== undefined || !joined.has(kind))) {
    reader.report("invalid-value", join.key, `\`join\` makes one text of several values, which \`${name}\` cannot be`, {
      help: ["to send the first of several values:  take: first"]
    })
  }
}

const joined: ReadonlySet<Field["kind"]> = new Set(["text", "text-or-decimal", "examination"])

/** Returns a value as the field takes it: in a text, `1.50` keeps its last digit. */
const sentBy = ({ digits, value }: SentValue, { kind }: Field): SentValue["value"] =>
  kind === "decimal" ? value : digits ?? value

/** Reports values of a concept map that its field cannot hold, or that are not in the specification's list for it. */
const checkTableValues = (
  reader: SyntaxReader,
  { name, spans }: ConceptMap,
  field: Field,
  reference: Span
): void => {
  const { values } = field
  const gives = (value: string): string =>
    `the concept map \`${name}\` gives \`${value}\`, which \`${field.name}\` cannot be`
  for (const value of spans?.keys() ?? []) {
    const form = value === "" ? undefined : formOf(field, value)
    if (form === undefined) continue
    reader.report("invalid-value", reference, gives(value), { help: [form] })
    break
  }
  if (values !== undefined && spans !== undefined) reportOtherValues(reader, spans, values, gives)
}

/** Reports a concept map whose values are from one list of standard data while its field requires another. */
const checkTableList = (
  reader: SyntaxReader,
  conceptMap: ConceptMap,
  field: Field,
  span: Span,
  { conceptMaps, lists }: VisitScope
): void => {
  const { list, name, spans } = conceptMap
  for (const [value, rowSpan] of spans ?? []) {
    checkShown(reader, `the concept map \`${name}\` gives`, value, rowSpan, field, lists)
  }
  if (field.list === undefined || list === field.list) return
  if (list === undefined) {
    // Codes are found in a list with or without their dots.
    const standard = field.kind === "code" ? undefined : lists?.get(field.list)
    const spell = standard === undefined ? undefined : speller(reader, name, field.list, standard)
    for (const [value, rowSpan] of spans ?? []) spell?.(value, rowSpan)
    return
  }
  const right = [...conceptMaps.values()].filter((other) => other.list === field.list).map((other) => other.name)
  reader.report(
    "invalid-value",
    span,
    `the concept map \`${name}\` gives values of \`${list}\`, and \`${field.name}\` takes those of \`${field.list}\``,
    {
      help: [
        right.length === 0
          ? `make a concept map of that list:  conceptMap: {${field.name}: {list: ${field.list}, table: {…}}}`
          : `concept maps of that list: ${right.join(", ")}`
      ]
    }
  )
}

/** Returns whether a text is a path such as `name.family` and the focus has such an element. */
const looksLikePath = (text: string, { focus }: PathFocus, { typesOfElement }: Model): boolean => {
  const [, first] = /^(\w+)(?:\.\w+(?:\([^)]*\))?)+$/u.exec(text) ?? []
  return first !== undefined &&
    [...focus.typePaths ?? []].some((typePath) => typesOfElement(typePath, first) !== undefined)
}

const warnOfPath = (reader: SyntaxReader, text: string, span: Span, help: string): void => {
  reader.warn("invalid-value", span, `this is sent unchanged: \`${text}\``, { label: "is it a path?", help: [help] })
}

/** Returns whether paths find nothing in any record: no path, or FHIRPath's empty collection. */
const findsNothing = (syntax: Syntax): boolean =>
  syntax.kind === "scalar"
    ? syntax.value === null || (typeof syntax.value === "string" && isEmptyPath(syntax.value))
    : itemsOf(syntax).every(findsNothing)

/** Returns the concept map of a name, or reports that there is none. */
export const findConceptMap = (
  reader: SyntaxReader,
  written: Placed<string> | undefined,
  scope: VisitScope
): ConceptMap | undefined => {
  if (written === undefined) return undefined
  const { span, value: name } = written
  scope.used.conceptMaps.add(name)
  const found = scope.conceptMaps.get(name)
  if (found !== undefined) return found
  const near = suggest(name, [...scope.conceptMaps.keys()])
  return reader.report("unknown-concept-map", span, `no concept map is called \`${name}\``, {
    label: didYouMean(near),
    help: defineOrTake(near, "conceptMap", scope.conceptMaps.keys())
  })
}

const readUnit = (
  reader: SyntaxReader,
  unit: Values<typeof unitKeys>,
  field: string,
  scope: VisitScope,
  pathFocus: PathFocus
): UnitPlan | undefined => {
  const { molarMass, round } = unit
  const [from, of] = [unit.from, unit.of].map((path) =>
    path === undefined ? undefined : scope.compile(path, pathFocus)?.plan
  )
  const spelling = findConceptMap(reader, unit.spelling, scope)
  if (spelling !== undefined) scope.units.spellings.add(spelling.name)
  const more = {
    round,
    ...withoutAbsent({ from, spelling, molarMass })
  }
  if (unit.to !== undefined) {
    scope.units.written.push({ unit: unit.to.value, span: unit.to.span, field })
    return { to: unit.to.value, ...more }
  }
  const conceptMap = findConceptMap(reader, unit.conceptMap, scope)
  if (conceptMap !== undefined) {
    // `vital_unit` is looked up by values of `vital_name`:  of: code.translated('vital_name')
    const [, name = ""] = /\.translated\('([^']+)'\)\s*$/u.exec(of?.text ?? "") ?? []
    const { tables } = scope.units
    const looked = scope.conceptMaps.get(name)
    const isOther = tables.has(conceptMap.name) && tables.get(conceptMap.name) !== looked
    tables.set(conceptMap.name, isOther ? undefined : looked)
  }
  return conceptMap === undefined || of === undefined ? undefined : { to: { conceptMap, of }, ...more }
}

/** Warns about a path, or a default, that is never used: a path before it always finds a value, or is the same. */
const checkReached = (
  reader: SyntaxReader,
  paths: ReadonlyArray<Expression>,
  { conceptMap, name, unit }: LeafPlan,
  fallback: SyntaxEntry | undefined,
  constants: Readonly<Record<string, unknown>>
): void => {
  const texts = paths.map(({ path }) => String(path.value))
  for (const [at, { assume, path }] of paths.entries()) {
    const first = texts.indexOf(String(path.value))
    // Two assumptions about one path are two doubts about its value.
    if (first === at || (assume !== undefined && paths[first]?.assume !== undefined)) continue
    reader.warn("invalid-value", path.span, `this path of \`${name}\` is never used: it is the same as one before it`, {
      help: ["remove one of the two, or correct it"]
    })
  }
  const isSent = (text: unknown): boolean =>
    text !== "" && (conceptMap === undefined || conceptMap.unmapped.mode === "fixed" ||
      conceptMap.unmapped.mode === "provided" || hasRow(conceptMap, text))
  const at = unit === undefined ? texts.findIndex((text) => alwaysFinds(text, constants, isSent)) : -1
  const span = paths[at]?.path.span
  if (span === undefined) return
  // A default of the mapping below can be left over.
  const hasDefault = fallback !== undefined && fallback.key.file === span.file
  const isLast = at === paths.length - 1
  if (isLast && !hasDefault) return
  reader.warn("invalid-value", span, `${isLast ? "the default" : "a path"} of \`${name}\` is never used`, {
    label: "this always finds a value",
    help: [isLast ? "remove one of the two" : "write this path after those that can find nothing"]
  })
}
