import type { TypePaths } from "../../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import { elementsBefore } from "../../../fhirpath/pathSteps.ts"
import { offsetIn, type SyntaxNode, syntaxTree } from "../../../fhirpath/syntax/SyntaxTree.ts"
import { nameNodesOf, wrappers } from "../../../fhirpath/syntax/treeParts.ts"
import { spanWithin, type SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/**
 * Warns about a negated comparison with an element that can be absent, such as `doNotPerform != true`. If the element is absent, the
 * comparison is empty, which is not `true`, so the row is excluded. Checks only the left side of each part of the condition, and only
 * optional elements. A condition that also calls `exists()` handles absence already.
 */
export const checkAbsent = (reader: SyntaxReader, scalar: SyntaxScalar, typePaths: TypePaths, model: Model): void => {
  const text = String(scalar.value)
  for (const part of parts(syntaxTree(text))) {
    const negated = negatedComparisonOf(part)
    if (negated === undefined || typePaths === null || !mayBeAbsent(negated.steps, typePaths, model)) continue
    const path = names(negated.steps)
    const stated = elementsBefore(text, "exists").map((elements) => `.${elements}`)
    const isStated = (_: SyntaxNode, at: number): boolean =>
      stated.some((elements) => elements.endsWith(`.${names(negated.steps.slice(0, at + 1))}`))
    if (negated.steps.some(isStated)) continue
    const start = negated.steps[0]?.start
    const offset = start === undefined ? 0 : offsetIn(text, start.line, start.column)
    reader.warn(
      "absent-compared",
      spanWithin(scalar, offset, path.length),
      `rows without \`${path}\` are excluded too: a comparison with a missing value is neither true nor false`,
      {
        help: [
          `to keep them:  ${path}.exists($this = ${negated.other}).not()`,
          `if they are meant to be excluded:  ${path}.exists() and ${path} ${negated.comparison}`
        ]
      }
    )
  }
}

const names = (steps: ReadonlyArray<SyntaxNode>): string => steps.map(({ text }) => text).join(".")

/** Returns the conditions that `and` joins. */
const parts = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const { children = [], type } = node
  return type === "AndExpression" || (wrappers.has(type) && children.length === 1) ? children.flatMap(parts) : [node]
}

/** A negated comparison of an element path with a literal. */
interface NegatedComparison {
  readonly steps: ReadonlyArray<SyntaxNode>
  /** The value of the rows that the condition is meant to exclude. */
  readonly other: string
  readonly comparison: string
}

const negatedComparisonOf = (node: SyntaxNode): NegatedComparison | undefined => {
  if (node.type !== "EqualityExpression") return undefined
  const [left, right] = node.children ?? []
  const steps = left === undefined ? undefined : nameNodesOf(left)
  const literal = right === undefined ? undefined : literalOf(right)
  if (steps?.every(({ text = "" }) => /^[a-z]\w*$/u.test(text)) !== true || literal === undefined) return undefined
  if (node.text === "!=") return { steps, other: literal, comparison: `!= ${literal}` }
  return node.text === "=" && literal === "false" ? { steps, other: "true", comparison: "= false" } : undefined
}

const literalOf = (node: SyntaxNode): string | undefined => {
  if (node.type === "TermExpression" || node.type === "LiteralTerm") {
    return node.children?.[0] === undefined ? undefined : literalOf(node.children[0])
  }
  return node.type === "StringLiteral" || node.type === "BooleanLiteral" || node.type === "NumberLiteral"
    ? node.text
    : undefined
}

const mayBeAbsent = (steps: ReadonlyArray<SyntaxNode>, on: ReadonlySet<string>, model: Model): boolean => {
  let typePaths: ReadonlyArray<string> = [...on]
  let absent = false
  for (const { text: name = "" } of steps) {
    const having = typePaths.filter((typePath) => model.typesOfElement(typePath, name) !== undefined)
    if (having.length === 0) return false
    absent ||= having.some((typePath) => !model.isMandatory(typePath, name))
    typePaths = having.flatMap((typePath) => [...model.typesOfElement(typePath, name) ?? []])
  }
  return absent
}
