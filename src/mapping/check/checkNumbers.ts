import type { Syntax } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"

/** A number whose digits are all that it says: `36.50` is 36.5 with one more of them. */
const plain = /^-?(?:0|[1-9]\d*)\.\d*0$/u

/**
 * Numbers without quotes that say something else than their digits: the zeros of a code before it (`00`, `0101`), `1e5`, `0x10`, and
 * more digits than a number keeps. Most of them are codes.
 */
export const checkNumbers = (reader: SyntaxReader, syntax: Syntax): void => {
  switch (syntax.kind) {
    case "map":
      for (const { value } of syntax.entries.values()) checkNumbers(reader, value)
      return
    case "list":
      for (const item of syntax.items) checkNumbers(reader, item)
      return
    case "scalar":
      if (syntax.written === undefined || plain.test(syntax.written)) return
      reader.report(
        "invalid-value",
        syntax.span,
        `without quotes this is the number \`${syntax.value}\``,
        undefined,
        quoted(syntax.written)
      )
  }
}

/** What to write instead, where the digits count. */
export const quoted = (written: string): ReadonlyArray<string> => [`a code or a text stands in quotes:  "${written}"`]
