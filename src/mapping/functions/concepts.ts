import type { Elements } from "../../fhirpath/FhirPath.ts"
import { valueOf } from "../../fhirpath/FhirPath.ts"
import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf, oneOrMore } from "../../json/JsonObject.ts"
import { codesWithSystem } from "../codes/codesWithSystem.ts"
import { firstCode } from "../codes/ConceptMap.ts"
import { absenceIn, statesAbsence } from "../codes/statesAbsence.ts"
import { textArgument } from "./arguments.ts"
import { current } from "./current.ts"
import { htmlText } from "./htmlText.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forEach, forSome } from "./ofElements.ts"
import { textOfEach, yesOrNo } from "./results.ts"

export const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/**
 * Returns the text of a CodeableConcept, Coding or string: its text, the display the user chose, or any display. A code that states why there
 * is no concept does not count. Nor does a text that only repeats such a code.
 */
const conceptWords = (value: unknown): string | undefined => {
  if (typeof value === "string") return nonEmpty(value)
  if (!isJsonObject(value)) return undefined
  const all = codingsOf(value)
  const absence = all.length === 0 ? undefined : absenceIn(all)
  const text = nonEmpty(value.text)
  if (text !== undefined && (absence === undefined || !repeats(text, absence))) return text
  const codings = conceptsIn(all, absence)
  const chosen = codings.find((coding): coding is JsonObject => isJsonObject(coding) && coding.userSelected === true)
  return nonEmpty(chosen?.display) ?? first(codings, "display") ??
    (statesAbsence(value) ? undefined : nonEmpty(value.display))
}

/** Returns the text of a CodeableConcept, Coding or string; if there is none, any code. */
export const conceptText = (value: unknown): string | undefined =>
  conceptWords(value) ?? (isJsonObject(value) ? anyCode(value) : undefined)

const anyCode = (value: JsonObject): string | undefined => {
  const codings = codingsOf(value)
  return first(conceptsIn(codings, absenceIn(codings)), "code") ??
    (statesAbsence(value) ? undefined : nonEmpty(value.code))
}

/** Returns the codings without those that state why there is no concept. */
const conceptsIn = (codings: ReadonlyArray<unknown>, absence: JsonObject | undefined): ReadonlyArray<unknown> =>
  absence === undefined ? codings : codings.filter((one) => !isJsonObject(one) || !statesAbsence(one))

/** Whether a text is the display or the code of a Coding, in other letters or with other signs between its words. */
const repeats = (text: string, { code, display }: JsonObject): boolean =>
  [code, display].some((one) => typeof one === "string" && plain(one) === plain(text))

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()

const codingsOf = ({ coding }: JsonObject): ReadonlyArray<unknown> => jsonListOf(coding)

