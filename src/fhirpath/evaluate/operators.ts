import type { Elements } from "../FhirPath.ts"
import { ask, isNode } from "./Node.ts"
import { compareWhenTimed, distinctWhenPlain, equalWhenPlain, logical, no, none, truth, yes } from "./values.ts"

/**
 * An operator on evaluated operands. It decides the plain cases itself and leaves the others to the library, which can throw.
 */
interface PathOperator {
  readonly apply: (one: Elements, other: Elements) => Elements
  /** Returns whether the library throws for the first operand, before it evaluates the second. */
  readonly refuses?: (one: Elements) => boolean
}

const requested = (symbol: string): PathOperator["apply"] => {
  const text = `%a ${symbol} %b`
  return (a, b) => ask(text, { a, b })
}

const equality = (symbol: string, same: Elements, different: Elements): PathOperator => {
  const slowly = requested(symbol)
  return {
    apply: (one, other) => {
      if (one.length === 0 || other.length === 0) return none
      const equal = one.length === 1 && other.length === 1 ? equalWhenPlain(one[0], other[0]) : undefined
      return equal === undefined ? slowly(one, other) : equal ? same : different
    }
  }
}

const inequality = (symbol: string, holds: (order: number) => boolean): PathOperator => {
  const slowly = requested(symbol)
  return {
    apply: (one, other) => {
      if (one.length === 0 || other.length === 0) return none
      const order = one.length === 1 && other.length === 1 ? compareWhenTimed(one[0], other[0]) : undefined
      return order === undefined ? slowly(one, other) : order === null ? none : truth(holds(order))
    }
  }
}

type Truth = boolean | "nothing"

const logic = (symbol: string, table: (one: Truth, other: Truth) => Truth): PathOperator => {
  const slowly = requested(symbol)
  return {
    refuses: (one) => one.length > 1,
    apply: (a, b) => {
      const one = logical(a)
      const other = logical(b)
      if (one === "several" || other === "several") return slowly(a, b)
      const result = table(one, other)
      return result === "nothing" ? none : truth(result)
    }
  }
}

/** Returns the text of an operand, empty if it has no value; `undefined` if it is not a text. */
const textOperand = (operand: Elements): string | undefined => {
  if (operand.length === 0) return ""
  if (operand.length > 1) return undefined
  const [element] = operand
  const value = isNode(element) ? element.data : element
  return value === null || value === undefined ? "" : typeof value === "string" ? value : undefined
}

const concatenation = (): PathOperator => {
  const slowly = requested("&")
  return {
    refuses: (one) => textOperand(one) === undefined,
    apply: (a, b) => {
      const one = textOperand(a)
      const other = textOperand(b)
      return one === undefined || other === undefined ? slowly(a, b) : [one + other]
    }
  }
}

const addition = (): PathOperator => {
  const slowly = requested("+")
  return {
    apply: (one, other) =>
      one.length === 1 && other.length === 1 && typeof one[0] === "string" && typeof other[0] === "string"
        ? [one[0] + other[0]]
        : slowly(one, other)
  }
}

const union = (): PathOperator => {
  const slowly = requested("|")
  return {
    apply: (one, other) => {
      if (one.length + other.length < 2) return [...one, ...other]
      return distinctWhenPlain([...one, ...other]) ?? slowly(one, other)
    }
  }
}

/** Looks up the first element of one side in the other side. */
const membership = (symbol: "in" | "contains"): PathOperator => {
  const slowly = requested(symbol)
  return {
    apply: (one, other) => {
      const [member, all] = symbol === "in" ? [one, other] : [other, one]
      if (member.length !== 1 || all.length === 0) return slowly(one, other)
      for (const element of all) {
        const equal = equalWhenPlain(element, member[0])
        if (equal === undefined) return slowly(one, other)
        if (equal) return yes
      }
      return no
    }
  }
}

const or = (one: Truth, other: Truth): Truth =>
  one === true || other === true ? true : one === "nothing" || other === "nothing" ? "nothing" : false

const and = (one: Truth, other: Truth): Truth =>
  one === false || other === false ? false : one === "nothing" || other === "nothing" ? "nothing" : true

const xor = (one: Truth, other: Truth): Truth => one === "nothing" || other === "nothing" ? "nothing" : one !== other

const implies = (one: Truth, other: Truth): Truth =>
  one === false || other === true ? true : one === "nothing" || other === "nothing" ? "nothing" : false

/** Returns a compiled operator by its node type in the syntax tree and its symbol. */
export const operatorOf = (type: string, symbol: string): PathOperator | undefined => {
  switch (type) {
    case "EqualityExpression":
      return symbol === "="
        ? equality(symbol, yes, no)
        : symbol === "!="
        ? equality(symbol, no, yes)
        : { apply: requested(symbol) }
    case "InequalityExpression":
      return symbol === "<"
        ? inequality(symbol, (order) => order < 0)
        : symbol === ">"
        ? inequality(symbol, (order) => order > 0)
        : symbol === "<="
        ? inequality(symbol, (order) => order <= 0)
        : inequality(symbol, (order) => order >= 0)
    case "OrExpression":
      return logic(symbol, symbol === "or" ? or : xor)
    case "AndExpression":
      return logic(symbol, and)
    case "ImpliesExpression":
      return logic(symbol, implies)
    case "UnionExpression":
      return union()
    case "AdditiveExpression":
      return symbol === "&" ? concatenation() : symbol === "+" ? addition() : { apply: requested(symbol) }
    case "MultiplicativeExpression":
      return symbol === "*" || symbol === "/" ? { apply: requested(symbol) } : undefined
    case "MembershipExpression":
      return membership(symbol === "in" ? "in" : "contains")
    default:
      return undefined
  }
}
