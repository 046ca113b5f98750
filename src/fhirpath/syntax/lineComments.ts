import type { TextSpan } from "./nodeSpans.ts"

/** Returns the comments of an expression that reach to the end of their line: `// …`. The syntax tree has none. */
export const lineComments = (text: string): ReadonlyArray<TextSpan> =>
  [...text.matchAll(/'(?:\\.|[^'\\])*'|`[^`]*`|\/\*[^]*?\*\/|\/\/[^\n]*/gsu)]
    .filter(([part]) => part.startsWith("//"))
    .map(({ 0: part, index: offset }) => ({ offset, length: part.trimEnd().length }))
