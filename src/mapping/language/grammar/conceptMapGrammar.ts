import { referenceListTypes } from "../../../visit/Field.ts"
import { declareKeys, description, mapByName, oneWord, refer, schemaOf, written } from "./Kind.ts"
import { assume, names, orNull } from "./pathKinds.ts"

/** The keys of a concept map. */

/** The policies for an unmapped code that are one keyword. */
export const unmappedModes = ["reject", "warn", "skip", "provided"] as const

export const unmappedKeys = declareKeys({
  fixed: { kind: written("a text", { type: "string" }), doc: "This value is sent." },
  table: { kind: written("a name", { type: "string" }), doc: "The code is looked up in another concept map." },
  policy: { kind: written("a policy", { enum: unmappedModes }), doc: "One of the words, with `assume`." },
  assume
})

export const conceptRowKeys = declareKeys({
  value: { kind: written("a text", { type: ["string", "number"] }), doc: "The service's value.", required: "always" },
  assume
})

export const conceptMapKeys = declareKeys({
  table: {
    kind: mapByName("codes and their values", {
      anyOf: [{ type: ["string", "number", "null"] }, schemaOf(conceptRowKeys)]
    }, orNull),
    doc: "The service's value of each code (`code`, or `system|code`).",
    example: "table: {female: F, male: M}"
  },
  file: {
    kind: written("a file, or several", names),
    doc: "Files of code tables next to the mapping: CSV, or a FHIR ConceptMap in JSON.",
    example: "file: tables/marital-status.csv"
  },
  accept: {
    kind: written("a list of relations", { type: "array", items: refer("relation") }),
    doc: "Relations of a FHIR ConceptMap that are used besides equal and equivalent."
  },
  unmapped: {
    kind: written("a policy", { oneOf: [{ enum: unmappedModes }, schemaOf(unmappedKeys)] }),
    otherwise: "`warn`",
    doc: "What happens to an unmapped code."
  },
  list: {
    kind: oneWord(referenceListTypes),
    doc: "The list of the standard data that the values must be in.",
    example: "list: visit_types"
  },
  send: {
    kind: oneWord(["name", "code"]),
    default: "name",
    doc: "Whether the name or the code of the row in the list is sent."
  },
  description
})
