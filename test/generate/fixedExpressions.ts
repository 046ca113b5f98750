import { rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import type { Elements, PathEngine, Variables } from "../../src/fhirpath/FhirPath.ts"
import type { Units } from "../../src/fhirpath/generate/Units.ts"
import { everythingFound } from "./everythingFound.ts"
import { recordWith } from "./recordWith.ts"
import { engineWithCalls, notingScope } from "./reportedCalls.ts"

/** One expression or more for each form of generated code. */
const expressions = [
  "status",
  "status = 'final'",
  "status != 'final'",
  "status = 'final' or status = 'amended' or status = 'a'",
  "code.coding",
  "code.coding.code",
  "code.coding.where(system = 'http://ex.example/a').code",
  "code.coding.where(code).display",
  "code.coding.first()",
  "code.coding.where(system.exists()).first().code",
  "(code | category).coding.first().code",
  "code.coding.exists(code = 'b')",
  "code.coding.all(code = 'b')",
  "code.coding.all(display)",
  "code.coding.count()",
  "code.coding.code.count() + 1",
  "code.coding.where(display.empty()).code",
  "code.coding.select(system & '|' & code)",
  "code.coding.select(code & display)",
  "code.coding.code & ''",
  "code.text.not()",
  "category.coding | code.coding",
  "code.coding.code | category.coding.code",
  "code.coding.code.combine(category.coding.code)",
  "value",
  "value.exists()",
  "value.select('there')",
  "value.count()",
  "component.value.count()",
  // The choice is needed as an element before its type is asked for.
  "value.where(extension('http://ex.example/a').exists()).select($this is Quantity)",
  "value.first().select('there')",
  "component.value.select(true)",
  "component.select(code.coding.code.combine(code.coding.system).count())",
  "code.coding.select(display.combine(code).join('-'))",
  "value.ofType(Quantity).value",
  "value.ofType(Quantity).unit",
  "value.ofType(string)",
  "value.ofType(dateTime)",
  "value is Quantity",
  "(value as Quantity).code",
  "effective.ofType(Period).start",
  "component.value.ofType(Quantity).where(value > 5).value",
  "component.where(code.text = 'a').value",
  "component.value.ofType(Quantity)",
  "extension('http://ex.example/a').value",
  "extension.where(url = 'http://ex.example/b').value.ofType(string)",
  "issued = @2026-03-02T01:05:00Z",
  // Times of two kinds, after two of one kind. An instant without a time is none.
  "effective.ofType(Period).start < effective.ofType(Period).end",
  "issued < effective.ofType(Period).start",
  "effective.ofType(Period).start <= issued",
  "issued > issued",
  "(issued < effective.ofType(Period).start).not()",
  "issued < effective.ofType(Period).start or status = 'final'",
  "issued >= effective.ofType(Period).start",
  // The times of the first name decide, but those of the second are not times.
  "name.where(period.start < period.end).exists()",
  "encounter.met().status",
  "farther().status",
  "encounter.met().period.start",
  "encounter.met().period.start >= issued",
  "every('Encounter').status",
  "every('Encounter').period.start",
  "every('Location').status",
  "birthDate < @1990-01-01",
  // A value that is only a companion, of a record that the code has not checked.
  "twice().birthDate.first()",
  "active",
  "gender",
  "active = true",
  // An equality of an element that some records do not have.
  "(gender = 'female').not()",
  "active.not()",
  "active and gender = 'female'",
  "active or gender = 'female'",
  "active implies gender = 'female'",
  "active xor gender = 'female'",
  "deceased.exists() or gender.exists()",
  "(code.text = 'a') and (status = 'final')",
  "(code.text = 'a') or (status = 'final')",
  "name.where(use = 'official').given",
  "name.given.first()",
  "name.select(given.first())",
  "name.select(given.first() & family)",
  "name.where(%flags).given",
  "%other.id",
  "%resource1.name",
  "name.where(given.exists()).family",
  "name.select(iif(use = 'official', family, given))",
  "iif(gender = 'female', 'F', 'M')",
  "iif(active, name.family)",
  "name.given.join(' ')",
  "name.given.upper()",
  "name.given.select(upper())",
  "name.given.last()",
  "name.given.distinct()",
  "name.given.tail()",
  "telecom.where(system = 'phone' and rank = 1).value",
  "telecom.select(rank)",
  "identifier.where(system = %text).value",
  "%text",
  "%words",
  "%resource1.id",
  "%resource1.status",
  "%resource1.gender = 'female'",
  "%resource1.name.given.first()",
  "%context.id",
  "$this",
  "own()",
  "named('official')",
  "named(%words.first())",
  "known('a', 'b')",
  "known('b', 'http://ex.example/a')",
  "name.whole()",
  "name.given.lone()",
  "name.given.without('Ann')",
  "name.given.sole()",
  "subject.reached()",
  "name.given.echo('x')",
  "code.coding.code.pair('a', 'b')",
  "name.aggregate(iif($total.empty() or family > $total.family, $this, $total), {}).given",
  "name.aggregate(iif(use = 'official', $this, $total)).select(family & given.first())",
  "component.aggregate(iif($total.exists() and $total.value.exists(), $total, $this)).code.text",
  "name.given.aggregate(iif($total.empty(), $this, $total)).aggregate($this, {})",
  "telecom.rank.sum()",
  "component.value.ofType(Quantity).value.sum()",
  "name.given.sum()",
  "iif(name.select(use = 'usual'), 'usual', 'other')",
  "iif(telecom.select(system = 'phone'), 'phone', 'other')",
  "component.all(value.select(true))",
  "value.extension('http://ex.example/a').value",
  "(code | value).extension('http://ex.example/a').value.ofType(string)",
  "%other.extension('http://ex.example/a').value",
  "ofType(System.String)",
  "$this.ofType(System.String)",
  "birthDate",
  "birthDate.extension('http://ex.example/a').value",
  "name.given.extension('http://ex.example/a').value",
  "name.given.where(extension('http://ex.example/a').exists())",
  "name.where(given.extension.exists()).given.id",
  "value.ofType(string).extension('http://ex.example/a').value",
  "name.family = gender",
  "gender = name.first().family",
  "gender != name.first().family",
  "name.select(family = %context.gender)",
  "active = communication.first().preferred",
  "iif(status = 'final', 1 'g', 1 'mg')",
  "value.ofType(Quantity).value.round()",
  "value.ofType(Quantity).value.round(1)",
  "ofType(Patient).id",
  "birthDate ~ @1988-01-31",
  "name.family.combine(@T10:00).last() is Time",
  "name.given.echo(7.2).toString() & name.given.echo(7.20).toString()",
  "given(7.2).toString() & given(7.20).toString()",
  "name.aggregate(iif($total.exists(), $total, $this), name.last()).family",
  "telecom.aggregate(iif(rank.sum().where($total.system.exists()).exists(), $total, $this)).system",
  "name.aggregate(iif(given.empty() or given.aggregate($this).where($total.use.exists()).exists(), $total, $this)).family",
  "name.select(given.reported()).select(reported()).exists()",
  "named(gender.reported())",
  "%encounters.where(reached().exists()).exists()",
  "%encounters.where(reached().exists()).first().id",
  "name.where(%encounters.select(reached().status)).family",
  "gender.exists() or %encounters.reached().exists()",
  "name.select(given.reported()).either()",
  "gender.exists() or longer().exists()",
  "name.given.echo(gender.reported()).exists() and (name.given and true)",
  "(name.given.reported() and true)",

  "iif(active, name.first(), telecom.first()).as(ContactPoint).system",
  "iif(active, name.tail(), telecom.tail()).first().ofType(HumanName)",
  "iif(active, telecom.tail(), name.tail()).first().ofType(HumanName)",
  "(gender | birthDate).select(code)",
  "iif(gender = 'male', 'q', %word.upper()) | name.given.without(%word)",
  "iif(gender = 'female', 'q', %word.upper()) | name.given.without(%word)",
  "effective.ofType(Period).start < issued",
  "iif(status = 'final', issued, effective.ofType(dateTime)) < effective.ofType(Period).start",
  "where(active).id",
  "name.where(use & '').period.start",
  "(gender & 'x') and true",
  "active & ''",
  "telecom.rank.first() & ''",
  "gender.length",
  "gender.select(code)",
  "visits.code",
  "code.id",
  "code.text",
  "communication.language.text",
  "name.iif($this.count() > 1, 'several', 'one')",
  "name.given.reported().iif(exists(), first(), 'none')",
  "name.where(use = 'off' + 'icial').given",
  "name.where(use = 'off' - 'icial').given",
  "name.where(use = 'off' + 1).given",
  "value.ofType(`Quantity`).unit",
  "iif(active, true, 'x')",
  "mixed()",
  "1 = 1",
  "name.use = 'official' or name.use = 'usual'",
  "birthDate = '1988-01-31' or birthDate = 'a'",
  "name.given.echo(false)",
  "name.given.echo(%flags)",
  "iif(true, name.tail(), name.skip(2))",
  "-telecom.rank.first()",
  "%absent.exists()",
  "encounter.met().select($this is Encounter)",
  "name.given.reported().failing()",
  "name.union(telecom).select($this is ContactPoint)",
  "name.aggregate(given.first()).select($this is string)",
  "telecom.rank.toString",
  "$this and true",
  // The first element decides, and the definition throws for the second.
  "name.select(given > 'A').exists()",
  "name.select(given.upper()).exists()",
  "name.select(given and true).exists()",
  "name.select(given.told()).exists()",
  "name.select(given.asked()).exists()",
  "name.given.told().first()",
  "name.ofType(Patient).family",
  "name.select($this is HumanName)",
  "%encounters.select($this is Encounter)",
  "%encounters.class.code",
  "%encounters.where(status = 'finished').id",
  "iif(%encounters.class.code = 'AMB', %encounters.status, 'several')",
  "around().status",
  "name.here()",
  "among()",
  "standing()",
  "name.standing().status",
  "name.where(standing().exists()).given",
  "isStanding()",
  "iif(isStanding() or name.exists(), standing().period.start, name.given)",
  // A name that may be that of a type.
  "name.HumanName.family",
  // The first of two elements decides whether a condition holds.
  "name.where(use.told().combine('')).family",
  // A text is not `true`, and neither is a value that is only a companion.
  "iif(gender, 'a', 'b')",
  "name.given.select(iif($this, 'a', 'b'))",
  "twice().birthDate.first().not()",
  // A date and a month are neither equal nor different.
  "birthDate = @1988-01",
  // It reads a record and reports something, and its input reports something.
  "name.select(given.reported()).select(reached().reported()).exists()",
  // The second name has no value for the operator.
  "name.where(given and true).period.start"
] as const

const observation = {
  resourceType: "Observation",
  id: "o1",
  status: "final",
  code: {
    coding: [
      { system: "http://ex.example/a", code: "a", display: "first" },
      { code: "b" },
      { system: "http://ex.example/b", code: "b", display: "third" }
    ],
    text: "a"
  },
  category: [{ coding: [{ code: "a" }, { code: "lab" }] }, { coding: [{ code: "b" }], text: "c" }],
  extension: [
    { url: "http://ex.example/b", valueString: "of b" },
    { url: "http://ex.example/a", valueString: "of a" },
    { url: "http://ex.example/a", valueQuantity: { value: 2 } }
  ],
  subject: { reference: "Patient/p1" },
  issued: "2026-03-02T08:05:00+07:00",
  valueQuantity: {
    value: 7.2,
    unit: "mmol/L",
    code: "mmol/L",
    extension: [{ url: "http://ex.example/b", valueCode: "of b" }, {
      url: "http://ex.example/a",
      valueString: "within"
    }]
  },
  component: [
    { code: { text: "b" }, valueQuantity: { value: 4, unit: "g" } },
    {
      code: { text: "a" },
      valueQuantity: { value: 6, unit: "mg", system: "http://unitsofmeasure.org", code: "mg" }
    },
    { code: { text: "a" }, valueString: "trace" }
  ]
}

const patient = {
  resourceType: "Patient",
  id: "p1",
  active: true,
  gender: "female",
  birthDate: "1988-01-31",
  name: [
    { use: "usual", given: ["Example"] },
    { use: "official", family: "Sample", given: ["Ann", "Bee", "Ann"] },
    { use: "official", family: "Second" }
  ],
  telecom: [{ system: "email", value: "ann@fhir2visit.example" }, { system: "phone", value: "000 000", rank: 1 }],
  identifier: [
    { system: "http://ex.example/b", value: "1" },
    { system: "http://ex.example/a", value: "2" },
    { system: "words", value: "3" }
  ]
}

/** Records that are written as the model says. */
const regular = [
  observation,
  patient,
  {
    ...observation,
    id: "o2",
    status: "amended",
    valueQuantity: undefined,
    valueString: "positive",
    code: { text: "b" }
  },
  { resourceType: "Observation", id: "o3", valueDateTime: "2026-03-02", effectivePeriod: { start: "2026-03-01" } },
  {
    resourceType: "Observation",
    id: "o4",
    status: "final",
    code: { coding: [{ code: "b" }, { code: "b" }], text: "b" }
  },
  {
    ...observation,
    id: "o6",
    effectivePeriod: { start: "2026-03-02" },
    encounter: { reference: "Encounter/e1" }
  },
  {
    ...observation,
    id: "o7",
    effectivePeriod: { start: "2026-03-02T08:05:00+07:00" },
    encounter: { reference: "Encounter/e2" }
  },
  {
    ...observation,
    id: "o8",
    issued: "soon",
    effectivePeriod: { start: "2026-03-03" },
    encounter: { reference: "Location/l1" }
  },
  { ...patient, id: "p2", active: false, gender: "male", deceasedBoolean: false, name: [{ family: "Sole" }] },
  { resourceType: "Patient", id: "p3", gender: "female" },
  {
    resourceType: "Patient",
    id: "p9",
    name: [{ given: ["Jay"], period: { start: "2020-01-01", end: "2021-01-01" } }, {
      period: { start: "soon", end: "2021-01-01" }
    }]
  },
  { resourceType: "Location", id: "l1", name: "Ward" },
  // An instant and a date of which each can be read as a time of the other's kind.
  { ...observation, id: "o9", issued: "2026-03-02", effectivePeriod: { start: "2026-03-03T08:00:00Z" } },
  { resourceType: "visits", id: "t1", code: "of a row" },
  { resourceType: "Patient", id: "p4", active: false, telecom: [{ system: "phone", rank: 2 }] }
]

/** Records with companions next to the values of primitives. */
const withCompanions = [
  {
    ...patient,
    id: "p5",
    _birthDate: { extension: [{ url: "http://ex.example/a", valueString: "of birth" }] },
    name: [
      {
        given: ["Ann", "Bee"],
        _given: [null, { id: "g", extension: [{ url: "http://ex.example/a", valueCode: "b" }] }]
      },
      { given: ["Cee", "Dee"], _given: [{ extension: [{ url: "http://ex.example/a", valueCode: "c" }] }] }
    ]
  },
  {
    resourceType: "Patient",
    id: "p6",
    gender: "female",
    _gender: { extension: [{ url: "http://ex.example/a", valueString: "of gender" }] },
    active: true,
    _active: { id: "a" },
    name: [{ family: "female" }],
    communication: [{ preferred: true }]
  },
  {
    resourceType: "Observation",
    id: "o5",
    valueString: "x",
    _valueString: { extension: [{ url: "http://ex.example/a", valueBoolean: false }] }
  }
]

/** The encounters of a visit; the last is written in another way. */
const encounters = [
  { resourceType: "Encounter", id: "e1", status: "finished", class: { code: "AMB" } },
  { resourceType: "Encounter", id: "e2", status: "planned", class: { code: "EMER" } },
  { resourceType: "Encounter", id: "e3", status: ["finished"], class: [{ code: "IMP" }] }
]

/** Records that are written in another way. */
const irregular = [
  { ...observation, id: "i1", status: ["final", "amended"] },
  {
    ...observation,
    id: "i2",
    _status: { extension: [{ url: "http://ex.example/a", valueString: "why" }] },
    status: undefined
  },
  { ...observation, id: "i3", valueString: "positive" },
  { ...observation, id: "i4", code: [{ text: "a" }] },
  { ...observation, id: "i5", category: [{ coding: { code: "a" } }] },
  { ...observation, id: "i6", status: null },
  { ...observation, id: "i10", issued: "2026-03-02", effectivePeriod: { start: "2026-03-02" } },
  {
    resourceType: "Observation",
    id: "i12",
    contained: [{ resourceType: "Patient", id: "c", gender: ["female"], name: { family: "Sample" } }]
  },
  { ...patient, id: "i13", name: [{ given: ["Ann"], _given: [null, { id: "g" }] }] },
  { ...patient, id: "i14", name: [{ given: ["Ann", 5] }, { given: ["Bee"], family: ["Sample"] }] },
  { ...patient, id: "i11", extension: [{ url: ["http://ex.example/a"], valueString: "x" }] },
  {
    ...patient,
    id: "i7",
    birthDate: undefined,
    _birthDate: { extension: [{ url: "http://ex.example/a", valueString: "x" }] }
  },
  { ...patient, id: "i15", extension: { url: "http://ex.example/a", valueString: "of one" } },
  { ...patient, id: "i16", name: [{ resourceType: "Patient", family: "Within" }] },
  { ...observation, id: "i17", code: { text: "a" }, _code: { id: "beside" } },
  { ...patient, id: "i18", communication: { language: "spoken", _language: { text: "beside" } } },
  { ...patient, id: "i19", active: "" },
  { ...patient, id: "i9", gender: 1 },
  { ...patient, id: "i8", name: [{ given: [null, "Bee"], _given: [{ id: "1" }, null] }], gender: 1 }
]

const withoutUndefined = (value: object): unknown => JSON.parse(JSON.stringify(value))
const records = [...regular, ...withCompanions, ...irregular].map((one, at) => recordWith(withoutUndefined(one), at))

/** Prepares the generated functions of an engine, or receives them. */
type Prepare = (units: Units) => void

/** Everything that an engine finds for expressions, one after the other on each record. */
function* foundBy(
  by: PathEngine,
  texts: Iterable<string>,
  prepare?: Prepare
): Generator<{ readonly text: string; readonly found: unknown }> {
  const { compile, elementOf, units } = engineWithCalls(by)
  if (units !== undefined) prepare?.(units)
  const roots = records.map(elementOf)
  const [first, second] = roots
  const patients = roots.filter((_, at) => regular[at]?.resourceType === "Patient")
  // The variables change their values, their types and their numbers.
  const constants = { words: ["official", "usual"], flags: [false, true] }
  const visits = encounters.map((one, at) => elementOf(recordWith(one, at)))
  let scene = 0
  const variables = (text: string, resource1: Elements, other: Elements): Variables => {
    scene++
    // One encounter, several, an irregular one, none.
    const encounters = [visits.slice(0, 1), visits.slice(0, 2), visits, []][scene % 4]
    return Object.assign(Object.create({ ...constants, text }), {
      resource1,
      other,
      encounters,
      word: "Ann",
      absent: null
    })
  }
  const oddPatient = [elementOf(recordWith({ ...patient, id: "v1", gender: ["female"] }))]
  const place = roots.filter((_, at) => regular[at]?.resourceType === "Location")
  const scenes = [
    variables("http://ex.example/a", [second], []),
    variables("http://ex.example/b", [second], [second]),
    variables("http://ex.example/a", [first], [first, second]),
    variables("http://ex.example/a", place, []),
    variables("http://ex.example/a", [], [second]),
    variables("http://ex.example/a", patients.slice(0, 2), []),
    variables("http://ex.example/a", oddPatient, []),
    { ...variables("http://ex.example/a", place, []), encounters: place }
  ]
  const within = roots.flatMap((root) =>
    compile("contained.combine(active).combine(name)").evaluate([root], {}, notingScope())
  )
  for (const text of texts) {
    const path = compile(text)
    const on = (focus: Elements, scene: Variables, scope = notingScope()): unknown => {
      try {
        return everythingFound(path, focus, scene, scope)
      } catch (cause) {
        return cause
      }
    }
    for (const root of [...roots, ...within]) yield { text, found: on([root], scenes[0] ?? {}) }
    for (const scene of scenes) for (const root of [first, second]) yield { text, found: on([root], scene) }
    yield { text, found: on(roots.filter((_, at) => [0, 2, 3, 4].includes(at)), scenes[0] ?? {}) }
    yield { text, found: on(roots.filter((_, at) => [1, 5, 6].includes(at)), scenes[0] ?? {}) }
    // A list of regular records, and one with another record.
    for (const focus of [patients, [...patients, ...oddPatient]]) yield { text, found: on(focus, scenes[0] ?? {}) }
    // A scope that cannot discard what code that fails has reported.
    const { begin: _, ...without } = notingScope()
    yield { text, found: on([second], scenes[0] ?? {}, without) }
    yield { text, found: on([rootNode({ resourceType: "Patient", name: "x" })], scenes[0] ?? {}) }
  }
}

/** What the definition finds for each expression. */
const known = new Map<string, ReadonlyArray<string>>()

/** Returns the first of some expressions for which an engine does not find what the definition finds. */
const firstWrongOf = (by: PathEngine, texts: ReadonlyArray<string>, prepare?: Prepare): string | undefined => {
  const unknown = texts.filter((text) => !known.has(text))
  for (const [text, found] of Map.groupBy(foundBy("definition", unknown), ({ text }) => text)) {
    known.set(text, found.map(({ found }) => JSON.stringify(found)))
  }
  let before = ""
  let at = 0
  for (const { found, text } of foundBy(by, texts, prepare)) {
    if (text !== before) at = 0
    before = text
    if (JSON.stringify(found) !== known.get(text)?.[at++]) return text
  }
  return undefined
}

/** Returns the first of the expressions for which an engine does not find what the definition finds. */
export const firstWrongExpression = (by: PathEngine, prepare?: Prepare): string | undefined =>
  firstWrongOf(by, expressions, prepare)

/** The functions that are generated for the expressions, each with its expression. */
const generatedFunctions = (): ReadonlyArray<readonly [text: string, code: string]> => {
  const functions: Array<readonly [text: string, code: string]> = []
  let evaluated = ""
  function* noting(): Generator<string> {
    for (const text of expressions) yield evaluated = text
  }
  const alter = (code: string): string => {
    functions.push([evaluated, code])
    return code
  }
  Array.from(foundBy({ after: 1, proves: false, alter }, noting()))
  return functions
}

let functions: ReturnType<typeof generatedFunctions> | undefined

/**
 * Like {@link firstWrongExpression}, for an engine that alters functions: only of the expressions with a function that it alters. The fault
 * is found soonest in them.
 */
export const firstWrongOfAltered = (by: PathEngine, alter: (code: string) => string): string | undefined => {
  functions ??= generatedFunctions()
  const altered = new Set(functions.flatMap(([text, code]) => (alter(code) === code ? [] : [text])))
  return firstWrongOf(by, [...altered])
}
