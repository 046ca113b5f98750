import type { ProblemCode } from "../../../diagnostic/Problem.ts"
import type { Span } from "../../../diagnostic/Span.ts"
import { defineOrTake, didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { PathArgument, PathCall, PathFunction } from "../../../fhirpath/FhirPath.ts"
import { forbiddenFunctions } from "../../../fhirpath/FhirPath.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import { standardFunctions } from "../../../fhirpath/syntax/functionForms.ts"
import { slots } from "../../functions/dosages.ts"
import type { LanguageFunction } from "../../functions/LanguageFunction.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import { spanWithin } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import { checkPattern } from "./checkPattern.ts"
import { reportSeparator } from "./checkSystems.ts"
import type { PathScope } from "./PathScope.ts"

/** Checks one call: the function exists, the number of arguments is valid, and the names among the arguments exist. */
export const checkCall = (reader: SyntaxReader, scalar: SyntaxScalar, call: PathCall, scope: PathScope): void => {
  const { args, length, name, offset } = call
  const span = spanWithin(scalar, offset, length)
  const own = scope.functions.get(name)
  if (own !== undefined) {
    scope.used.functions.add(name)
    if (!countFits(reader, span, name, args.length, formOf(name, own), own.names === "codes")) return
    if (own.body === undefined && args[0] !== undefined && !isUnquoted(reader, scalar, call, own, args[0])) {
      checkName(reader, scalar, call, own, args[0], scope)
    }
    return
  }
  const foreign = foreignFunctions.get(name)
  if (forbiddenFunctions.has(name)) {
    reader.report("unknown-function", span, `\`${name}()\` is not available in mappings`, {
      help: [
        ...foreign === undefined ? [] : [foreign],
        "the same input must give the same visit at any time, without a network"
      ]
    })
    return
  }
  const form = standardFunctions.get(name)
  if (form === undefined) {
    const near = suggest(name, [...scope.functions.keys(), ...standardFunctions.keys()])
    reader.report("unknown-function", span, `there is no function \`${name}()\``, {
      label: didYouMean(near),
      help: foreign !== undefined
        ? [foreign]
        : near === undefined
        ? [
          `FHIRPath has: ${[...standardFunctions.keys()].join(", ")}`,
          `mappings also have: ${
            [...scope.functions.keys()].filter((known) => !scope.bodies.defines(known)).join(", ")
          }`
        ]
        : []
    })
    return
  }
  if (!countFits(reader, span, name, args.length, form)) return
  if (form.takesPattern && args[0]?.kind === "text") {
    checkPattern(reader, args[0].name, spanWithin(scalar, args[0].offset, args[0].length))
  }
}

/** Functions of other languages, or of a terminology server, and their equivalents here. */
const foreignFunctions: ReadonlyMap<string, string> = new Map([
  ["concat", "texts are joined with `&`, a list of texts with  .join(' ')"],
  ["isNull", "write  .empty()"],
  ["isEmpty", "write  .empty()"],
  ["isNotNull", "write  .exists()"],
  ["len", "write  .length()  of a text,  .count()  of a list"],
  ["size", "write  .length()  of a text,  .count()  of a list"],
  ["toUpperCase", "write  .upper()"],
  ["uppercase", "write  .upper()"],
  ["lowercase", "write  .lower()"],
  ["substr", "write  .substring(start, length)  where 0 is the first letter"],
  ["slice", "write  .substring(start, length)  of a text,  .skip(n).take(n)  of a list"],
  ["firstOrDefault", "write  .first()"],
  ["ifNull", "write  coalesce(path, other)"],
  ["nvl", "write  coalesce(path, other)"],
  ["toLowerCase", "write  .lower()"],
  ["map", "write  .select(path)"],
  ["filter", "write  .where(condition)"],
  ["if", "write  iif(condition, then, otherwise)"],
  ["translate", "write  .translated('CONCEPT_MAP')"],
  ["memberOf", "write  .mapped('CONCEPT_MAP')  for the codes of a concept map"]
])

interface Form {
  readonly form: string
  readonly least: number
  readonly most: number
}

/** Formats the signature of a function. The language's functions take texts; those of a mapping take whatever their path can use. */
const formOf = (
  name: string,
  { body, least, parameters }: Pick<PathFunction, "body" | "least" | "parameters">
): Form => {
  const written = parameters.map((parameter, index) => {
    const text = body === undefined ? `'${parameter}'` : parameter
    return index < (least ?? parameters.length) ? text : `${text}?`
  })
  return { form: `${name}(${written.join(", ")})`, least: least ?? parameters.length, most: parameters.length }
}

const countFits = (
  reader: SyntaxReader,
  span: Span,
  name: string,
  given: number,
  { form, least, most: max }: Form,
  takesCodes = false
): boolean => {
  if (given >= least && given <= max) return true
  const takes = max === 0
    ? "no argument"
    : max === Infinity
    ? `${numbers[least] ?? least} or more arguments`
    : `${least === max ? numbers[max] : `${numbers[least]} or ${numbers[max]}`} argument${max === 1 ? "" : "s"}`
  reader.report(
    "wrong-arguments",
    span,
    `\`${name}()\` takes ${takes} and is given ${given === 0 ? "none" : (numbers[given] ?? given)}`,
    {
      label: `write  ${form}`,
      help: takesCodes ? [`several codes are one text, with spaces between:  ${name}('LAB laboratory')`] : []
    }
  )
  return false
}

const numbers = ["none", "one", "two", "three", "four", "five"]

/** The message for a type whose records do not belong to a patient. */
export const notOfPatient = (type: string): string => `records of \`${type}\` belong to visits, not to a patient`

export const patientAdvice = (types: ReadonlySet<string>, type: string): ReadonlyArray<string> => [
  `of a patient are: ${[...types].join(", ")}`,
  `add the path to the patient:  grouping: {patientScope: {${type}: subject}}`
]

const times: ReadonlySet<string> = new Set(slots)

/** Returns whether a code or reference element lacks text quotes. As a number or a path it would never be found. */
const isUnquoted = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { length, name, offset }: PathCall,
  { names }: LanguageFunction,
  argument: PathArgument
): boolean => {
  if (argument.kind === "text") return false
  const [, before = "", written = ""] =
    /^(\s*\(\s*)([\w.-]+)\s*[,)]/u.exec(String(scalar.value).slice(offset + length)) ?? []
  const isNumber = /^\d/u.test(written)
  if (!isNumber && (names !== "element" || !/^[A-Z]\w*(?:\.\w+)+$/u.test(written))) return false
  reader.report(
    "wrong-arguments",
    spanWithin(scalar, offset + length + before.length, written.length),
    `\`${name}()\` takes a text, and this is a ${isNumber ? "number" : "path"}`,
    { label: `write  '${written}'` }
  )
  return true
}

