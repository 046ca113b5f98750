import { Schema } from "effect"

/** A beneficiary in the response of the search (§2.7). The nested shapes are not shown and stay open. */
export const Beneficiary = Schema.Struct({
  spid: Schema.NullOr(Schema.String),
  patient_code: Schema.String,
  surname: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  sex: Schema.NullOr(Schema.String).annotate({ description: "M or F" }),
  birthdate: Schema.NullOr(Schema.String).annotate({ description: "YYYY-MM-DD" }),
  phone_number: Schema.NullOr(Schema.String),
  nationality: Schema.NullOr(Schema.String),
  relationship_to_head: Schema.NullOr(Schema.String),
  dead: Schema.Boolean,
  death_date: Schema.NullOr(Schema.String),
  created_at: Schema.NullOr(Schema.String),
  updated_at: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.Record(Schema.String, Schema.Json)),
  benefit_cards: Schema.Array(Schema.Json),
  identifications: Schema.Array(Schema.Json),
  occupation: Schema.NullOr(Schema.String),
  disabilities: Schema.Array(Schema.Json)
}).annotate({ identifier: "Beneficiary" })
export type Beneficiary = typeof Beneficiary.Type
