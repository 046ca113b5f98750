import type { Syntax } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** A number that loses only trailing zeros: `36.50` is 36.5 with a zero added. */
const plain = /^-?(?:0|[1-9]\d*)\.\d*0$/u

/**
 * Reports unquoted numbers whose value differs from their digits: leading zeros (`00`, `0101`), `1e5`, `0x10`,
 * and more digits than a number can hold. Most of them are codes.
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
      reader.report("invalid-value", syntax.span, `without quotes this is the number \`${syntax.value}\``, {
        help: [quoted(syntax.written)]
      })
  }
}

/** Returns what to write instead, if the digits matter. */
export const quoted = (written: string): string => `write a code or a text in quotes:  "${written}"`
