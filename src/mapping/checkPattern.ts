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
  const slow = slowRepetition(text)
  if (slow !== undefined) {
    reader.warn(
      "slow-pattern",
      span,
      slow === "repetition"
        ? "this pattern repeats a repetition"
        : "this pattern repeats alternatives that begin alike",
      "it can take very long on a long text",
      [
        slow === "repetition"
          ? "write one repetition only:  (a+)+  is  a+"
          : "let each begin otherwise:  (a|aa)+  is  a+"
      ]
    )
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
  /** What each alternative begins with; `null` while the one at hand has not begun. */
  starts: Array<string | null>
}

const frame = (): Frame => ({ repeated: false, fixed: false, ambiguous: false, starts: [null] })

/** Two alternatives begin with the same sign, or one with any sign. */
const beginAlike = ({ starts }: Frame): boolean => {
  const known = starts.filter((start): start is string => start !== null && !start.startsWith("("))
  return starts.length > 1 && known.length > 0 && (new Set(known).size < known.length || known.includes("."))
}

const begin = (open: Frame, token: string): void => {
  if (open.starts.at(-1) === null) open.starts[open.starts.length - 1] = token
}

const endAlternative = (open: Frame): void => {
  if (open.repeated && !open.fixed) open.ambiguous = true
  open.repeated = false
  open.fixed = false
}

/** Whether a pattern repeats a group that is nothing but a repetition, as `(a+)+` does. */
export const repeatsRepetition = (literal: string): boolean => slowRepetition(literal) === "repetition"

/**
 * Whether a pattern repeats a group that is nothing but a repetition, as `(a+)+` does, or alternatives that begin alike, as `(a|aa)+`:
 * a text that does not match can then be cut in more ways than can be tried. `literal` is the text between FHIRPath's quotes.
 */
const slowRepetition = (literal: string): "repetition" | "alternatives" | undefined => {
  const pattern = unescaped(literal)
  const tokens =
    pattern.match(/\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|[*+?]|\{\d+(?:,\d*)?\}|[^]/gsu) ?? []
  const open: Array<Frame> = [frame()]
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    if (token.startsWith("(")) {
      begin(open.at(-1)!, token)
      open.push(frame())
      continue
    }
    const here = open.at(-1)!
    if (token === "|") {
      endAlternative(here)
      here.starts.push(null)
      continue
    }
    if (token !== ")") begin(here, token)
    let inner = false
    let alike = false
    if (token === ")" && open.length > 1) {
      endAlternative(here)
      inner = here.ambiguous
      alike = beginAlike(here)
      open.pop()
    }
    const around = open.at(-1)!
    const quantifier = /^(?:[*+?]|\{\d)/u.test(tokens[index + 1] ?? "") ? tokens[++index]! : ""
    // `+?` and `?+`: how eager a repetition is makes no difference here.
    if (quantifier !== "" && /^[?+]$/u.test(tokens[index + 1] ?? "")) index++
    const endless = quantifier === "*" || quantifier === "+" || /^\{\d+,\}$/u.test(quantifier)
    if (inner && endless) return "repetition"
    if (alike && endless) return "alternatives"
    if (endless || inner) around.repeated = true
    if (!endless && !inner && quantifier !== "?" && !quantifier.startsWith("{0")) around.fixed = true
  }
  return undefined
}
