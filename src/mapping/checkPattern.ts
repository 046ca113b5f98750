import type { Span } from "../diagnostic/Span.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Checks a regular expression, given as the text between FHIRPath's quotes; `span` is the function's place, `literal` the text's. */
export const checkPattern = (reader: SyntaxReader, text: string, span: Span, literal: Span): void => {
  const [lost] = /(?<!\\)(?:\\\\)*\\[^\\'"`/fnrtu]/u.exec(text) ?? []
  if (lost !== undefined) {
    const sign = lost.slice(-2)
    reader.report("wrong-arguments", literal, `\`${sign}\` in a text of FHIRPath is \`${sign.slice(1)}\``, undefined, [
      `a backslash of a pattern is written twice:  \\${sign}`
    ])
    return
  }
  const fault = faultOf(unescaped(text))
  if (fault !== undefined) {
    reader.report("wrong-arguments", literal, "this is not a regular expression", fault)
    return
  }
  if (repeatsRepetition(text)) {
    reader.warn("slow-pattern", span, "this pattern repeats a repetition", "it can take very long on a long text", [
      "write one repetition only:  (a+)+  is  a+"
    ])
  }
}

/** What keeps a pattern from being a regular expression. */
const faultOf = (pattern: string): string | undefined => {
  try {
    "".match(new RegExp(pattern, "u"))
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message.split("/u: ").at(-1)!.toLowerCase() : ""
  }
}

/** The text that is between FHIRPath's quotes. */
const unescaped = (text: string): string =>
  text.replace(/\\(u[0-9a-fA-F]{4}|.)/gsu, (escape, sign: string) => ("\\'\"`/".includes(sign) ? sign : escape))

interface Frame {
  /** Of the alternative at hand: something in it repeats without an end. */
  repeated: boolean
  /** Of the alternative at hand: something in it must be there once. */
  fixed: boolean
  /** An alternative that is over could match its own repetition in more than one way. */
  ambiguous: boolean
}

const frame = (): Frame => ({ repeated: false, fixed: false, ambiguous: false })

const endAlternative = (open: Frame): void => {
  if (open.repeated && !open.fixed) open.ambiguous = true
  open.repeated = false
  open.fixed = false
}

/**
 * Whether a pattern repeats a group that is nothing but a repetition, as `(a+)+` does: a text that does not match can then be cut
 * into repetitions in more ways than can be tried. `literal` is the text between FHIRPath's quotes.
 */
export const repeatsRepetition = (literal: string): boolean => {
  const pattern = unescaped(literal)
  const tokens =
    pattern.match(/\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|[*+?]|\{\d+(?:,\d*)?\}|[^]/gsu) ?? []
  const open: Array<Frame> = [frame()]
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    if (token.startsWith("(")) {
      open.push(frame())
      continue
    }
    const here = open.at(-1)!
    if (token === "|") {
      endAlternative(here)
      continue
    }
    let inner = false
    if (token === ")" && open.length > 1) {
      endAlternative(here)
      inner = here.ambiguous
      open.pop()
    }
    const around = open.at(-1)!
    const quantifier = /^(?:[*+?]|\{\d)/u.test(tokens[index + 1] ?? "") ? tokens[++index]! : ""
    // `+?` and `?+`: how eager a repetition is makes no difference here.
    if (quantifier !== "" && /^[?+]$/u.test(tokens[index + 1] ?? "")) index++
    const endless = quantifier === "*" || quantifier === "+" || /^\{\d+,\}$/u.test(quantifier)
    if (inner && endless) return true
    if (endless || inner) around.repeated = true
    if (!endless && !inner && quantifier !== "?" && !quantifier.startsWith("{0")) around.fixed = true
  }
  return false
}
