import { type JsonSchema, schemaOf } from "../../mapping/language/grammar/Kind.ts"
import { facilityKeys } from "./facilityGrammar.ts"

/** JSON Schema (draft 2020-12) of a `facility.yaml`, for editors: completion, descriptions, unknown keys underlined. */
export const facilitySchema = (): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "fhir2visit facility",
  ...schemaOf(facilityKeys)
})