/** Checks an argument that is a name: a key, a concept map, a type, or a list of the visit. */
const checkName = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { name }: PathCall,
  { names }: LanguageFunction,
  argument: PathArgument,
  scope: PathScope
): void => {
  const text = argument.kind === "text" ? argument.name : undefined
  const span = spanWithin(scalar, argument.offset, argument.length)
  const among = (
    what: string,
    code: ProblemCode,
    known: ReadonlySet<string>,
    help: (near: string | undefined) => ReadonlyArray<string>
  ): void => {
    if (text !== undefined && !known.has(text)) {
      const near = suggest(text, known)
      reader.report(code, span, what, { label: didYouMean(near), help: help(near) })
    }
    // The name without its quotes, if a path is unlikely to be intended.
    if (argument.kind === "name" && known.has(argument.name)) {
      reader.report("wrong-arguments", span, `\`${name}()\` takes a name in quotes`, {
        label: `write  '${argument.name}'`
      })
    }
  }
  switch (names) {
    case "key":
      use(scope.used.keys, scope.keys, text)
      return among(
        `no key is called \`${text}\``,
        "unknown-key-name",
        scope.keys,
        (near) => defineOrTake(near, "key", scope.keys)
      )
    case "conceptMap":
      use(scope.used.conceptMaps, scope.conceptMaps, text)
      return among(
        `no concept map is called \`${text}\``,
        "unknown-concept-map",
        scope.conceptMaps,
        (near) => defineOrTake(near, "conceptMap", scope.conceptMaps)
      )
    case "typeOfPatient":
      if (text !== undefined && scope.model.isResourceType(text) && !scope.patientTypes.has(text)) {
        reader.report("wrong-arguments", span, notOfPatient(text), { help: patientAdvice(scope.patientTypes, text) })
        return
      }
      return among(
        scope.model.noSuchType(text ?? ""),
        "unknown-element",
        new Set(scope.model.resourceTypes()),
        () => []
      )
    case "type":
      return among(
        scope.model.noSuchType(text ?? ""),
        "unknown-element",
        new Set(scope.model.resourceTypes()),
        () => []
      )
    case "list":
      return among(`the visit has no list \`${text}\``, "unknown-field", scope.lists, () => oneOf(scope.lists))
    case "timeOfDay":
      return among(`\`${text}\` is not a supported time of day`, "wrong-arguments", times, () => oneOf(times))
    case "codes":
      if (text !== undefined) checkCodes(reader, name, text, span)
      return
    case "system":
      if (text === undefined || !scope.variables.has(text)) return
      reader.warn("wrong-arguments", span, `\`${text}\` is the name of a constant, and no code system`, {
        label: `write  %${text}`,
        help: ["a constant is written with % and without quotes"]
      })
      return
    case "element":
      if (text !== undefined) checkReference(reader, text, span, scope.model)
  }
}

