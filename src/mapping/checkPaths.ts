import type { Label } from "../diagnostic/Diagnostic.ts"
import type { Span } from "../diagnostic/Span.ts"
import { didYouMean, suggest } from "../diagnostic/suggest.ts"
import type { FhirPath, PathFunction } from "../fhirpath/FhirPath.ts"
import { isPathFault, parsePath } from "../fhirpath/FhirPath.ts"
import type { Found, FoundCall, Places } from "../fhirpath/Found.ts"
import { standardFunctions } from "../fhirpath/functionForms.ts"
import { inferPlaces } from "../fhirpath/inferPlaces.ts"
import type { Model } from "../fhirpath/Model.ts"
import type { ModelFault } from "../fhirpath/PlaceFaults.ts"
import { checkAbsent } from "./checkAbsent.ts"
import type { FunctionBodies } from "./checkBodies.ts"
import { checkCall } from "./checkCalls.ts"
import type { Outside } from "./checkOutside.ts"
import { checkOutside } from "./checkOutside.ts"
import { entriesOfSections } from "./functions/sections.ts"
import type { PathPlan } from "./MappingPlan.ts"
import type { SyntaxScalar } from "./MappingSyntax.ts"
import { spanWithin } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Names that expressions may use, known before any expression is compiled. */
export interface PathScope {
  readonly model: Model
  /** What a visit grows from, `%visit`: a resource type or a table. */
  readonly rootType: string
  /** What `%patient` is. */
  readonly patient: Found
  readonly functions: ReadonlyMap<string, PathFunction>
  /** The functions that the mapping defines. */
  readonly bodies: FunctionBodies
  readonly variables: ReadonlySet<string>
  /** The lists of the visit, whose rows a source can state. */
  readonly lists: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  /** Types of records that belong to a patient. */
  readonly patientTypes: ReadonlySet<string>
  readonly conceptMaps: ReadonlySet<string>
  readonly used: UsedNames
  /** Where no visit is known yet: what is found there depends on a record alone. */
  readonly outside?: Outside
}

/** Names that some line of the mapping uses. */
export interface UsedNames {
  readonly constants: Set<string>
  readonly functions: Set<string>
  readonly keys: Set<string>
  readonly conceptMaps: Set<string>
  /** Elements that are followed backwards; `*` when which they are is not written. */
  readonly backwards: Set<string>
  /** Functions that follow a text which is no Reference. */
  readonly followsTexts: Set<string>
  /** Types whose records expressions ask for by their name; `*` when which they are is not written. */
  readonly types: Set<string>
  /** Names in expressions, of whatever: a Reference is followed only where its element is among them; `*` when it may be any. */
  readonly words: Set<string>
}

/** Functions that go to elements which are not named. */
const wandering: ReadonlySet<string> = new Set(["children", "descendants", "repeat"])

/** What an expression stands on. */
export interface Standing {
  readonly focus: Found
  readonly parent: Found
}

/** Standing on what cannot be told. */
export const anything: Found = { places: null, several: false }

/** One element of a type. */
export const one = (...types: ReadonlyArray<string>): Found => ({ places: new Set(types), several: false })

/** A path that passed every check, and what it can find. */
export interface CheckedPath {
  readonly plan: PathPlan
  readonly found: Found
}

/** Checks an expression that stands on something. */
export type CompilePath = (scalar: SyntaxScalar, standing: Standing, use?: PathUse) => CheckedPath | undefined

/** A condition is true or false; anything else is looked at by whoever takes it. */
export type PathUse = "condition"

/**
 * Checks one expression: its syntax, and every function, variable, key and concept map it names. Gives the compiled path, or
 * `undefined` after reporting all that is wrong.
 */
