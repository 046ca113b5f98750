import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { anyText, type Kind, type Placed, placed, severalTexts } from "../../mapping/language/grammar/Kind.ts"
import type { Syntax, SyntaxScalar } from "../../mapping/language/MappingSyntax.ts"
import { wrongUrl } from "../../service/settings/OperatorConfig.ts"
import { isKeptZone } from "./keptZone.ts"

/** A setting and its source location. */
export type Setting<A> = Placed<A>

/** A text and its source location. `wrong` returns why the text is invalid. */
const checkedText = (
  shown: string,
  wrong: (
    value: string,
    what: string
  ) => { readonly title: string; readonly near?: string; readonly help?: string } | undefined
): Kind<Setting<string>> => ({
  shown,
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const value = reader.text(entry, what)
    if (value === undefined) return undefined
    const { span } = entry.value
    const fault = wrong(value, what)
    if (fault === undefined) return { value, span }
    const { help, near, title } = fault
    return reader.report("invalid-facility", span, title, {
      label: didYouMean(near),
      help: help === undefined ? [] : [help]
    })
  }
})

export const textSetting = placed(anyText)

/** A path, relative to the folder of `facility.yaml`. */
export const filePath = checkedText("a file", () => undefined)

/** A code that is sent in a header: visible ASCII, no spaces at its ends. */
export const issuedCode = checkedText(
  "a code",
  (value, what) => isCode(value) ? undefined : { title: `${what} must be a code of up to 64 letters, digits and signs` }
)

export const zoneName = checkedText("a name of the IANA time zone database", (value) => {
  if (isTimezone(value)) return undefined
  const near = suggest(value, Intl.supportedValuesOf("timeZone"))
  return {
    title: `there is no time zone \`${value}\``,
    ...(near === undefined ? {} : { near }),
    help: "a name of the IANA time zone database: Area/City"
  }
})

export const httpsAddress = checkedText("an https address", (value, what) => {
  const why = wrongUrl(value)
  return why === undefined ? undefined : { title: `${what} ${why}` }
})

/** A word that is part of a query: letters, digits, and the punctuation of names. */
export const queryWord: Kind<string> = {
  shown: "a word",
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const value = reader.text(entry, what)
    if (value === undefined || /^[A-Za-z][\w[\].-]{0,63}$/u.test(value)) return value
    return reader.report("invalid-facility", entry.value.span, `${what} must be a word`)
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `15m` in milliseconds; `undefined` if it is not a duration. */
const millisOf = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d{1,6}) ?(ms|[smhd])$/u.exec(text) ?? []
  const length = units[unit]
  return length === undefined ? undefined : Number(digits) * length
}

/** Milliseconds as they are written: `20h`. */
export const writtenMillis = (millis: number): string => {
  const [unit, length] = Object.entries(units).findLast(([, length]) => millis % length === 0) ?? ["ms", 1]
  return `${millis / length}${unit}`
}

/** A length of time between two limits, in milliseconds. `other` is help on other valid values. */
export const lengthOfTime = (min: string, max: string, ...other: ReadonlyArray<string>): Kind<number> => ({
  shown: `${min} to ${max}`,
  schema: { type: "string", pattern: "^\\d{1,6} ?(?:ms|[smhd])$" },
  read: (reader, entry, what) => {
    const value = reader.text(entry, what)
    if (value === undefined) return undefined
    const millis = millisOf(value)
    if (millis !== undefined && millis >= (millisOf(min) ?? 0) && millis <= (millisOf(max) ?? Infinity)) return millis
    return reader.report(
      "invalid-facility",
      entry.value.span,
      `${what} must be a length of time from ${min} to ${max}`,
      {
        help: ["a number and its unit, s, m, h or d:  90s, 15m, 1h, 7d", ...other]
      }
    )
  },
  write: writtenMillis
})

/** A setting, or a word that means `null`, such as `off`. YAML 1.1 reads `off` as `false`. */
const orWord = <A>(word: string, isWord: (value: SyntaxScalar["value"]) => boolean, kind: Kind<A>): Kind<A | null> => ({
  shown: `${kind.shown}, \`${word}\``,
  schema: { anyOf: [kind.schema, { const: word }, ...(word === "off" ? [{ const: false }] : [])] },
  read: (reader, entry, what) =>
    entry.value.kind === "scalar" && isWord(entry.value.value) ? null : kind.read(reader, entry, what),
  write: (value) => (value === null ? word : kind.write?.(value) ?? String(value))
})

export const orOff = <A>(kind: Kind<A>): Kind<A | null> =>
  orWord("off", (value) => value === false || value === "off", kind)

export const orNever = <A>(kind: Kind<A>): Kind<A | null> => orWord("never", (value) => value === "never", kind)

export const orNone = <A>(kind: Kind<A>): Kind<A | null> => orWord("none", (value) => value === "none", kind)

/** One of several words, including `off`, which YAML 1.1 reads as `false`. */
export const wordOrOff = <const Word extends string>(words: ReadonlyArray<Word | "off">): Kind<Word | "off"> => ({
  shown: words.map((word) => `\`${word}\``).join(", "),
  schema: { enum: [...words, false] },
  read: (reader, entry, what) =>
    entry.value.kind === "scalar" && entry.value.value === false ? "off" : reader.oneOf(entry, what, words)
})

