import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import { fromText as decimalFromText } from "../../../json/Decimal.ts"
import type { Field } from "../../../visit/Field.ts"
import { asListed, type ReferenceLists, spellingKey } from "../../../visit/values/ReferenceList.ts"
import { parseInstant } from "../../../visit/values/Timestamp.ts"
import type { SyntaxEntry } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
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
): void => {
  if (value === "") return
  const { span } = entry.value
  const text = String(value)
  const form = formOf(field, value)
  if (form !== undefined) {
    reader.report("invalid-value", span, `\`${word}\` of \`${field.name}\` cannot be \`${text}\``, { help: [form] })
    return
  }
  if (field.values !== undefined && !field.values.includes(text)) {
    const near = field.values.find((one) => spellingKey(one) === spellingKey(text)) ?? suggest(text, field.values)
    reader.report("invalid-value", span, `\`${word}\` of \`${field.name}\` cannot be \`${text}\``, {
      label: didYouMean(near),
      help: [`one of: ${field.values.join(", ")}`]
    })
    return
  }
  checkShown(reader, `\`${word}\` of \`${field.name}\` is`, text, span, field, lists)
  const list = field.list === undefined ? undefined : lists?.get(field.list)
  if (field.list === undefined || list === undefined || asListed(list, text) !== undefined) return
  reader.warn(
    "unknown-list-value",
    span,
    `\`${word}\` of \`${field.name}\` is \`${text}\`, which is not in the list \`${field.list}\``,
    {
      label: nearListed(text, list, field.list),
      help: [`fhir2visit codes search ${field.list} TEXT  finds what the list has`]
    }
  )
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
