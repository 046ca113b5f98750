import { at } from "../../at.ts"

/** The character names of XHTML and HTML that clinical texts use. */
const characters: ReadonlyMap<string, string> = (() => {
  const words =
    ("quot \" amp & apos ' lt < gt > nbsp \u00a0 iexcl ¡ cent ¢ pound £ yen ¥ sect § copy © ordf ª laquo « not ¬ reg ® deg ° plusmn ± sup1 ¹ " +
      "sup2 ² sup3 ³ acute ´ micro µ para ¶ middot · ordm º raquo » frac14 ¼ frac12 ½ frac34 ¾ iquest ¿ times × divide ÷ szlig ß " +
      "Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä Aring Å AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Iacute Í Icirc Î Ntilde Ñ " +
      "Oacute Ó Ocirc Ô Otilde Õ Ouml Ö Oslash Ø Uacute Ú Uuml Ü agrave à aacute á acirc â atilde ã auml ä aring å aelig æ ccedil ç " +
      "egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï ntilde ñ ograve ò oacute ó ocirc ô otilde õ ouml ö oslash ø " +
      "ugrave ù uacute ú ucirc û uuml ü yacute ý alpha α beta β gamma γ delta δ Delta Δ kappa κ lambda λ mu μ omega ω Omega Ω " +
      "ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ bull • hellip … permil ‰ prime ′ Prime ″ euro € trade ™ " +
      "larr ← uarr ↑ rarr → darr ↓ minus − infin ∞ asymp ≈ ne ≠ le ≤ ge ≥").split(" ")
  const found = new Map<string, string>()
  for (let index = 0; index < words.length; index += 2) found.set(at(words, index), at(words, index + 1))
  return found
})()

/** Returns the character of a number; `undefined` if it is not a character, such as a surrogate half. */
const numbered = (code: number): string | undefined =>
  code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined

const character = (reference: string): string | undefined => {
  if (!reference.startsWith("#")) return characters.get(reference)
  const digits = reference.slice(1)
  return numbered(/^x/iu.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 10))
}

/** Returns the text for a tag. Deleted text must not read as valid. A raised number is a power; other raised or lowered text is part of its word. */
const signOf = (tag: string, next: string): string =>
  /^<(?:del|s|strike)[\s/>]/iu.test(tag)
    ? " (deleted: "
    : /^<\/(?:del|s|strike)[\s>]/iu.test(tag)
    ? ") "
    : /^<sup[\s>]/iu.test(tag) && /[-+\d]/u.test(next)
    ? "^"
    : /^<\/?su[bp][\s>]/iu.test(tag)
    ? ""
    : " "

/** Replaces each tag and comment by a space or a sign. A `<` that begins none, or that never ends, is text. Readers of a page do not see its head. */
const withoutTags = (html: string): string => {
  const unclosed = new Set<string>()
  let text = ""
  let from = 0
  for (let start = html.indexOf("<"); start >= 0; start = html.indexOf("<", from)) {
    const isComment = html.startsWith("<!--", start)
    const end = isComment ? html.indexOf("-->", start) : html.indexOf(">", start)
    if (end < 0) break
    text += html.slice(from, start)
    from = end + (isComment ? 3 : 1)
    const tag = html.slice(start, from)
    if (!/^<[a-z/!?]/iu.test(tag)) {
      text += "<"
      from = start + 1
      continue
    }
    text += isComment ? " " : signOf(tag, html.charAt(from))
    const name = /^<(head|style|script)[\s>]/iu.exec(tag)?.[1]?.toLowerCase()
    if (name === undefined || unclosed.has(name)) continue
    const closing = new RegExp(`</${name}`, "giu")
    closing.lastIndex = from
    const found = closing.exec(html)
    if (found === null) unclosed.add(name)
    else from = found.index
  }
  return text + html.slice(from)
}

/**
 * Returns the text of HTML or XHTML. Tags are removed, character references are decoded (`&#176;` is a degree sign), and whitespace
 * becomes one space. A reference without a known character is unchanged. Deleted text is marked: `(deleted: aspirin)`.
 */
export const htmlText = (html: string): string =>
  withoutTags(html)
    .replace(/[ \t\r\n]+/gu, " ")
    .trim()
    .replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,7});/giu, (written, reference: string) =>
      character(reference) ?? written)
