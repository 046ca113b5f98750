import type { Beneficiary } from "../../service/Beneficiary.ts"
import type { Visit } from "../../visit/Visit.ts"

/** Returns the patient of a visit as a beneficiary of the service (§2.7). The sandbox accepts a visit only if it knows the beneficiary. */
export const beneficiaryOf = ({ patient }: Visit): Beneficiary => ({
  spid: patient.spid,
  patient_code: patient.code,
  surname: patient.surname,
  name: patient.name,
  sex: patient.sex,
  birthdate: patient.birthdate,
  phone_number: patient.phone,
  nationality: patient.nationality,
  relationship_to_head: null,
  dead: patient.death_at !== null,
  death_date: patient.death_at,
  created_at: patient.created_at,
  updated_at: patient.updated_at,
  address: { ...patient.address },
  benefit_cards: patient.identifications.map(({ card_code, card_type }) => ({ card_number: card_code, card_type })),
  identifications: patient.identifications.map((card) => ({ ...card })),
  occupation: patient.occupation,
  disabilities: []
})
