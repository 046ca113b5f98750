import {
  blankText,
  choice,
  code,
  component,
  date,
  identifier,
  many,
  one,
  text,
  timestamp,
  timestampOrNull
} from "../FieldSchema.ts"
import type { PatientCode } from "../values/Code.ts"

const AddressPart = component("AddressPart", "§2.5 Address", "One administrative unit of an address.", {
  code: code("Code of the unit in the national gazetteer, leading zeros kept."),
  name: text("Name of the unit.")
})

/** The patient's home address (§2.5). */
const Address = component("Address", "§2.5 Address", "Where the patient lives.", {
  province: one(AddressPart, "Province of the address."),
  district: one(AddressPart, "District of the address."),
  commune: one(AddressPart, "Commune of the address."),
  village: one(AddressPart, "Village of the address."),
  house_number: blankText("House number; may be empty."),
  street_number: blankText("Street name or number; may be empty."),
  location: blankText("More details of the address; may be empty.")
})

/** A card that identifies the patient or the payer (§2.5). */
const Identification = component(
  "Identification",
  "§2.5 Identification",
  "A card that shows who the patient is or who pays.",
  {
    patient_code: code<PatientCode>("Code of the patient the card belongs to: the visit's own."),
    card_code: code("Number of the card."),
    card_type: text("Kind of card.", { list: "card_types" })
  }
)

export const Patient = component("Patient", "§2.5", "The person the visit is about.", {
  code: code<PatientCode>("Patient code: the visit's `patient_code`."),
  surname: text("Family name."),
  name: text("Given name."),
  sex: choice(["M", "F"], "Sex, `M` or `F`."),
  birthdate: date("Date of birth."),
  phone: text("Telephone number."),
  nationality: blankText("Nationality; an empty string when unknown.", { list: "nationalities" }),
  disabilities: blankText("Disabilities; an empty string when there are none."),
  occupation: text("Occupation."),
  marital_status: text("Marital status.", { list: "marital_statuses" }),
  photos: blankText("Photographs; an empty string when there are none."),
  address: one(Address, "Where the patient lives."),
  identifications: many(Identification, "Cards of the patient."),
  death_at: timestampOrNull("When the patient died; null while alive."),
  spid: identifier("System patient id, given by the service."),
  created_at: timestamp("When the patient's record was created."),
  updated_at: timestampOrNull("When the patient's record was last changed.")
})
