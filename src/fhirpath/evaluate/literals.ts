import { exactNumber } from "../../json/exactNumber.ts"
import type { Elements } from "../FhirPath.ts"
import { QuantityValue, TimeValue } from "../library/systemValues.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { unquoted } from "../syntax/treeParts.ts"
import { readTime } from "./times.ts"
import { none, truth } from "./values.ts"

/** Literals that only the library reads if their text is not valid. */
const times = { DateLiteral: "Date", DateTimeLiteral: "DateTime", TimeLiteral: "Time" } as const

/** Returns the value of a literal; `undefined` for all other nodes, and for literals that only the library can read. */
export const literalOf = ({ text = "", type, unit = "", value = "" }: SyntaxNode): Elements | undefined => {
  switch (type) {
    case "NullLiteral":
      return none
    case "BooleanLiteral":
      return truth(text === "true")
    case "StringLiteral":
      return [unquoted(text)]
    case "NumberLiteral":
      return [exactNumber(text)]
    case "QuantityLiteral":
      return [new QuantityValue(exactNumber(value), unit)]
    case "DateLiteral":
    case "DateTimeLiteral":
    case "TimeLiteral": {
      const written = text.slice(type === "TimeLiteral" ? 2 : 1)
      return readTime(times[type], written) === undefined ? undefined : [new TimeValue(times[type], written)]
    }
    default:
      return undefined
  }
}

/** Whether a node is a literal that only the library can read, or whose text is not valid. */
export const isLibraryLiteral = ({ type }: SyntaxNode): boolean =>
  type === "LongNumberLiteral" || Object.hasOwn(times, type)