const first = (codings: ReadonlyArray<unknown>, key: "display" | "code"): string | undefined => {
  for (const coding of codings) {
    const text = isJsonObject(coding) ? nonEmpty(coding[key]) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

/** Returns the text of the only argument; an empty text if there is none. */
const argument = (args: ReadonlyArray<Elements>): string => textArgument(args[0]) ?? ""

const textFunction = (
  parameters: ReadonlyArray<string>,
  of: (value: unknown, argument: string) => string | undefined
): LanguageFunction => ({
  parameters,
  gives: textOfEach,
  readsValues: true,
  effect: "none",
  ofInput: true,
  ...forEach((element, args) => of(valueOf(element), argument(args)))
})

/** The codes as passed to `hasCode`: `LAB http://loinc.org|11506-3`. `|S` is a code without a system. */
type FindsCode = (system: string | null, code: string) => true | undefined

const among = new Map<string, FindsCode>()

/** Returns a function that finds one of some codes, separated by spaces. */
const isAmong = (codes: string): FindsCode => {
  const all = new Set(codes.split(/\s+/u).filter((word) => word !== ""))
  const withSystem = codesWithSystem(all)
  return withSystem.size === 0
    ? (_, code) => all.has(code) || undefined
    : (system, code) => all.has(code) || withSystem.get(code)?.has(system ?? "") === true || undefined
}

/** Returns whether a concept has one of some codes, separated by spaces. */
export const hasCodeOf = (concept: unknown, codes: string): boolean => {
  let finds = among.get(codes)
  if (finds === undefined) among.set(codes, finds = isAmong(codes))
  return firstCode(concept, finds, undefined) === true
}

/** Returns a function that finds the codes of a system; a system that ends in `*` is a prefix. */
const isIn = (system: string) => {
  const prefix = system.endsWith("*") ? system.slice(0, -1) : undefined
  return (own: string | null): boolean =>
    own !== null && (prefix === undefined ? own === system : own.startsWith(prefix))
}

/** Returns the display of the first code of a system. */
const displayIn = (value: unknown, system: string): string | undefined => {
  const isOwn = isIn(system)
  return firstCode(value, (own, _, display) => (isOwn(own) ? { display } : undefined), undefined)?.display ?? undefined
}

const addOwn = (
  system: string | null,
  code: string,
  _: string | null,
  { found, isOwn }: { readonly isOwn: (system: string | null) => boolean; readonly found: Array<string> }
): undefined => {
  if (isOwn(system) && !found.includes(code)) found.push(code)
}

/** Returns the different codes of a system in a concept. */
const codesIn = (value: unknown, system: string): ReadonlyArray<string> => {
  const isOwn = isIn(system)
  const found: Array<string> = []
  firstCode(value, addOwn, { isOwn, found })
  return found
}

/** Returns the content of base64, if it is UTF-8 text. */
const base64Text = (value: unknown): string | undefined => {
  if (typeof value !== "string") return undefined
  try {
    const bytes = Uint8Array.from(atob(value), (sign) => sign.charCodeAt(0))
    return nonEmpty(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const identifiersOf = (value: unknown): ReadonlyArray<JsonObject> =>
  oneOrMore(jsonObjectOf(value).identifier).filter(isJsonObject)

/** Functions over coded elements and identifiers, safe for elements with several codings. */
export const conceptFunctions: Readonly<Record<string, LanguageFunction>> = {
  /** Returns the text of each concept of the input; if it has none, its code. */
  conceptText: textFunction([], conceptText),
  /** Returns the text of each concept of the input; a code does not count as text. */
  conceptWords: textFunction([], conceptWords),
  /** Returns the text in base64, as UTF-8; empty if it is not text. */
  base64Text: textFunction([], base64Text),
  /** Returns the text of HTML or XHTML. */
  htmlText: textFunction([], (value) => (typeof value === "string" ? nonEmpty(htmlText(value)) : undefined)),
  /** Returns the code of each concept in a code system; a system that ends in `*` is a prefix. If a concept has several, all of them. */
  conceptCode: {
    parameters: ["system"],
    names: "system",
    gives: textOfEach,
    readsValues: true,
    effect: "none",
    ofInput: true,
    call: (input, args) => {
      const system = argument(args)
      return input.length === 1
        ? codesIn(valueOf(input[0]), system)
        : input.flatMap((element) => codesIn(valueOf(element), system))
    }
  },
  /** Returns the display of each concept in a code system, with prefixes as in `conceptCode`; of several codes, that of the first. */
  conceptDisplay: { ...textFunction(["system"], displayIn), names: "system" },
  /** Returns true if a concept of the input has one of the codes, separated by spaces: `hasCode('LAB laboratory')`. */
  hasCode: {
    parameters: ["codes"],
    names: "codes",
    gives: yesOrNo,
    readsValues: true,
    effect: "none",
    ...forSome((element, args) => hasCodeOf(valueOf(element), argument(args)))
  },
  /**
   * Returns the value of the identifier in a system; of several, the preferred one of those in use, or all if none is preferred. An
   * identifier that is `old` is never used.
   */
  identifierIn: {
    parameters: ["system"],
    names: "system",
    gives: textOfEach,
    readsValues: true,
    effect: "none",
    call: (input, args) => {
      const system = argument(args)
      const found: Array<string> = []
      for (const element of input) {
        const identifiers = identifiersOf(valueOf(element)).filter((one) =>
          one.system === system && nonEmpty(one.value) !== undefined
        )
        for (const { value } of current(identifiers, (one) => one)) {
          if (typeof value === "string" && !found.includes(value)) found.push(value)
        }
      }
      return found
    }
  }
}
