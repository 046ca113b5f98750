import { isJsonObject, jsonListOf } from "../../json/JsonObject.ts"
import { showsCard } from "../../service/responses/readBeneficiary.ts"
import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import { PatientCode } from "../../visit/values/Code.ts"

/** A card as the service knows it (§2.5 Identification). */
interface Card {
  readonly number: string
  readonly type: string | null
}

/** The stored data of a beneficiary: what can be filled in, what identifies the patient, and nothing else (§2.7). */
export interface KnownBeneficiary {
  readonly patientCode: PatientCode | null
  readonly spid: string | null
  readonly cards: ReadonlyArray<Card>
  /** Whether the requested card is one of those in the record; `null` if the record shows none. */
  readonly showsCard: boolean | null
  readonly sex: string | null
  readonly birthdate: string | null
  readonly dead: boolean
  readonly deathDate: string | null
}

/** Reads a record from a card lookup. The specification does not show the shape of its cards (§2.7), so unknown parts are ignored. */
export const knownOf = (record: Readonly<Record<string, unknown>>, requested: string): KnownBeneficiary => {
  const cards = new Map<string, Card>()
  for (const card of [...jsonListOf(record["identifications"]), ...jsonListOf(record["benefit_cards"])]) {
    const number = isJsonObject(card) ? first(card, ["card_code", "card_number", "code", "number"]) : nonEmptyText(card)
    if (number === null || cards.has(number)) continue
    cards.set(number, { number, type: isJsonObject(card) ? first(card, ["card_type", "type"]) : null })
  }
  const patientCode = nonEmptyText(record["patient_code"])
  return {
    patientCode: patientCode === null ? null : PatientCode(patientCode),
    spid: nonEmptyText(record["spid"]),
    cards: [...cards.values()],
    showsCard: showsCard(record, requested),
    sex: nonEmptyText(record["sex"]),
    birthdate: nonEmptyText(record["birthdate"]),
    dead: record["dead"] === true || record["dead"] === 1 || record["dead"] === "true",
    deathDate: nonEmptyText(record["death_date"])
  }
}

const first = (card: Readonly<Record<string, unknown>>, keys: ReadonlyArray<string>): string | null =>
  keys.map((key) => nonEmptyText(card[key])).find((text) => text !== null) ?? null
