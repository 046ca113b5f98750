import { Schema } from "effect"

/** The value of a JSON text. Fails the test if it does not have the shape of the schema. */
export const readJson = <A>(schema: Schema.ConstraintDecoder<A>, text: string): A =>
  Schema.decodeSync(Schema.fromJsonString(schema))(text)
