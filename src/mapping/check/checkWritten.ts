import type { Span } from "../../diagnostic/Span.ts"
import type { Syntax } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"

/** That something is written behind each key: `null` takes away what stands below, and nobody means to say so by saying nothing. */
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
      const title = name === undefined ? "nothing is written here" : `nothing is written behind \`${name}:\``
      reader.report("invalid-value", key, title, undefined, [
        syntax.unwritten === "comment"
          ? "a `#` begins a comment; a text that begins with it stands in quotes"
          : "write what is meant, or take the line away; that there is nothing is written  null"
      ])
    }
  }
}
