import type { YAMLParseError } from "yaml"

/** Why a text is not YAML: the offsets, a description, and what to write. The description never repeats the text, which may be secret. */
interface YamlFault {
  readonly from: number
  readonly to: number
  readonly title: string
  readonly help: string
}

/** The error for a character at the start of a line that only looks like a space. */
export const pastedBlank = {
  title: "invalid blank: YAML indents with ordinary spaces",
  help: "replace the pasted blanks with ordinary spaces"
}

/** Errors that are correct at their own location, regardless of earlier errors. */
const independentErrors: ReadonlySet<string> = new Set(["BAD_SCALAR_START", "MULTIPLE_DOCS"])

/**
 * Returns the errors of a text that is not YAML, one per cause. After the first that breaks the structure, the rest is read as
 * something else, and the library's further messages are misleading.
 */
export const yamlFaults = (
  errors: ReadonlyArray<YAMLParseError>,
  text: string,
  openQuote: () => number | undefined
): ReadonlyArray<YamlFault> => {
  const blank = /^[ \t]*([\u00a0\u2000-\u200b\u202f\u3000\ufeff])/mu.exec(text.replace(/^\ufeff/u, " "))
  const tab = /^ *\t/mu.exec(text)
  const found: Array<YamlFault> = []
  let isBroken = false
  for (const error of errors) {
    if (!independentErrors.has(error.code)) {
      if (isBroken) continue
      isBroken = true
      if (blank !== null && error.code !== "TAB_AS_INDENT") {
        const from = blank.index + blank[0].length - 1
        found.push({
          from,
          to: from + 1,
          ...pastedBlank
        })
        continue
      }
      if (tab !== null && (error.code === "TAB_AS_INDENT" || error.code === "BAD_INDENT")) {
        const from = tab.index + tab[0].length - 1
        found.push({
          from,
          to: from + 1,
          title: "a line is indented with a tab",
          help: "YAML is indented with spaces: two of them for each step"
        })
        continue
      }
    }
    const open = isOpenQuote(error) ? openQuote() : undefined
    found.push(
      inWords(open === undefined ? error : { code: error.code, message: error.message, pos: [open, open + 1] }, text)
    )
  }
  return found
}

const twoNames = {
  title: "two names with a colon in one line",
  help: "put each field on its own line, and quote values that contain `: `"
}

type Fault = Pick<YAMLParseError, "code" | "message" | "pos">

const isOpenQuote = ({ code, message }: Fault): boolean => code === "MISSING_CHAR" && /quote/u.test(message)

const inWords = ({ code, message, pos: [from, to] }: Fault, text: string): YamlFault => {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1
  const lineEnd = text.indexOf("\n", from) < 0 ? text.length : text.indexOf("\n", from)
  const line = text.slice(lineStart, lineEnd)
  const next = nextLine(text, lineEnd)
  const at = { from, to }
  const sign = text[from] ?? ""
  switch (code) {
    case "MULTIPLE_DOCS":
      return {
        ...at,
        title: "a file must contain one mapping",
        help: "remove  ---  and the text that does not belong here"
      }
    case "BAD_SCALAR_START":
      return {
        ...at,
        title: `a text that begins with \`${sign}\` must be in quotes`,
        help: `write all of it in quotes, the \`${sign}\` with it`
      }
    case "MISSING_CHAR":
      if (sign === "\"" || sign === "'" || /quote/u.test(message)) {
        return { ...at, title: "a quote is never closed", help: "close it where the text ends" }
      }
      if (/implicit map keys/iu.test(message)) {
        return {
          ...at,
          title: "a name without a colon",
          help: `write  NAME: value${
            /\s#/u.test(line) ? "; ` #` begins a comment, so a name with it is in quotes" : ""
          }`
        }
      }
      break
    case "BLOCK_IN_FLOW":
      return { ...at, ...twoNames }
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY": {
      if (/^\s*\/\//u.test(line)) {
        return { ...at, title: "`//` begins no comment of YAML", help: "begin a comment with  #" }
      }
      const [missing] = /^\s*[\w"'-]+:(?=[^\s:/])/u.exec(line) ?? []
      if (missing !== undefined && code === "MULTILINE_IMPLICIT_KEY") {
        return {
          from: lineStart + missing.length - 1,
          to: lineStart + missing.length,
          title: "missing space after the colon",
          help: "add a space after it"
        }
      }
      if (/:\s/u.test(line.slice(from - lineStart))) {
        return { ...at, ...twoNames }
      }
      if (next !== undefined && next.indent > indentOf(line)) {
        return {
          from: next.from,
          to: next.to,
          title: "this line is indented deeper than the one above, which has a value already",
          help: "lines that belong together begin in the same column"
        }
      }
      break
    }
    case "UNEXPECTED_TOKEN": {
      const [, quote] = /(["'])\s*$/u.exec(text.slice(lineStart, from)) ?? []
      if (message.endsWith("at node end") && quote !== undefined) {
        return {
          ...at,
          title: `text follows the quote \`${quote}\`, which closes the text before it`,
          help: quote === "'"
            ? "if the quote belongs to the text, write it twice, or write the whole text in double quotes"
            : "if the quote belongs to the text, write  \\\"  or write the whole text in single quotes"
        }
      }
      if (/^Unexpected (?:,|empty item) in /u.test(message)) {
        return { ...at, title: "a comma without a value before it", help: "write the value, or remove the comma" }
      }
      break
    }
    case "BAD_INDENT":
      if (message.startsWith("Flow ")) {
        const closing = /end with a (\S)/u.exec(message)?.[1] ?? "}"
        const opened = text.slice(0, from).trimEnd().split("\n").at(-1) ?? ""
        const comment = /[^\s].*\s(#\S*)/u.exec(opened)?.[1]
        return {
          ...at,
          title: `\`${closing}\` is missing`,
          help: `close with  ${closing}  what is opened above${
            comment === undefined ? "" : `; a text with  ${comment}  in it is in quotes, for \` #\` begins a comment`
          }`
        }
      }
      return {
        from: lineStart + indentOf(line),
        to: lineEnd,
        title: "this line begins in another column than those it belongs to",
        help: "lines that belong together begin in the same column"
      }
  }
  const star = /(?:^|[{,])\s*\*(?=\s*:)/u.exec(line)
  if (star !== null) {
    const end = lineStart + star.index + star[0].length
    return { from: end - 1, to: end, title: "a name that begins with `*` must be in quotes", help: "write  \"*\": …" }
  }
  return { ...at, title: firstLine(message), help: "the file must be YAML; check the indentation and the quotes" }
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Returns the next line with content. */
const nextLine = (
  text: string,
  end: number
): { readonly from: number; readonly to: number; readonly indent: number } | undefined => {
  const found = /\n([ \t]*)([^\s#][^\n]*)/u.exec(text.slice(end))
  if (found === null) return undefined
  const [, { length: indent } = "", { length } = ""] = found
  const from = end + found.index + 1 + indent
  return { from, to: from + length, indent }
}

/** Returns a message of the library without the location at its end. */
export const firstLine = (message: string): string =>
  message.replace(/\n[^]*$/, "").replace(/ at line \d+, column \d+:?$/, "").replace(/\.$/, "")
