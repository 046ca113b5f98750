import type { PathFault } from "../FhirPath.ts"
import { offsetIn } from "./SyntaxTree.ts"

/** Returns the expression with a blank for each character of a quoted text or name and of a comment. Only syntax is left. */
export const withoutTexts = (text: string): string =>
  text.replace(
    /'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/\*[^]*?\*\/|\/\/[^\n]*/gsu,
    (part) => part.replace(/[^\n]/gu, " ")
  )

/** Common mistakes of people who know other languages. The caret is at `sign`, or at the start of the match. */
const habits: ReadonlyArray<readonly [pattern: RegExp, says: string, help?: string]> = [
  [/(?<sign>[‘’‚‛“”„])/u, "a quote of a word processor", "quotes of FHIRPath are straight: 'text'"],
  [
    /(?<sign>[\u00a0\u2000-\u200f\u202f\u2060\u3000\ufeff])/u,
    "an invisible character, or a blank that no keyboard has",
    "type this part again by hand: it was pasted"
  ],
  [/(?<sign>")/u, "FHIRPath has no double quotes", "put texts in single quotes: 'text'"],
  [/(?<sign>===?)/u, "FHIRPath compares with one `=`", "write  a = b"],
  [/(?<sign>!==)/u, "FHIRPath has no `!==`", "write  a != b"],
  [/(?<sign><>)/u, "FHIRPath has no `<>`", "write  a != b"],
  [/(?<sign>&&)/u, "FHIRPath has no `&&`", "write  a and b"],
  [/(?<sign>\|\|)/u, "FHIRPath has no `||`", "for conditions write  a or b;  for lists  a | b"],
  [/(?<sign>=~)/u, "FHIRPath has no `=~`", "write  a.matches('pattern')"],
  [
    /(?<=[\w)\]'` ]\s*)(?<sign>\b(?:AND|OR|XOR)\b)/u,
    "operators are written in small letters",
    "write  a and b,  a or b"
  ],
  [
    /(?<![.\w])(?<sign>(?:not|NOT)\b)(?!\s*\()/u,
    "`not` is a function, and follows the condition",
    "write  (a = b).not()"
  ],
  [/(?<sign>!)(?!=|~)/u, "FHIRPath has no `!`", "write  (a = b).not()"],
  [/(?<sign>\?)/u, "FHIRPath has no `? :`", "write  iif(condition, then, otherwise)"],
  [/(?<=\.)(?<sign>\.)/u, "there are two dots, and no name between them"],
  [/\bin\s*(?<sign>\()[^()]*,/u, "a list of FHIRPath is joined with `|`", "write  a in ('x' | 'y')"],
  [/(?<sign>\b(?:like|LIKE)\b)/u, "FHIRPath has no `like`", "write  a.contains('text')  or  a.startsWith('text')"],
  [/(?<sign>\bif\b)(?=\s*\()/u, "FHIRPath has no `if`", "write  iif(condition, then, otherwise)"],
  [/(?<sign>\b(?:https?|urn):)/u, "a URL is a text", "put texts in single quotes: 'http://…'"],
  [/(?<sign>;)/u, "a path is one expression"]
]

/** Returns the parser's error in plain words; or the common mistake that causes it, if there is one. */
export const parserFault = (text: string, cause: unknown): PathFault => {
  const syntax = withoutTexts(text)
  for (const [pattern, message, help] of habits) {
    const sign = pattern.exec(syntax)
    const [found, written] = [sign?.index, sign?.groups?.["sign"]]
    if (sign === null || found === undefined || written === undefined) continue
    const offset = found + sign[0].indexOf(written)
    return { message, offset, length: written.length, ...(help === undefined ? {} : { help }) }
  }
  const comma = commaBetweenPaths(syntax)
  if (comma !== undefined) {
    return {
      message: "a path has no comma",
      offset: comma,
      help: "several paths are a list: [first path, second path]"
    }
  }
  const quote = /['`]/u.exec(syntax)
  if (quote !== null) return { message: `this ${quote[0]} is never closed`, offset: quote.index }
  const bracket = wrongBracket(text, syntax)
  if (bracket !== undefined) return bracket
  const [, line, column, message] =
    /line: (\d+); column: (\d+); message: ([^\n]*)/u.exec(cause instanceof Error ? cause.message : "") ?? []
  if (message === undefined) return { message: "this cannot be read", offset: 0 }
  // The parser counts columns from 0 in its messages, and from 1 in its tree.
  const offset = offsetIn(text, Number(line), Number(column) + 1)
  const help = readSoFar(text, offset)
  return {
    message: inWords(message),
    offset,
    length: /^\w+/u.exec(text.slice(offset))?.[0].length ?? 1,
    ...(help === undefined ? {} : { help })
  }
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }

/** Finds a bracket that is never closed, that closes nothing, or that closes one of another kind. */
const wrongBracket = (text: string, syntax: string): PathFault | undefined => {
  /** The open brackets: the function that each belongs to, and the bracket that closes it. */
  const open: Array<{ readonly opened: string; readonly expected: string }> = []
  for (const { 0: sign, index: offset } of syntax.matchAll(/[()[\]{}]/gu)) {
    const expected = closing[sign]
    if (expected !== undefined) {
      open.push({ opened: `${/\w*$/u.exec(syntax.slice(0, offset))?.[0] ?? ""}${sign}`, expected })
      continue
    }
    const last = open.pop()
    if (last === undefined) return { message: `this \`${sign}\` closes nothing`, offset, help: "remove it" }
    if (last.expected !== sign) {
      return { message: `\`${last.expected}\` is missing before \`${sign}\``, offset, help: closeIt(last) }
    }
  }
  const last = open.at(-1)
  if (last === undefined) return undefined
  return { message: `\`${last.expected}\` is missing at the end`, offset: text.trimEnd().length, help: closeIt(last) }
}

const closeIt = ({ expected, opened }: { readonly opened: string; readonly expected: string }): string =>
  `close what \`${opened}\` opens with  ${expected}`

/** Describes the readable start of an expression; `undefined` if there are only words, because they can be meant as a text. */
const readSoFar = (text: string, offset: number): string | undefined => {
  const before = text.slice(0, offset).trim()
  if (before === "" || !/[^\p{L}\p{N}\s,-]/u.test(text)) return undefined
  const short = before.length > 40 ? `…${before.slice(-40)}` : before
  return offset >= text.trimEnd().length
    ? `after  ${short}  an element or a value follows`
    : `it can be read up to  ${short}`
}

/** Returns the offset of a comma that is not between the arguments of a function. */
const commaBetweenPaths = (syntax: string): number | undefined => {
  let open = 0
  for (const { 0: sign, index: offset } of syntax.matchAll(/[()[\]{},]/gu)) {
    if ("([{".includes(sign)) open++
    if (")]}".includes(sign)) open--
    if (sign === "," && open <= 0) return offset
  }
  return undefined
}

/** Returns a message of the parser without the list of all expected tokens. */
const inWords = (message: string): string => {
  const [, missing, before] = /^missing (\S+) at '(.*)'$/u.exec(message) ?? []
  if (missing !== undefined) {
    const closing = missing.replace(/^'(.*)'$/u, "`$1`")
    return before === "<EOF>" ? `${closing} is missing at the end` : `${closing} is missing before \`${before}\``
  }
  const [, sign] = /input '(.*?)'(?: expecting .*)?$/u.exec(message) ?? /error at: '(.*)'$/u.exec(message) ?? []
  if (sign === "<EOF>") return "something is missing at the end"
  return sign === undefined ? "unexpected end of the expression" : `\`${sign}\` is not expected here`
}
