import type { Syntax, SyntaxScalar } from "./MappingSyntax.ts"

/** Texts of nodes. The nodes of a base stay the same for all its overlays. */
const texts = new WeakMap<Syntax, string>()

/** Maximum length of a text that is kept, because those of large code tables would be kept several times. */
const maxKept = 10_000

/** Returns the mapping's meaning as text: the same for any files and lines it is written in. */
export const canonical = (syntax: Syntax): string => {
  if (syntax.kind === "scalar") return JSON.stringify(syntax.written ?? syntax.value)
  const known = texts.get(syntax)
  if (known !== undefined) return known
  const text = textOf(syntax)
  if (text.length <= maxKept) texts.set(syntax, text)
  return text
}

const textOf = (syntax: Exclude<Syntax, SyntaxScalar>): string =>
  syntax.kind === "list"
    ? `[${syntax.items.map(canonical).join(",")}]`
    : `{${[...syntax.entries].map(([key, { value }]) => `${JSON.stringify(key)}:${canonical(value)}`).join(",")}}`
