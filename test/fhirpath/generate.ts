import * as fc from "fast-check"
import { exactNumber } from "../../src/json/exactNumber.ts"

/** Valid and invalid resources and expressions, so that every rule of FHIRPath is reached, and every error. */

const date = fc.constantFrom(
  "2026",
  "2026-03",
  "2026-03-02",
  "2026-02-30",
  "2026-03-02T08:05:00+07:00",
  "2026-03-02T01:05:00Z",
  ""
)
const text = fc.constantFrom(
  "final",
  "amended",
  "a",
  "A ",
  "<p>b &amp; c</p>",
  "x|y",
  "10",
  "",
  "true",
  "official",
  "phone"
)
const number = fc.constantFrom(0, 1, 7, -3, 38.5, 0.1, 1e21)
const exact = fc.constantFrom("7.20", "38.50", "12345678901234567890").map((digits) => exactNumber(digits))
const url = fc.constantFrom("http://ex.example/a", "http://ex.example/b")

const sometimes = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 })

/** Values for an element of one value: one, several, none, or of another type. */
const untidy = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: value },
    { weight: 3, arbitrary: fc.array(value, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, 5, "text", [], {}, [null, "b"], { value: 1 }) }
  )

const object = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, sometimes(value)]))).map((made) =>
    Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined))
  )

const quantity = object({
  value: fc.oneof(number, exact),
  unit: text,
  comparator: fc.constant("<"),
  system: fc.constantFrom("http://unitsofmeasure.org", "http://other.example"),
  code: fc.constantFrom("mg", "g", "d", "Cel")
})
const coding = object({ system: url, code: text, display: text })
const concept = object({ coding: untidy(coding), text })
const period = object({ start: date, end: date })
const reference = object({ reference: fc.constantFrom("Patient/p1", "#c"), display: text })
const plainExtension = object({
  url,
  valueString: text,
  valueDateTime: date,
  valueCodeableConcept: concept,
  valueDecimal: number
})
const extension = object({
  url,
  extension: untidy(plainExtension),
  valueString: text,
  valueQuantity: quantity,
  valueBoolean: fc.boolean(),
  valueReference: reference
})
const companion = fc.oneof(
  object({ id: text, extension: untidy(extension) }),
  fc.constantFrom<unknown>([null, { id: "x" }], [], null)
)

const observation = object({
  id: text,
  status: untidy(text),
  _status: companion,
  code: untidy(concept),
  category: untidy(concept),
  extension: untidy(extension),
  subject: reference,
  valueQuantity: quantity,
  valueString: untidy(text),
  valueCodeableConcept: concept,
  valueDateTime: date,
  valueInteger: number,
  valueBoolean: fc.boolean(),
  _valueString: companion,
  effectiveDateTime: untidy(date),
  effectivePeriod: period,
  issued: date,
  component: untidy(object({ code: concept, valueQuantity: quantity, valueString: text })),
  contained: untidy(fc.constant({ resourceType: "Patient", id: "c", birthDate: "1988" }))
}).map((made) => ({ resourceType: "Observation", ...made }))

const patient = object({
  id: text,
  active: untidy(fc.boolean()),
  birthDate: untidy(date),
  _birthDate: companion,
  gender: text,
  deceasedBoolean: fc.boolean(),
  deceasedDateTime: date,
  multipleBirthInteger: number,
  extension: untidy(extension),
  name: untidy(
    object({ use: text, family: untidy(text), given: untidy(text), _given: companion, text, period })
  ),
  telecom: untidy(object({ system: text, value: text, use: text, rank: number })),
  identifier: untidy(object({ system: url, value: text, type: concept })),
  contact: untidy(object({ name: object({ family: text }) }))
}).map((made) => ({ resourceType: "Patient", ...made }))

const unknownType = object({ status: text, code: concept, value: quantity }).map((made) => ({
  resourceType: "Odd",
  ...made
}))

export const resource: fc.Arbitrary<Readonly<Record<string, unknown>> & { readonly resourceType: string }> = fc.oneof(
  { weight: 5, arbitrary: observation },
  { weight: 4, arbitrary: patient },
  { weight: 1, arbitrary: unknownType }
)

