import * as fc from "fast-check"
import { syntaxTree } from "../../src/fhirpath/syntax/SyntaxTree.ts"
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
const period = object({ start: date, end: date })
const reference = object({ reference: fc.constantFrom("Patient/p1", "#c"), display: text })

/** Values for an element of one value: one, several, none, or of another type. */
const untidy = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: value },
    { weight: 3, arbitrary: fc.array(value, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, 5, "text", [], {}, [null, "b"], { value: 1 }) }
  )

/** One type of each choice. */
const withOneType = (made: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const seen = new Set<string>()
  return Object.fromEntries(
    Object.entries(made).filter(([key]) => {
      const [choice] = /^(?:value|effective|deceased)(?=[A-Z])/u.exec(key) ?? []
      if (choice === undefined) return true
      const isFirst = !seen.has(choice)
      seen.add(choice)
      return isFirst
    })
  )
}

type AnyResource = Readonly<Record<string, unknown>> & { readonly resourceType: string }

/** Resources that are written as the model says, or in any way. */
const resources = (isRegular: boolean): fc.Arbitrary<AnyResource> => {
  const one = isRegular ? <A>(value: fc.Arbitrary<A>): fc.Arbitrary<unknown> => value : untidy
  const several = isRegular
    ? <A>(value: fc.Arbitrary<A>): fc.Arbitrary<unknown> => fc.array(value, { maxLength: 3 })
    : untidy
  const element = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> =>
    object(fields).map((made) => (isRegular ? withOneType(made) : made))
  const concept = object({ coding: several(coding), text })
  const plainExtension = element({
    url,
    valueString: text,
    valueDateTime: date,
    valueCodeableConcept: concept,
    valueDecimal: number
  })
  const extension = element({
    url,
    extension: several(plainExtension),
    valueString: text,
    valueQuantity: quantity,
    valueBoolean: fc.boolean(),
    valueReference: reference
  })
  const companion = isRegular ? fc.constant(undefined) : fc.oneof(
    object({ id: text, extension: several(extension) }),
    fc.constantFrom<unknown>([null, { id: "x" }], [], null)
  )

  const observation = element({
    id: text,
    status: one(text),
    _status: companion,
    code: one(concept),
    category: several(concept),
    extension: several(extension),
    subject: reference,
    valueQuantity: quantity,
    valueString: one(text),
    valueCodeableConcept: concept,
    valueDateTime: date,
    valueInteger: number,
    valueBoolean: fc.boolean(),
    _valueString: companion,
    effectiveDateTime: one(date),
    effectivePeriod: period,
    issued: date,
    component: several(element({ code: concept, valueQuantity: quantity, valueString: text })),
    contained: several(fc.constant({ resourceType: "Patient", id: "c", birthDate: "1988" }))
  }).map((made) => ({ resourceType: "Observation", ...made }))

  const patient = element({
    id: text,
    active: one(fc.boolean()),
    birthDate: one(date),
    _birthDate: companion,
    gender: text,
    deceasedBoolean: fc.boolean(),
    deceasedDateTime: date,
    multipleBirthInteger: number,
    extension: several(extension),
    name: several(
      object({ use: text, family: one(text), given: several(text), _given: companion, text, period })
    ),
    telecom: several(object({ system: text, value: text, use: text, rank: number })),
    identifier: several(object({ system: url, value: text, type: concept })),
    contact: several(object({ name: object({ family: text }) }))
  }).map((made) => ({ resourceType: "Patient", ...made }))

  const unknownType = object({ status: text, code: concept, value: quantity }).map((made) => ({
    resourceType: "Odd",
    ...made
  }))

  return fc.oneof(
    { weight: 5, arbitrary: observation },
    { weight: 4, arbitrary: patient },
    { weight: 1, arbitrary: unknownType }
  )
}

export const resource = resources(false)
export const regularResource = resources(true)

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
  "toDecimal toDateTime convertsToDateTime toBoolean children isDistinct allTrue anyFalse type abs convertsToInteger toChars twice own telling " +
  "telling lone"
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

/** Whether a text is an expression. */
export const parses = (text: string): boolean => {
  try {
    syntaxTree(text)
    return true
  } catch {
    return false
  }
}
