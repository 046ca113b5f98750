import type { Span } from "../../diagnostic/Span.ts"
import type { Syntax } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Reports keys without a value. Only a written `null` removes the base's entry; an empty value is more likely a mistake. */
export const checkWritten = (reader: SyntaxReader, syntax: Syntax, name?: string, key: Span = syntax.span): void => {
  switch (syntax.kind) {
    case "map":
      for (const [name, { key, value }] of syntax.entries) checkWritten(reader, value, name, key)
      return
    case "list":
      for (const item of syntax.items) checkWritten(reader, item)
      return
    case "scalar": {
      if (syntax.unwritten === undefined) return
      const title = name === undefined ? "this item has no value" : `\`${name}:\` has no value`
      reader.report("invalid-value", key, title, {
        help: [
          syntax.unwritten === "comment"
            ? "a `#` begins a comment; write a text that begins with it in quotes"
            : "set a value, indent the lines that belong to it, remove the line, or write  null  for \"no value\""
        ]
      })
    }
  }
}