/** `on` or `off`; YAML 1.1 also allows `true` and `false`. */
export const onOrOff: Kind<boolean> = {
  shown: "`on`, `off`",
  schema: { enum: ["on", "off", true, false] },
  read: (reader, entry, what) => {
    const { value } = entry
    if (value.kind === "scalar" && typeof value.value === "boolean") return value.value
    const word = reader.oneOf(entry, what, ["on", "off"])
    return word === undefined ? undefined : word === "on"
  },
  write: (value) => (value ? "on" : "off")
}

/** One of several words, including `null`, which YAML reads as no value. */
export const wordOrNull = <const Word extends string>(words: ReadonlyArray<Word>): Kind<Word> => ({
  shown: words.map((word) => `\`${word}\``).join(", "),
  schema: { enum: [...words, null] },
  read: (reader, entry, what) =>
    entry.value.kind === "scalar" && entry.value.value === null ? undefined : reader.oneOf(entry, what, words)
})

/** A percentage between two limits, as a fraction of 1. */
export const percentIn = (min: number, max: number): Kind<number> => ({
  shown: `${min}% to ${max}%`,
  schema: { type: "string", pattern: "^\\d{1,3} ?%$" },
  read: (reader, entry, what) => {
    const value = reader.text(entry, what)
    if (value === undefined) return undefined
    const percent = Number(/^(\d{1,3}) ?%$/u.exec(value)?.[1])
    if (percent >= min && percent <= max) return percent / 100
    return reader.report("invalid-facility", entry.value.span, `${what} must be from ${min}% to ${max}%`)
  },
  write: (value) => `${value * 100}%`
})

/** A number between limits. */
const numberIn = (type: "integer" | "number", min: number, max: number): Kind<Setting<number>> => {
  const range = max === Number.POSITIVE_INFINITY ? `, at least ${min}` : ` from ${min} to ${max}`
  return {
    shown: max === Number.POSITIVE_INFINITY ? `a number${range}` : `${min} to ${max}`,
    schema: { type, minimum: min, ...(max < Infinity ? { maximum: max } : {}) },
    read: (reader, { value }, what) => {
      const given = value.kind === "scalar" ? value.value : null
      if (typeof given === "number" && (type === "number" || Number.isInteger(given)) && given >= min && given <= max) {
        return { value: given, span: value.span }
      }
      return reader.report(
        "invalid-facility",
        value.span,
        `${what} must be a ${type === "integer" ? "whole " : ""}number${range}`
      )
    },
    write: ({ value }) => String(value)
  }
}

/** A whole number and its source location. */
export const countSetting = (min: number, max: number = Number.POSITIVE_INFINITY): Kind<Setting<number>> =>
  numberIn("integer", min, max)

const withoutSpan = (kind: Kind<Setting<number>>): Kind<number> => ({
  shown: kind.shown,
  schema: kind.schema,
  read: (reader, entry, what) => kind.read(reader, entry, what)?.value
})

export const count = (min: number, max: number = Number.POSITIVE_INFINITY): Kind<number> =>
  withoutSpan(countSetting(min, max))

export const amount = (min: number): Kind<number> => withoutSpan(numberIn("number", min, Number.POSITIVE_INFINITY))

/** Texts that match a pattern. */
export const textsLike = (
  shown: string,
  form: RegExp,
  wrong: (what: string) => string
): Kind<ReadonlyArray<string>> => ({
  shown,
  schema: severalTexts(shown).schema,
  read: (reader, { value }, what) =>
    reader.texts(value, what).flatMap((one) =>
      form.test(String(one.value))
        ? [String(one.value)]
        : reader.report("invalid-facility", one.span, wrong(what)) ?? []
    )
})

/** Texts and numbers, each with its source location. */
export const textsOrNumbers = (shown: string): Kind<ReadonlyArray<SyntaxScalar>> => ({
  shown,
  schema: { oneOf: [{ type: ["string", "number"] }, { type: "array", items: { type: ["string", "number"] } }] },
  read: (reader, { value }, what) => {
    const items: ReadonlyArray<Syntax> = value.kind === "list" ? value.items : [value]
    return items.flatMap((item) =>
      item.kind === "scalar" && (typeof item.value === "string" || typeof item.value === "number")
        ? [item]
        : reader.report("invalid-facility", item.span, `${what} must be a text, a number or a list of them`) ?? []
    )
  }
})

/** A code issued by the operator, as it may appear in a header (§4.1). */
export const isCode = (value: string): boolean => /^[\x21-\x7E](?:[\x20-\x7E]{0,62}[\x21-\x7E])?$/.test(value)

/** Returns true for a name of the IANA database; an offset such as `+07:00` is not one. */
const isTimezone = (name: string): boolean => /^[A-Za-z]/.test(name) && isKeptZone(name)

/** Values as the reference lists them. */
export const listedValues = (values: ReadonlyArray<string>): string =>
  values.length === 0 ? "none" : values.map((value) => `\`${value}\``).join(", ")
