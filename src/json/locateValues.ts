import { Tokens } from "./Tokens.ts"

/** The position of a part of a text, in offsets. */
interface TextRange {
  readonly start: number
  /** Offset after the last character. */
  readonly end: number
}

/** A value in a JSON text, and its position. */
export type LocatedValue =
  | TextRange & { readonly kind: "object"; readonly members: ReadonlyArray<LocatedMember> }
  | TextRange & { readonly kind: "array"; readonly items: ReadonlyArray<LocatedValue> }
  | TextRange & { readonly kind: "scalar"; readonly value: string | number | boolean | null }

/** A member of an object, in the order of the text. A repeated name occurs again. */
interface LocatedMember {
  readonly name: string
  /** The position of the name, with its quotes. */
  readonly key: TextRange
  readonly value: LocatedValue
}

/** Returns the positions of the values in a text that `JSON.parse` accepts; `undefined` if they are nested deeper than `maxDepth`. */
export const locateValues = (text: string, maxDepth: number): LocatedValue | undefined => {
  const tokens = new Tokens(text)
  const scalar = (): string | number | boolean | null =>
    // The token begins neither an object nor an array, so it is one of these.
    JSON.parse(text.slice(tokens.start, tokens.end)) as string | number | boolean | null
  /** Reads the value that begins with the current token. */
  const valueHere = (depth: number): LocatedValue | undefined => {
    if (depth > maxDepth) return undefined
    const { kind, start } = tokens
    if (kind === "{") {
      const members: Array<LocatedMember> = []
      while (tokens.next() !== "}") {
        if (tokens.kind === ",") tokens.next()
        const key = { start: tokens.start, end: tokens.end }
        const name = String(scalar())
        // The colon, and the value after it.
        tokens.next()
        tokens.next()
        const value = valueHere(depth + 1)
        if (value === undefined) return undefined
        members.push({ name, key, value })
      }
      return { kind: "object", start, end: tokens.end, members }
    }
    if (kind === "[") {
      const items: Array<LocatedValue> = []
      while (tokens.next() !== "]") {
        if (tokens.kind === ",") tokens.next()
        const value = valueHere(depth + 1)
        if (value === undefined) return undefined
        items.push(value)
      }
      return { kind: "array", start, end: tokens.end, items }
    }
    return { kind: "scalar", start, end: tokens.end, value: scalar() }
  }
  tokens.next()
  return valueHere(0)
}
