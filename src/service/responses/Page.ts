import { Schema } from "effect"

export const Page = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({
    current_page: Schema.Int,
    per_page: Schema.Int,
    total: Schema.Int,
    last_page: Schema.Int,
    data: Schema.Array(item)
  })

/** One row of a standard-data list. §2.8 shows the diagnoses: `code`, `name`, `description`. */
export const StandardItem = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  name_local: Schema.optionalKey(Schema.String),
  description: Schema.String
}).annotate({ identifier: "StandardItem" })
export type StandardItem = typeof StandardItem.Type

/** One row of the processed list. §4.6 does not show it; these are the keys the embedded service gives. */
export const ProcessedItem = Schema.Struct({
  uuld: Schema.String,
  code: Schema.String,
  patient_code: Schema.String,
  health_facility_code: Schema.String,
  admitted_at: Schema.String,
  discharged_at: Schema.NullOr(Schema.String),
  status: Schema.Int,
  processing_status: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "ProcessedItem" })
export type ProcessedItem = typeof ProcessedItem.Type
