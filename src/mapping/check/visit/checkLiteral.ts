import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { fromText as decimalFromText } from "../../../json/Decimal.ts"
import type { Field } from "../../../visit/Field.ts"
import { asListed, type ReferenceLists, spellingKey } from "../../../visit/values/ReferenceList.ts"
import { parseInstant } from "../../../visit/values/Timestamp.ts"
import { type ConceptMap, hasRow } from "../../codes/ConceptMap.ts"
import { spanWithin, type SyntaxEntry, type SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { LeafPlan } from "../../MappingPlan.ts"
import { nearListed } from "../nearListed.ts"

/** The values that §2.4 shows. The values of no other list are shown. */
const visitTypes = ["OPD", "IPD"]

type Literal = string | number | boolean

/** Warns about a value that the specification does not show, if no list of the service has it either. */
export const checkShown = (
  reader: SyntaxReader,
  says: string,
  text: string,
  span: Span,
  field: Field,
  lists: ReferenceLists | undefined
): void => {
  if (field.list !== "visit_types" || lists?.get(field.list) !== undefined || visitTypes.includes(text)) return
  reader.warn("unknown-list-value", span, `${says} \`${text}\`, which the specification does not show (§2.4)`, {
    label: didYouMean(suggest(text, visitTypes)),
    help: [`it shows: ${visitTypes.join(", ")}`]
  })
}

/** Checks that a field can hold the value under `value:` or `default:`. */
export const checkLiteral = (
  reader: SyntaxReader,
  word: "value" | "default",
  entry: SyntaxEntry,
  value: Literal,
  field: Field,
  lists: ReferenceLists | undefined
): void => checkGiven(reader, `\`${word}\` of \`${field.name}\``, entry.value.span, value, field, lists)

/** Checks that a field can hold a value, which `what` names. */
const checkGiven = (
  reader: SyntaxReader,
  what: string,
  span: Span,
  value: Literal,
  field: Field,
  lists: ReferenceLists | undefined
): void => {
  if (value === "") return
  const text = String(value)
  const form = formOf(field, value)
  if (form !== undefined) {
    reader.report("invalid-value", span, `${what} cannot be \`${text}\``, { help: [form] })
    return
  }
  if (field.values !== undefined && !field.values.includes(text)) {
    reader.report("invalid-value", span, `${what} cannot be \`${text}\``, {
      label: didYouMean(nearValue(text, field.values)),
      help: [`one of: ${field.values.join(", ")}`]
    })
    return
  }
  checkShown(reader, `${what} is`, text, span, field, lists)
  const list = field.list === undefined ? undefined : lists?.get(field.list)
  if (field.list === undefined || list === undefined || asListed(list, text) !== undefined) return
  reader.warn(
    "unknown-list-value",
    span,
    `${what} is \`${text}\`, which is not in the list \`${field.list}\``,
    {
      label: nearListed(text, list, field.list),
      help: [`fhir2visit codes search ${field.list} TEXT  finds what the list has`]
    }
  )
}

/** Checks that a field can hold the texts of a path that can be its result, or that its concept map has rows for them. */
export const checkTexts = (
  reader: SyntaxReader,
  path: SyntaxScalar,
  { codes, isOwn, literals = new Map() }: InferredType,
  { conceptMap, field, unit }: LeafPlan,
  lists: ReferenceLists | undefined
): void => {
  if (unit !== undefined) return
  const before = reader.errors
  for (const [text, { length, offset }] of literals) {
    const span = spanWithin(path, offset, length)
    if (conceptMap === undefined) checkGiven(reader, `\`${field.name}\``, span, text, field, lists)
    else checkRow(reader, text, span, conceptMap)
  }
  const { values } = field
  if (codes === undefined || codes.size === 0 || reader.errors > before) return
  if (conceptMap !== undefined) {
    if (literals.size === 0) checkRows(reader, codes, path, conceptMap)
    return
  }
  if (values === undefined || values.some((value) => codes.has(value))) return
  reader.report("invalid-value", path.span, `\`${field.name}\` cannot be what this path finds`, {
    label: `finds ${[...codes].join(", ")}`,
    help: [`one of: ${values.join(", ")}`, ...(isOwn === true ? [] : ["translate the codes with a concept map"])]
  })
}

/** Returns whether a concept map sends nothing for a text. */
const isLost = (text: string, map: ConceptMap): boolean =>
  map.unmapped.mode !== "provided" && map.unmapped.mode !== "fixed" && map.rows.size > 0 && !hasRow(map, text)

/** Warns about a path whose results a concept map never translates, such as those of another concept map. */
const checkRows = (reader: SyntaxReader, codes: ReadonlySet<string>, { span }: SyntaxScalar, map: ConceptMap): void => {
  if (![...codes].every((code) => isLost(code, map))) return
  reader.warn("invalid-value", span, `the concept map \`${map.name}\` does not contain what this path finds`, {
    label: `finds ${[...codes].slice(0, 8).join(", ")}`,
    help: ["end the path in the code of the source, without  .translated(…)  or remove  conceptMap  from the field"]
  })
}

/** Warns about a text that a concept map does not translate. */
const checkRow = (reader: SyntaxReader, text: string, span: Span, map: ConceptMap): void => {
  const { name, rows } = map
  if (text === "" || !isLost(text, map)) return
  const codes = new Map([...rows].flatMap(([code, value]) => code.includes("|") ? [] : [[value, code] as const]))
  const near = suggest(text, codes.values()) ?? codes.get(nearValue(text, [...codes.keys()]) ?? "")
  reader.warn("invalid-value", span, `the concept map \`${name}\` has no row for \`${text}\``, {
    label: didYouMean(near),
    help: ["the field is translated by this concept map; add the row, or write one of its codes"]
  })
}

/** Returns the value that a text most likely is meant to be: `M` for `Male`. */
const nearValue = (text: string, values: ReadonlyArray<string>): string | undefined => {
  const key = spellingKey(text)
  const begun = values.filter((one) => key.startsWith(spellingKey(one)))
  return values.find((one) => spellingKey(one) === key) ?? suggest(text, values) ??
    (begun.length === 1 ? begun[0] : undefined)
}

/** Returns the expected form, if a value has a different one. */
export const formOf = (field: Field, value: Literal): string | undefined => {
  switch (field.kind) {
    case "timestamp":
      return typeof value === "string" && !("reason" in parseInstant(value, { zone: "UTC" }))
        ? undefined
        : "a date and time, for example  \"2026-03-02T08:00:00+07:00\""
    case "date": {
      const read = typeof value === "string" ? parseInstant(value, { zone: "UTC" }) : undefined
      return read !== undefined && !("reason" in read) && read.precision !== "year" && read.precision !== "month"
        ? undefined
        : "a day, for example  \"1990-12-31\""
    }
    case "decimal":
      return typeof value === "number" || (typeof value === "string" && decimalFromText(value.trim()) !== undefined)
        ? undefined
        : "a number, for example  36.5"
    case "boolean":
      return typeof value === "boolean" || value === "true" || value === "false" ? undefined : "true or false"
    case "object":
    case "list":
      return "an object is not written as one value; name its fields"
    default:
      return undefined
  }
}