/** Checks a text of codes with spaces between them. */
const checkCodes = (reader: SyntaxReader, name: string, text: string, span: Span): void => {
  const words = text.split(/[\s,]+/u).filter((word) => word !== "")
  // Numbers before a `|`, such as those of LOINC, are no code system: an OID has dots.
  const separated = words.flatMap((word) => /^\d[\d-]*(?:\|\d[\d-]*)+$/u.test(word) ? word.split("|") : [word])
  const form = `several codes are one text:  ${name}('${separated.join(" ")}')`
  if (words.length === 0) {
    reader.warn("wrong-arguments", span, "this is no code, and never found", { help: [form.replace("''", "'LAB'")] })
  } else if (text.includes(",")) {
    reader.warn("wrong-arguments", span, "codes have spaces between them, and no commas", { help: [form] })
  } else if (separated.length > words.length) {
    reader.warn("wrong-arguments", span, "codes have spaces between them; `|` is between a code system and its code", {
      help: [form]
    })
  } else for (const word of words) if (reportSeparator(reader, word, span)) return
}

/** Checks `Observation.partOf`: an element by which records of a type refer to others. */
const checkReference = (
  reader: SyntaxReader,
  text: string,
  span: Span,
  { elementNames, typesOfElement, isResourceType, linkTarget, noSuchType, resourceTypes }: Model
): void => {
  const [type = "", ...steps] = text.split(".")
  if (!isResourceType(type)) {
    reader.report("unknown-element", span, noSuchType(type), { label: didYouMean(suggest(type, resourceTypes())) })
    return
  }
  let typePaths: ReadonlyArray<string> = [type]
  for (const step of steps) {
    const next = typePaths.flatMap((typePath) => [...(typesOfElement(typePath, step) ?? [])])
    if (next.length === 0) {
      const near = didYouMean(suggest(step, typePaths.flatMap(elementNames)))
      reader.report("unknown-element", span, `${typePaths.join(" or ")} has no element \`${step}\``, { label: near })
      return
    }
    typePaths = next
  }
  const refers = (typePath: string): boolean =>
    typePath === "Reference" || typePath === "Element" || linkTarget(typePath) !== undefined
  if (steps.length > 0 && typePaths.some(refers)) return
  const references = elementNames(type).filter((name) => [...typesOfElement(type, name) ?? []].some(refers))
  reader.report(
    "wrong-arguments",
    span,
    steps.length === 0 ? "this does not state the element" : `\`${text}\` refers to no record`,
    {
      label: steps.length === 0 ? `write  ${type}.element` : `finds ${typePaths.slice(0, 3).join(" or ")}`,
      help: references.length === 0 ? [] : [`elements that refer: ${references.join(", ")}`]
    }
  )
}

const oneOf = (known: Iterable<string>): ReadonlyArray<string> => [`one of: ${[...known].join(", ")}`]

/** Records the use of a name. A computed name can be any, so all count as used. */
const use = (used: Set<string>, known: ReadonlySet<string>, name: string | undefined): void => {
  for (const one of name === undefined ? known : [name]) used.add(one)
}
