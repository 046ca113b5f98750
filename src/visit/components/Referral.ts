import { Schema, SchemaTransformation } from "effect"
import { isDecimal } from "../../json/Decimal.ts"
import {
  code,
  component,
  flag,
  identifier,
  one,
  oneOrNull,
  openObject,
  optionalText,
  requiredText,
  text,
  textOrNull,
  timestamp,
  timestampOrNull
} from "../FieldSchema.ts"

/** The facility a patient is referred to (§2.6). */
const ReferralFacility = component(
  "ReferralFacility",
  "§2.6 referred_to.health_facility",
  "The facility the patient is referred to.",
  {
    name: requiredText("Name of the facility; the specification marks it required."),
    code: code("Code of the facility; the specification marks it required.", { list: "health_facilities" }),
    label: optionalText("Label of the facility; may be omitted."),
    type: optionalText("Type of the facility; may be omitted.")
  }
)

/** The destination and reason of a referral (§2.6). */
const ReferredTo = component("ReferredTo", "§2.6 referred_to", "Where and why the patient is referred.", {
  code: code("Code of the referral."),
  referral_number: identifier("Number of the referral."),
  transportation: text("How the patient travels."),
  reason: text("Why the patient is referred."),
  health_facility: one(ReferralFacility, "The facility the patient is referred to."),
  has_called: flag("Whether the facility was called before."),
  caretaker_name: text("Who goes with the patient."),
  caretaker_phone: text("Telephone number of who goes with the patient."),
  referred_by: text("Who referred."),
  referred_by_phone: text("Telephone number of who referred."),
  referred_at: timestamp("When the patient was referred."),
  received_by: textOrNull("Who received the patient."),
  received_at: timestampOrNull("When the patient was received; null while not known."),
  medications: text("Medicines given before or on the way.")
})

/** A JSON object of any shape, limited to the depth that can be written as JSON safely. */
type OpenObject = { readonly [key: string]: Schema.Json }

const maxDepth = 32

/** Returns true for a JSON object of at most 32 levels. */
export const isOpenObject = (value: unknown): value is OpenObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isDecimal(value) && isJson(value, maxDepth)

const isJson = (value: unknown, depth: number): boolean => {
  if (typeof value === "string" || typeof value === "boolean" || value === null || isDecimal(value)) return true
  return typeof value === "object" && depth > 0 && Object.values(value).every((inner) => isJson(inner, depth - 1))
}

const OpenObject = Schema.declare(isOpenObject, {
  expected: "an object",
  toCodecJson: () =>
    Schema.link<OpenObject>()(Schema.Record(Schema.String, Schema.Json), SchemaTransformation.passthrough())
})

export const Referral = component(
  "Referral",
  "§2.6 Referral",
  "How the patient came from or goes to another facility.",
  {
    referred_from: openObject(
      Schema.NullOr(OpenObject),
      "Where the patient came from; the specification shows only null and no structure."
    ),
    referred_to: oneOrNull(ReferredTo, "Where the patient goes to.")
  }
)