export const checkPath = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  scope: PathScope,
  fhirPath: FhirPath,
  standing: Standing,
  use?: PathUse
): CheckedPath | undefined => {
  const text = String(scalar.value)
  const names = parsePath(text)
  if (isPathFault(names)) {
    const span = spanWithin(scalar, names.offset, names.length ?? 1)
    return reader.report("invalid-path", span, "this is not FHIRPath", names.message, [
      ...reservedColumns(text, standing).map((word) =>
        `\`${word}\` is a word of FHIRPath: where the column is meant, write it in back-ticks`
      ),
      names.help ?? "a text that is meant as it stands goes in FHIRPath quotes: \"'text'\", or under `value:`"
    ])
  }
  for (const [word] of text.replace(/'(?:[^'\\]|\\.)*'/gu, "").matchAll(/[A-Za-z_]\w*/gu)) scope.used.words.add(word)
  const before = reader.errors
  for (const call of names.functions) {
    checkCall(reader, scalar, call, scope)
    const [element] = call.args
    if (call.name === "inVisit" || call.name === "ofPatient") {
      scope.used.types.add(element?.kind === "text" ? element.name : "*")
    }
    if (wandering.has(call.name)) scope.used.words.add("*")
    if (call.name === "withAll") {
      for (const name of element?.kind === "text" ? element.name.split(/\s+/u) : ["*"]) scope.used.words.add(name)
    }
    if (call.name === "inSection") { for (const element of entriesOfSections) scope.used.backwards.add(element) }
    if (call.name === "reverseResolve") scope.used.backwards.add(element?.kind === "text" ? element.name : "*")
  }
  const defined = new Set(
    names.functions.flatMap(({ args: [first], name }) =>
      name === "defineVariable" && first?.kind === "text" ? [first.name] : []
    )
  )
  for (const { name, offset, length } of names.variables) {
    if (defined.has(name)) continue
    scope.used.constants.add(name)
    if (scope.variables.has(name) || name === "ucum") continue
    const near = suggest(name, scope.variables)
    reader.report(
      "unknown-constant",
      spanWithin(scalar, offset, length),
      `there is no constant \`%${name}\``,
      near === undefined ? undefined : `did you mean \`%${near}\`?`,
      near === undefined
        ? ["define it under  constant:  or use what there is;  fhir2visit mapping show  lists the constants"]
        : []
    )
  }
  if (scope.outside !== undefined) checkOutside(reader, scalar, names, defined, scope.functions, scope.outside)
  if (reader.errors > before) return undefined
  const root = one(scope.rootType)
  const surroundings = {
    model: scope.model,
    variables: new Map<string, Found>([
      ["visit", root],
      ["main", root],
      ["encounters", { ...root, several: true }],
      ["patient", scope.patient],
      ["parent", standing.parent]
    ])
  }
  /** Where the call of a body stands that is being followed. */
  let place: Span | undefined
  const functionResult = (call: FoundCall): Found => {
    if (call.name === "resolve" && place === undefined && refersToNothing(call.input, scope.model)) {
      const label = `stands on ${[...call.input.places!].slice(0, 3).join(" or ")}`
      reader.report("wrong-type", spanWithin(scalar, call.offset, call.length), "`resolve()` follows references", label)
    }
    const { places } = call.input
    if (naming.has(call.name) && place === undefined && namesNobody(call.input, scope.model)) {
      const label = `stands on ${[...places!].slice(0, 3).join(" or ")}`
      reader.report(
        "wrong-type",
        spanWithin(scalar, call.offset, call.length),
        `\`${call.name}()\` follows references`,
        label,
        places!.has("HumanName") ? ["a name as one text:  .humanName()"] : []
      )
    }
    const { elementOfPlace } = scope.model
    for (const name of call.name === "withAll" && place === undefined ? call.literal?.split(/\s+/u) ?? [] : []) {
      const all = withAll(places, call.literal, scope.model)
      if (all === null || [...all].some((one) => elementOfPlace(one, name) !== undefined)) continue
      const span = spanWithin(scalar, call.offset, call.length)
      reader.report("unknown-element", span, `${[...all].slice(0, 3).join(" or ")} has no element \`${name}\``)
    }
    if (
      following.has(call.name) && places?.has("Reference") === false && [...places].some((one) => textTypes.has(one))
    ) {
      scope.used.followsTexts.add(call.name)
    }
    const outermost = place === undefined
    place ??= spanWithin(scalar, call.offset, call.length)
    const found = scope.bodies.result(call, place, surroundings, functionResult)
    if (outermost) place = undefined
    return found ?? languageResult(call, scope.model)
  }
  const { compared, faults, known: _, misused, neverEqual, unknownCodes, untold: __, ...found } = inferPlaces(text, {
    ...surroundings,
    focus: standing.focus,
    functionResult
  })
  for (const { length, offset, operator } of compared) {
    const side = text.slice(offset, offset + length)
    const span = spanWithin(scalar, offset, length)
    reader.warn("several-compared", span, `\`${operator}\` compares one value and this may be several`, undefined, [
      operator === "="
        ? "of several values none is equal: the comparison is false, whatever they are"
        : `with several values \`${operator}\` does not say what it seems to say`,
      `ask whether one of them is:  ${side}.exists($this ${operator} …)   or take one:  ${side}.first() ${operator} …`
    ])
  }
  for (const { code, codes, length, offset } of unknownCodes) {
    const near = suggest(code, codes)
    reader.warn(
      "unknown-code",
      spanWithin(scalar, offset, length),
      `FHIR R4 has no code \`${code}\` here: this is never found in data that keeps to it`,
      didYouMean(near),
      [`codes: ${codes.join(", ")}`]
    )
  }
  for (const { length, offset, operator, other, places } of neverEqual) {
    const side = text.slice(offset, offset + length)
    const written = text.slice(other.offset, other.offset + other.length)
    if (/^\d/u.test(side) && !written.startsWith("'")) {
      const span = spanWithin(scalar, other.offset, other.length)
      const number = `${written}.toDecimal()`
      reader.report("wrong-type", span, "a text is not compared with a number", "finds a text", [
        `make a number of it:  ${
          other.offset < offset ? `${number} ${operator} ${side}` : `${side} ${operator} ${number}`
        }`
      ])
      continue
    }
    const label = `finds ${places.slice(0, 3).join(" or ")}`
    reader.report("wrong-type", spanWithin(scalar, offset, length), `no text is \`${operator}\` to this`, label, [
      adviceOf(side, places, scope.model)
    ])
  }
  for (const { kind, length, offset, places } of misused) {
    const [says, help] = kind === "index"
      ? ["what stands in `[ ]` is a number, counted from 0", "to find one by what it holds write  .where(condition)"]
      : kind === "text"
      ? ["a number and a text are not joined by themselves", "make a text of the number:  .toString() & ' ' & …"]
      : kind === "sum"
      ? ["a number and a text are not added", "join them as texts:  .toString() & ' ' & …"]
      : kind === "number"
      ? ["this is no number to calculate with", "a path is written with dots:  name.text"]
      : ["there is no such date", "a date is  @YYYY, @YYYY-MM or @YYYY-MM-DD:  @2026-02-28"] as const
    const label = places.length === 0 ? undefined : `finds ${places.slice(0, 3).join(" or ")}`
    reader.report("wrong-type", spanWithin(scalar, offset, length), says, label, [help])
  }
  for (const fault of faults) tellElement(reader, scalar, fault, scope)
  if (use === "condition" && found.places !== null && found.places.size > 0 && !mayBeTrue(found.places)) {
    const places = [...found.places]
    reader.report(
      "wrong-type",
      scalar.span,
      "a condition is true or false",
      `finds ${places.slice(0, 3).join(" or ")}`,
      [
        adviceOf(text, places, scope.model)
      ]
    )
  }
  if (use === "condition" && reader.errors === before && compared.length === 0) {
    checkAbsent(reader, scalar, standing.focus.places, scope.model)
  }
  return reader.errors > before ? undefined : { plan: { ...fhirPath.compile(text), span: scalar.span }, found }
}

