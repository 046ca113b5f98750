import type { Span } from "../../../diagnostic/Span.ts"
import { slowPart } from "../../../pattern/slowPattern.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/** Checks a regular expression, given as the text between FHIRPath's quotes; `literal` is its location. */
export const checkPattern = (reader: SyntaxReader, text: string, literal: Span): void => {
  const [lost] = /(?<!\\)(?:\\\\)*\\[^\\'"`/fnrtu]/u.exec(text) ?? []
  if (lost !== undefined) {
    const sign = lost.slice(-2)
    reader.report("wrong-arguments", literal, `\`${sign}\` in a text of FHIRPath is \`${sign.slice(1)}\``, {
      help: [`a backslash of a pattern is written twice:  \\${sign}`]
    })
    return
  }
  const fault = faultOf(unescaped(text))
  if (fault !== undefined) {
    reader.report("wrong-arguments", literal, "this is not a regular expression", {
      label: fault,
      help: [
        "correct the pattern; write a sign that means itself, such as ( [ * +, in brackets:  [(]  [[]  [*]"
      ]
    })
    return
  }
  const pattern = unescaped(text)
  const slow = slowPart(pattern)
  if (slow !== undefined) {
    const part = pattern.slice(slow.from, slow.to)
    reader.report("slow-pattern", literal, "this pattern can match one text in too many ways", {
      label: part === pattern
        ? "it can take very long on a long text"
        : `\`${part}\` can take very long on a long text`,
      help: [
        "repeat once, and let alternatives begin differently:  (a+)+  and  (a|aa)+  are  a+",
        "or end each repetition with a sign that nothing else in it matches:  ([a-z]+,)+"
      ]
    })
  }
}

/** Returns why a pattern is not a valid regular expression. */
const faultOf = (pattern: string): string | undefined => {
  try {
    "".match(new RegExp(pattern, "u"))
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message.replace(/^.*\/u: /su, "").toLowerCase() : ""
  }
}

/** Resolves the escapes in the text between FHIRPath's quotes. */
const unescaped = (text: string): string =>
  text.replace(/\\(u[0-9a-fA-F]{4}|.)/gsu, (escape, sign: string) => ("\\'\"`/".includes(sign) ? sign : escape))
