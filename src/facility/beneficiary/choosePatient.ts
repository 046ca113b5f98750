import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import { parseInstant, toEpochMillis } from "../../visit/values/Timestamp.ts"
import type { KnownBeneficiary } from "./Beneficiary.ts"
import { patientOf, type VisitObject } from "./fillPatient.ts"

/** Fields of a record that can contradict the patient, or the card. */
const contradictions = ["sex", "birthdate", "spid", "code", "cards", "death"] as const
export type Contradiction = (typeof contradictions)[number]

/** The card holder who is the patient of a visit. */
type PatientMatch =
  | { readonly _tag: "Patient"; readonly known: KnownBeneficiary }
  /** Each holder contradicts the visit in one of these. */
  | { readonly _tag: "Others"; readonly differs: ReadonlyArray<Contradiction> }
  /** A household shares the card, and more than one of its members may be the patient. */
  | { readonly _tag: "Several" }

/**
 * Chooses the patient among the holders of a card. A household may share one (§2.7 `relationship_to_head`), and a mistyped number belongs
 * to a different person. The patient is the holder whose record does not contradict the visit. Names do not count, because their spelling
 * varies too much.
 */
export const choosePatient = (
  visit: VisitObject,
  people: ReadonlyArray<KnownBeneficiary>,
  zone: string
): PatientMatch => {
  const different = new Set<Contradiction>()
  const fitting = new Map<string | KnownBeneficiary, KnownBeneficiary>()
  for (const known of people) {
    const differs = contradictionsOf(visit, known, zone)
    if (differs.length === 0) fitting.set(known.patientCode ?? known, known)
    for (const one of differs) different.add(one)
  }
  if (fitting.size > 1) return { _tag: "Several" }
  for (const known of fitting.values()) return { _tag: "Patient", known }
  return { _tag: "Others", differs: contradictions.filter((one) => different.has(one)) }
}

const contradictionsOf = (visit: VisitObject, known: KnownBeneficiary, zone: string): ReadonlyArray<Contradiction> => {
  const patient = patientOf(visit)
  const tests: Readonly<Record<Contradiction, boolean>> = {
    sex: differ(sexOf(patient["sex"]), sexOf(known.sex)),
    birthdate: differ(dateOf(patient["birthdate"]), dateOf(known.birthdate)),
    spid: differ(nonEmptyText(patient["spid"]), known.spid),
    code: differ(nonEmptyText(patient["code"]), known.patientCode),
    cards: known.showsCard === false,
    death: isLongBefore(known.deathDate, nonEmptyText(visit["admitted_at"]), zone)
  }
  return contradictions.filter((one) => tests[one])
}

/** Whether more than the card shows that the record is the patient's: half of all people have the same sex. */
export const isConfirmed = (visit: VisitObject, known: KnownBeneficiary): boolean => {
  const { birthdate, code, spid } = patientOf(visit)
  return [[birthdate, known.birthdate], [code, known.patientCode], [spid, known.spid]].some((both) =>
    both.every((value) => nonEmptyText(value) !== null)
  )
}

/** A value that one of the two lacks contradicts nothing. */
const differ = (ours: string | null, theirs: string | null): boolean =>
  ours !== null && theirs !== null && ours !== theirs

const sexOf = (value: unknown): string | null =>
  /^(m|f)(?:(?:e?m)?ale)?$/iu.exec(nonEmptyText(value) ?? "")?.[1]?.toUpperCase() ?? null

const dateOf = (value: unknown): string | null => /^\d{4}-\d\d-\d\d/u.exec(nonEmptyText(value) ?? "")?.[0] ?? null

/** Allow one day: the dead are brought in, and a time without a zone may be in another zone. */
const isLongBefore = (death: string | null, admitted: string | null, zone: string): boolean => {
  const died = parseInstant(death ?? "", { zone })
  return died._tag === "Instant" && toEpochMillis(admitted ?? "") - died.epochMillis > 86_400_000
}
