import type { SyntaxMap } from "../../src/mapping/language/MappingSyntax.ts"
import { parseYaml } from "../../src/mapping/language/parseYaml.ts"

/** Parses a text that is a YAML map. */
export const yamlMap = (file: string, text: string): SyntaxMap => {
  const { syntax } = parseYaml(file, text)
  if (syntax?.kind !== "map") throw new Error(`${file} is not a map`)
  return syntax
}
