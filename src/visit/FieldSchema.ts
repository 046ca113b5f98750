import { Schema, SchemaTransformation } from "effect"
import { type Decimal, isDecimal, toNumber } from "../json/Decimal.ts"
import type { Field, FieldKind, ReferenceListType } from "./Field.ts"
import { isCalendarDate } from "./values/CalendarDate.ts"
import { Timestamp } from "./values/Timestamp.ts"

/**
 * The single declaration of a Visit field: a schema whose key carries the facts of the specification. `fields.ts` reads these facts back;
 * no other file declares a field.
 */
export interface FieldFacts extends Omit<Field, "name" | "section" | "component" | "fields"> {
  /** The component an `object` or `list` holds. */
  readonly of?: Schema.Top
}

/** The annotation key of a field's facts. */
export const factsKey = "fhir2visit/field"
/** The annotation key of a component's section in the specification. */
export const sectionKey = "fhir2visit/section"

/** The properties of a field besides its description. */
interface Options {
  readonly list?: ReferenceListType
}

const field = <S extends Schema.Top>(schema: S, facts: FieldFacts) =>
  schema.pipe(Schema.annotateKey({ description: facts.description, [factsKey]: facts }))

const facts = (kind: FieldKind, description: string, over: Partial<FieldFacts>): FieldFacts => ({
  kind,
  nullable: false,
  mandatory: false,
  optional: false,
  blank: null,
  description,
  ...over
})

/** At least one character that is not white space; the service's framework treats other strings as empty. */
const Filled = Schema.String.check(
  Schema.makeFilter((text: string) => /\S/.test(text), {
    expected: "a text that is not empty",
    toJsonSchema: () => ({ pattern: "\\S" })
  })
)

const CalendarDate = Schema.String.check(
  Schema.makeFilter(isCalendarDate, {
    expected: "a date YYYY-MM-DD",
    toJsonSchema: () => ({ pattern: "^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$", format: "date" })
  })
)

/** The schema of a decimal; in JSON Schema it is a plain number. */
const ExactDecimal = Schema.declare(isDecimal, {
  expected: "a number",
  toCodecJson: () =>
    Schema.link<Decimal>()(
      Schema.Finite,
      SchemaTransformation.transform({
        decode: (number: number): Decimal => number,
        encode: toNumber
      })
    )
})

/** A code: mandatory by §4.5 rule 7. A kind of `values/Code.ts` is the brand of what is decoded; a code of another kind is a text. */
export const code = <Code extends string = string>(description: string, options: Options = {}) =>
  // Only the compiler knows a brand: `Schema.brand` does not change how a value is read either.
  field(Filled as unknown as Schema.Codec<Code, string>, facts("code", description, { mandatory: true, ...options }))

/** A code with the type `string or null` in the specification. */
export const codeOrNull = (description: string) =>
  field(Schema.NullOr(Filled), facts("code", description, { nullable: true, showsNull: true }))

/** An identifier that is not called a code: mandatory by §4.5 rule 7. */
export const identifier = (description: string) => field(Filled, facts("identifier", description, { mandatory: true }))

/** A timestamp: mandatory by §4.5 rule 7. */
export const timestamp = (description: string) => field(Timestamp, facts("timestamp", description, { mandatory: true }))

/** A timestamp with the type `timestamp or null` in the specification. */
export const timestampOrNull = (description: string) =>
  field(Schema.NullOr(Timestamp), facts("timestamp", description, { nullable: true, showsNull: true }))

/** A date; `null` if missing (§2). */
export const date = (description: string) =>
  field(Schema.NullOr(CalendarDate), facts("date", description, { nullable: true }))

/** Any other string; `null` if missing (§2). */
export const text = (description: string, options: Options = {}) =>
  field(Schema.NullOr(Schema.String), facts("text", description, { nullable: true, ...options }))

/** A string with the type `string or null` in the specification. */
export const textOrNull = (description: string) =>
  field(Schema.NullOr(Schema.String), facts("text", description, { nullable: true, showsNull: true }))

/** A string that the specification marks required. */
export const requiredText = (description: string) => field(Filled, facts("text", description, { mandatory: true }))

/** A string that the specification marks optional: it may be omitted. */
export const optionalText = (description: string) =>
  field(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    facts("text", description, { nullable: true, optional: true })
  )

/** A string that may be empty, or that must be sent as an empty string, by the specification. */
export const blankText = (description: string, options: Options = {}) =>
  field(Schema.NullOr(Schema.String), facts("text", description, { nullable: true, blank: "", ...options }))

/** One of the values in the specification; `null` if missing. */
export const choice = <const L extends ReadonlyArray<string>>(values: L, description: string) =>
  field(Schema.NullOr(Schema.Literals(values)), facts("text", description, { nullable: true, values }))

/** A number; `null` if missing. */
export const decimal = (description: string) =>
  field(Schema.NullOr(ExactDecimal), facts("decimal", description, { nullable: true }))

/** A number with the type `number or null` in the specification. */
export const decimalOrNull = (description: string) =>
  field(Schema.NullOr(ExactDecimal), facts("decimal", description, { nullable: true, showsNull: true }))

/** A string or a number; `null` if missing. */
export const textOrDecimal = (description: string) =>
  field(
    Schema.NullOr(Schema.Union([Schema.String, ExactDecimal])),
    facts("text-or-decimal", description, { nullable: true })
  )

/** `true` or `false`; `null` if missing. */
export const flag = (description: string) =>
  field(Schema.NullOr(Schema.Boolean), facts("boolean", description, { nullable: true }))

/** An array of strings: empty if there are none, never `null` (§4.5 rule 5). */
export const strings = (description: string) => field(Schema.Array(Schema.String), facts("strings", description, {}))

/** An array of strings that the specification marks optional. */
export const optionalStrings = (description: string) =>
  field(Schema.optionalKey(Schema.Array(Schema.String)), facts("strings", description, { optional: true }))

/** One component. */
export const one = <S extends Schema.Top>(of: S, description: string) =>
  field(of, facts("object", description, { mandatory: true, of }))

/** One component or `null`. */
export const oneOrNull = <S extends Schema.Top>(of: S, description: string) =>
  field(Schema.NullOr(of), facts("object", description, { nullable: true, showsNull: true, of }))

/** An object whose form the specification does not show: it is sent unchanged. */
export const openObject = <S extends Schema.Top>(schema: S, description: string) =>
  field(schema, facts("object", description, { nullable: true, showsNull: true }))

/** An array of components: empty if there are none, never `null` (§4.5 rule 5). */
export const many = <S extends Schema.Top>(of: S, description: string) =>
  field(Schema.Array(of), facts("list", description, { of }))

/** PhysicalExamination.value: a string, or an array of objects with one key each. */
export const examination = <S extends Schema.Top>(schema: S, keys: ReadonlyArray<string>, description: string) =>
  field(schema, facts("examination", description, { nullable: true, keys }))

/** A component of the Visit: its name, its section of the specification and its fields in the specification's order. */
export const component = <const F extends Schema.Struct.Fields>(
  name: string,
  section: string,
  description: string,
  fields: F
) => Schema.Struct(fields).annotate({ identifier: name, description, [sectionKey]: section })
