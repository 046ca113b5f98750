import { type ESTree, parseSync, Visitor } from "rolldown/utils"

/** What a reason can be written above: the nearest of these around an assertion, and none further out. */
const explained = [
  "VariableDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
  "ExportDefaultDeclaration",
  "ExpressionStatement",
  "ReturnStatement",
  "ThrowStatement",
  "IfStatement",
  "SwitchStatement",
  "SwitchCase",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "Property",
  "PropertyDefinition",
  "AccessorProperty",
  "MethodDefinition",
  "JSXAttribute"
] as const

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Returns the lines with an assertion that TypeScript does not check and no comment explains: a `!`, or a cast other than `as const`. The
 * reason is a `//` comment: at the end of the line, on the line above it, or above the nearest statement or member around it. A documentation
 * comment describes a declaration, so it gives no reason. An instruction to a tool gives none either.
 */
export const assertionsWithoutReason = (file: string, text: string): ReadonlyArray<string> => {
  const { comments, errors: [error], program } = parseSync(file, text)
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  const lines = text.split("\n")
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length - 1
  const textOf = (line: number): string => lines[line]?.trim() ?? ""

  const above = new Set<number>()
  const beside = new Set<number>()
  for (const { start, type, value } of comments) {
    if (type !== "Line" || /^\s*(?:@ts-|oxlint-|eslint-|dprint-)/u.test(value)) continue
    const line = lineAt(start)
    if (textOf(line).startsWith("//")) above.add(line)
    else beside.add(line)
  }

  const around: Array<Span> = []
  const found = new Set<number>()
  const judge = (assertion: Span): void => {
    const nearest = around.at(-1) ?? assertion
    const has = beside.has(lineAt(assertion.end)) ||
      [assertion, nearest].some(({ start }) => above.has(lineAt(start) - 1))
    if (!has) found.add(lineAt(assertion.start))
  }
  const judgeCast = (cast: ESTree.TSAsExpression | ESTree.TSTypeAssertion): void => {
    const { end, start } = cast.typeAnnotation
    if (text.slice(start, end) !== "const") judge(cast)
  }
  const judgeDefinite = (declared: ESTree.VariableDeclarator | ESTree.PropertyDefinition): void => {
    if (declared.definite === true) judge(declared)
  }
  const enter = (node: Span): number => around.push(node)
  const leave = (): Span | undefined => around.pop()
  new Visitor({
    ...Object.fromEntries(explained.flatMap((type) => [[type, enter], [`${type}:exit`, leave]])),
    PropertyDefinition: (member) => {
      enter(member)
      judgeDefinite(member)
    },
    VariableDeclarator: judgeDefinite,
    TSNonNullExpression: judge,
    TSAsExpression: judgeCast,
    TSTypeAssertion: judgeCast
  }).visit(program)
  return [...found].toSorted((one, other) => one - other).map((line) => `${file}:${line + 1}: ${textOf(line)}`)
}