/** Where a body calls for it: the line that stands on what has no such element. */
export interface CalledFrom {
  readonly label: Label
  readonly severity: "error" | "warning"
}

/** Tells of a name that the model does not have, and what it could have been. */
export const tellElement = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { candidates, first, instead, length, message, offset }: ModelFault,
  scope: PathScope,
  from?: CalledFrom
): void => {
  const text = String(scalar.value)
  const onPatient = [...scope.patient.places ?? []]
  const name = text.slice(offset, offset + length)
  const near = instead ?? suggest(name, candidates)
  const names = [...new Set(candidates)]
  const isFunction = near === undefined && (standardFunctions.has(name) || scope.functions.has(name))
  const standsOn = message.split(" has no ")[0]!
  const label = isFunction
    ? `a function has brackets: \`${name}()\``
    : first === true && name.toLowerCase() === standsOn.toLowerCase()
    ? `the path stands on ${standsOn} already: leave \`${name}\` out`
    : near === undefined
    ? undefined
    : didYouMean(near)
  const help = [
    ...(isFunction || instead !== undefined || names.length >= 60 ? [] : [`elements: ${names.join(", ")}`]),
    ...(instead === undefined ? [] : ["a choice element is written by its name and narrowed by its type"]),
    ...(first === true && onPatient.some((place) => scope.model.elementOfPlace(place, name) !== undefined)
      ? [`the patient's:  %patient.${name}`]
      : []),
    ...(first === true && name === scope.rootType ? [`the visit's ${name}:  %visit`] : []),
    ...(first === true && near === undefined && text.trim() === name
      ? [`a text that is meant as it stands:  {value: ${name}}`]
      : []),
    ...(name === "value" && text[offset - 1] === "." && /^[a-z]/u.test(message)
      ? ["leave  .value  out: the path finds the value already"]
      : [])
  ]
  if (message.startsWith("Reference has no")) help.push(`of the record that it names:  .resolve().${name}`)
  const span = spanWithin(scalar, offset, length)
  const labels = from === undefined ? [] : [from.label]
  if (from?.severity === "warning") reader.warn("unknown-element", span, message, label, help, labels)
  else reader.report("unknown-element", span, message, label, help, labels)
}