const names = (
  "status code category value effective issued component extension subject contained coding system display text unit comparator url " +
  "start end name given family use period telecom identifier active birthDate deceased multipleBirth gender id reference nothing length " +
  "`div` Observation Patient Quantity string data"
).split(" ")
/** Paths of the generated resources. */
const paths = (
  "code.coding code.coding.code code.coding.display code.text category.coding value value.value value.unit value.ofType(Quantity) " +
  "value.ofType(string) effective effective.ofType(dateTime) effective.ofType(Period).start component.value component.code.text " +
  "name.given name.family name.text name.use telecom.value identifier.value identifier.system extension.value extension.url " +
  "extension.extension.value birthDate.extension status.extension deceased deceased.ofType(boolean) multipleBirth subject.reference"
).split(" ")
const types = (
  "Quantity string dateTime date CodeableConcept Period Observation Patient Resource DomainResource Element BackboneElement boolean " +
  "integer decimal code String System.String FHIR.string System.DateTime Boolean Reference Extension HumanName"
).split(" ")
const variables = "%resource1 %several %words %number %nothing %text %d".split(" ")
const literals = [
  "'final'",
  "'a'",
  "'A'",
  "''",
  "'official'",
  "'http://ex.example/a'",
  "'10'",
  "'true'",
  "'<[^>]*>'",
  "'\\'\\u0041'",
  "1",
  "0",
  "7.2",
  "7.20",
  "38.5",
  "true",
  "false",
  "{}",
  "5 'mg'",
  "@2026-03-02",
  "@2026-03-02T01:05:00Z",
  "-1",
  "2"
]
const operators = "= != ~ !~ < > <= >= and or xor implies & + - * / div mod | in contains".split(" ")
const noArguments = (
  "exists empty not count first last tail single distinct toString join sum min max upper lower trim length hasValue getValue toInteger " +
  "toDecimal toDateTime toBoolean children isDistinct allTrue anyFalse type abs convertsToInteger toChars twice own telling telling lone"
).split(" ")
const oneArgument = (
  "where exists all select combine union intersect exclude subsetOf startsWith endsWith contains indexOf join take skip split matches " +
  "substring repeat extension iif coalesce echo pair without distinct sort aggregate"
).split(" ")

const { expression } = fc.letrec<{ readonly expression: string; readonly path: string; readonly step: string }>((
  tie
) => ({
  path: fc.tuple(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...names) },
      { weight: 12, arbitrary: fc.constantFrom(...paths) },
      { weight: 2, arbitrary: fc.constantFrom("$this", "$index", "$total") },
      { weight: 4, arbitrary: fc.constantFrom(...variables) },
      { weight: 4, arbitrary: fc.constantFrom(...literals) },
      { weight: 2, arbitrary: tie("step").map((step) => step.replace(/^\[0\]|^\[1\]/u, "first()")) },
      { weight: 1, arbitrary: tie("expression").map((inner) => `(${inner})`) }
    ),
    fc.array(tie("step"), { maxLength: 3 })
  ).map(([start, steps]) => steps.reduce((before, step) => before + (step.startsWith("[") ? step : `.${step}`), start)),
  step: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 12, arbitrary: fc.constantFrom(...names) },
    { weight: 7, arbitrary: fc.constantFrom(...noArguments).map((name) => `${name}()`) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom("ofType", "is", "as"), fc.constantFrom(...types)).map(([name, type]) =>
        `${name}(${type})`
      )
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "[0]",
        "[1]",
        "substring(0, 10)",
        "substring(3)",
        "replaceMatches('a', 'b')",
        "extension('http://ex.example/a')"
      )
    },
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom(...oneArgument), tie("expression")).map(([name, argument]) =>
        `${name}(${argument})`
      )
    },
    {
      weight: 2,
      arbitrary: fc.tuple(tie("expression"), tie("expression"), tie("expression")).map((args) =>
        `iif(${args.join(", ")})`
      )
    },
    { weight: 1, arbitrary: tie("expression").map((value) => `defineVariable('d', ${value})`) }
  ),
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 6, arbitrary: tie("path") },
    {
      weight: 3,
      arbitrary: fc.tuple(tie("path"), fc.constantFrom(...operators), tie("expression")).map((parts) => parts.join(" "))
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("path"), fc.constantFrom("is", "as"), fc.constantFrom(...types)).map((parts) =>
        `(${parts.join(" ")})`
      )
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom("status", "name.use", "code.coding.code"),
        fc.array(fc.constantFrom("'final'", "'a'", "'official'"), { minLength: 2, maxLength: 3 })
      )
        .map(([path, texts]) => texts.map((one) => `${path} = ${one}`).join(" or "))
    }
  )
}))

export { expression }
