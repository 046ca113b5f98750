import { loadLibrary } from "../library/loadLibrary.ts"
import { readExpression } from "./readExpression.ts"

/** A node of the tree into which `fhirpath` parses an expression. */
export interface SyntaxNode {
  readonly type: string
  readonly text?: string
  readonly delimitedText?: string
  /** The parts of a quantity. */
  readonly value?: string
  readonly unit?: string
  /** How an argument of `sort` is ordered. */
  readonly direction?: "asc" | "desc"
  /** A name at the start of a path, which can be the name of a type: 2 inside the arguments of a function, otherwise 1. */
  readonly atRoot?: 1 | 2
  readonly start?: { readonly line: number; readonly column: number }
  readonly length?: number
  readonly children?: ReadonlyArray<SyntaxNode>
}

const trees = new Map<string, SyntaxNode>()

/** Returns the tree of an expression, memoized because the checks and the compiler both need it. Throws the parser's errors. */
export const syntaxTree = (text: string): SyntaxNode => {
  const known = trees.get(text)
  if (known !== undefined) return known
  // The library types its tree as `any`. `SyntaxNode` declares what is read from it.
  const tree = readExpression(text) ?? loadLibrary().fhirpath.parse(text) as SyntaxNode
  trees.set(text, tree)
  return tree
}

/** Returns the offset of a line and column of the parser; both are counted from 1. */
export const offsetIn = (text: string, line: number, column: number): number => {
  let start = 0
  for (let n = 1; n < line; n++) start = text.indexOf("\n", start) + 1
  return start + column - 1
}

/** Returns the name of a variable, without quotes. */
export const variableName = ({ delimitedText, text }: SyntaxNode): string =>
  text ?? delimitedText?.replace(/^(['`])(.*)\1$/su, "$2") ?? ""