/** What has elements of its own and is neither a reference nor a record. */
const refersToNothing = ({ places }: Found, { isPrimitive, isResourceType, linkTarget }: Model): boolean =>
  places !== null && places.size > 0 &&
  [...places].every((place) =>
    !["Reference", "Element", "Resource", "DomainResource"].includes(place) && !isPrimitive(place) &&
    !isResourceType(place) && linkTarget(place) === undefined
  )

/** Functions that name whoever a reference leads to. */
const naming: ReadonlySet<string> = new Set(["who", "whoTitle", "whoPhone"])

/** What is neither a reference nor a record, and has no words of its own for what it refers to. */
const namesNobody = ({ places }: Found, model: Model): boolean =>
  places !== null && places.size > 0 &&
  [...places].every((place) =>
    (model.isPrimitive(place) && model.linkTarget(place) === undefined) ||
    (refersToNothing({ places: new Set([place]), several: false }, model) &&
      model.elementOfPlace(place, "display") === undefined)
  )

/** Words of FHIRPath that are no names by themselves. */
const reserved =
  /(?<![\w`'%.])(?:as|is|in|and|or|xor|implies|contains|div|mod|(?:year|month|week|day|hour|minute|second|millisecond)s?)(?![\w`'(])/gu

/** Reserved words that may be meant for columns: the whole path, or where a row of a table is stood on. */
const reservedColumns = (text: string, { focus }: Standing): ReadonlyArray<string> => {
  const onRow = focus.places === null || [...focus.places].some((place) => /^[a-z]/u.test(place))
  return onRow
    ? [...new Set(text.match(reserved) ?? [])].filter((word) =>
      /^(?:year|month|week|day|hour|minute|second)/u.test(word) || word === text
    )
    : []
}

const mayBeTrue = (places: ReadonlySet<string>): boolean =>
  ["boolean", "Element", "Resource", "DomainResource"].some((place) => places.has(place))

/** How to ask something of what a path finds. */
const adviceOf = (path: string, [place = ""]: ReadonlyArray<string>, { isPrimitive }: Model): string => {
  const dotted = /^[\w.()%']*$/u.test(path) ? path : `(${path})`
  if (place === "CodeableConcept" || place === "Coding") {
    return `ask for a code:  ${dotted}.hasCode('…')   or whether there is one:  ${dotted}.exists()`
  }
  if (place === "Quantity") {
    return `ask for its number:  ${dotted}.value > 1   or whether there is one:  ${dotted}.exists()`
  }
  if (place === "date" || place === "dateTime" || place === "instant") {
    return `a date is written with @ and without quotes:  ${dotted} > @2026-02-28`
  }
  if (place === "boolean") return `true and false have no quotes:  ${dotted} = true`
  if (place === "decimal" || place === "integer") return `numbers have no quotes:  ${dotted} = 1`
  return isPrimitive(place)
    ? `compare it:  ${dotted} = '…'   or ask whether there is one:  ${dotted}.exists()`
    : `ask for one of its elements, or whether there is one:  ${dotted}.exists()`
}

const texts: Places = new Set(["string"])
const textFunctions: ReadonlySet<string> = new Set(
  ("base64Text htmlText boundedFor dosageNote dosageWords howOften unsaid keyOf encounterCode getResourceKey getReferenceKey conceptText conceptWords conceptCode conceptDisplay identifierIn translated who whoTitle " +
    "whoPhone humanName toString substring upper lower join trim replace replaceMatches").split(" ")
)

/** Functions that go from a reference to the record it names. */
const following: ReadonlySet<string> = new Set(["resolve", "reverseResolve", "getReferenceKey", "keyOf"])
const textTypes: ReadonlySet<string> = new Set("string uri url canonical code id oid uuid markdown".split(" "))

/** Functions that give one value, however many they are given. */
const givesOne: ReadonlySet<string> = new Set(
  ["boundedFor", "dosageNote", "dosageWords", "encounterCode", "howOften", "join", "unsaid"]
)

const truths: ReadonlySet<string> = new Set(["hasCode", "mapped", "inSection", "isRow", "isInVisit"])

/** The types of what records name in some elements, at any depth, and their own. */
const withAll = (places: Places, names: string | undefined, { targetsOfElement }: Model): Places => {
  if (places === null || names === undefined) return null
  const found = new Set(places)
  for (const place of found) {
    for (const name of names.split(/\s+/u)) for (const target of targetsOfElement(place, name) ?? []) found.add(target)
  }
  return found
}

const languageResult = ({ input, literal, name }: FoundCall, model: Model): Found => {
  const { linkTarget } = model
  const { places, several, targets } = input
  if (truths.has(name)) return one("boolean")
  if (name === "schedule" || name === "rangesFor" || name === "current" || name === "leadingNowhere") {
    return { places, several }
  }
  if (name === "only") return { places, several: false }
  if (name === "withAll") return { places: withAll(places, literal, model), several: true }
  if (name === "record") {
    const isPart = places !== null && [...places].every((place) => /^[A-Z]\w*\./u.test(place))
    return { places: isPart ? new Set([...places].map((place) => place.split(".")[0]!)) : null, several }
  }
  if (name === "inVisit" || name === "ofPatient" || name === "reverseResolve") {
    return { places: literal === undefined ? null : new Set([literal.split(".")[0]!]), several: true }
  }
  if (name === "resolve") {
    if (places?.size === 1 && places.has("Reference") && targets !== undefined) return { places: targets, several }
    const rows = places === null ? [undefined] : [...places].map(linkTarget)
    return { places: rows.every((row) => row !== undefined) ? new Set(rows) : null, several }
  }
  return textFunctions.has(name) ? { places: texts, several: several && !givesOne.has(name) } : anything
}
