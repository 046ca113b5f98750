import { suggest } from "../../diagnostic/suggest.ts"
import type { Field } from "../../visit/Field.ts"
import { readKey } from "../language/grammar/Kind.ts"
import { mappingKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { gapsOf } from "./gapsOf.ts"

/** Reads a mapping's name, if it has a valid one, and its FHIR version; `undefined` if too much is missing for further reports to be useful. */
export const readHeader = (
  reader: SyntaxReader,
  root: SyntaxMap,
  fields: ReadonlyArray<Field>
): { readonly name: string | undefined } | undefined => {
  const name = readName(reader, root)
  const gaps = gapsOf(root, fields)
  if (gaps !== undefined) return reportGaps(reader, root, gaps)
  readKey(reader, mappingKeys, "fhirVersion", root)
  return { name }
}

const readName = (reader: SyntaxReader, root: SyntaxMap): string | undefined => {
  const name = readKey(reader, mappingKeys, "mapping", root)
  if (!root.entries.has("mapping")) {
    reader.report("missing-key", root.span, "the mapping has no name", {
      help: ["begin the file with `mapping: NAME`"]
    })
  }
  return name
}

/** A misspelt `extends` is reported as an unknown key. */
const reportGaps = (reader: SyntaxReader, root: SyntaxMap, gaps: string): undefined => {
  const misspelt = [...root.entries.keys()].some((key) => suggest(key, ["extends"]) !== undefined)
  if (misspelt) return undefined
  return reader.report("missing-field", root.entries.get("mapping")?.key ?? root.span, gaps, {
    help: ["begin with a mapping that is whole and change what differs:  extends: fhir-r4"]
  })
}
