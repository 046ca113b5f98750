import type { SyntaxMap } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { reservedVariables } from "./expressions/checkFunctions.ts"
import { reportSystemsIn } from "./expressions/checkSystems.ts"

/** Reads `constant:`, the values that expressions refer to by name. */
export const checkConstants = (reader: SyntaxReader, root: SyntaxMap): Readonly<Record<string, unknown>> => {
  const constants: Record<string, unknown> = Object.create(null)
  const entry = root.entries.get("constant")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`constant`")
  for (const [key, constant] of map?.entries ?? []) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/u.test(key)) {
      reader.report("invalid-value", constant.key, `\`${key}\` cannot be the name of a constant`, {
        label: "letters, digits and _ only"
      })
    }
    if (reservedVariables.has(key)) {
      reader.report("invalid-value", constant.key, `\`%${key}\` is a variable of the language`, {
        help: ["give the constant another name"]
      })
    }
    const value = reader.literal(constant, `the constant \`${key}\``)
    if (value !== undefined) constants[key] = value
    if (typeof value === "string") reportSystemsIn(reader, value, constant.value.span)
  }
  return constants
}
