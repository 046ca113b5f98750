import type { Address, Extension, Identifier } from "fhir/r4.d.ts"
import { addressLevels } from "../../../visit/rules/addressCodesNest.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  conceptExtension,
  dateTime,
  extension,
  keptAt,
  nonEmptyList,
  optionalMember,
  row,
  stated,
  textExtension,
  words
} from "../Elements.ts"
import { coded, core, isFhirCode, maritalStatuses, naming, system } from "../Names.ts"
import type { BundleWriter } from "./BundleWriter.ts"

/** In FHIR `""` and `null` are both no value. The field decides which of them is sent. */
const given = (text: string | null): string | null => (text === "" ? null : text)

/** The patient (§2.5). Two visits with the same patient data have the same Patient; other data is another snapshot. */
export const writePatient = (to: BundleWriter, visit: Visit): void => {
  const { patient } = visit
  const extensions: Array<Extension> = keptAt(patient)
  const nationality = given(patient.nationality)
  const disabilities = given(patient.disabilities)
  const photos = given(patient.photos)
  if (nationality !== null) {
    extensions.push({
      url: `${core}/patient-nationality`,
      extension: [{ url: "code", valueCodeableConcept: words(nationality) }]
    })
  }
  if (disabilities !== null) {
    extensions.push({ url: `${core}/patient-disability`, valueCodeableConcept: words(disabilities) })
  }
  extensions.push(...conceptExtension("occupation", patient.occupation), ...textExtension("photos", photos))
  const status = patient.marital_status === null ? undefined : maritalStatuses.get(patient.marital_status)
  if (patient.marital_status !== null && status === undefined) {
    extensions.push(stated("patient.marital_status", patient.marital_status))
  }
  to.patient = to.shared(
    (id) => ({
      resourceType: "Patient",
      id,
      ...nonEmptyList("extension", extensions),
      identifier: [
        { use: "official", system: naming("patient-code"), value: patient.code },
        { system: naming("spid"), value: patient.spid },
        ...patient.identifications.map(card)
      ],
      ...(patient.surname === null && patient.name === null ? {} : {
        name: [{
          use: "official",
          ...optionalMember("family", patient.surname),
          ...optionalMember("given", patient.name, (text) => [text])
        }]
      }),
      ...optionalMember("telecom", patient.phone, (value) => [{ system: "phone" as const, value }]),
      ...optionalMember("gender", patient.sex, (sex) => (sex === "M" ? "male" as const : "female" as const)),
      ...optionalMember("birthDate", patient.birthdate),
      ...optionalMember("deceasedDateTime", patient.death_at, dateTime),
      address: [addressOf(patient.address)],
      ...optionalMember("maritalStatus", status, coded)
    }),
    "Patient",
    visit.patient
  )
}

const card = (
  { card_code, card_type }: Visit["patient"]["identifications"][number],
  index: number
): Identifier => {
  const fits = card_type !== null && isFhirCode(card_type)
  const type = system("card-types")
  return {
    extension: [
      row("identifications", index),
      ...(fits ? [] : [stated("identifications.card_type", card_type)])
    ],
    type: coded(fits ? { system: type, code: card_type, display: card_type } : { system: type }),
    value: card_code
  }
}

const addressOf = (address: Visit["patient"]["address"]): Address => {
  const levels = addressLevels.map((level): Extension => {
    const { code, name } = address[level]
    return {
      url: level,
      valueCoding: {
        system: system("administrative-divisions"),
        ...(isFhirCode(code) ? { code } : nonEmptyList("extension", [extension("code", { valueString: code })])),
        ...optionalMember("display", name)
      }
    }
  })
  const house = given(address.house_number)
  const street = given(address.street_number)
  const parts = [
    ...(house === null ? [] : [{ url: `${core}/iso21090-ADXP-houseNumber`, valueString: house }]),
    ...(street === null ? [] : [{ url: `${core}/iso21090-ADXP-streetName`, valueString: street }])
  ]
  return {
    extension: [extension("administrative-division", { extension: levels })],
    use: "home",
    ...optionalMember("text", given(address.location)),
    ...(parts.length === 0
      ? {}
      : { line: [[house, street].filter((text) => text !== null).join(", ")], _line: [{ extension: parts }] }),
    ...optionalMember("city", address.commune.name),
    ...optionalMember("district", address.district.name),
    ...optionalMember("state", address.province.name)
  }
}
