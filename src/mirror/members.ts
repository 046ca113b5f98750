import { Effect } from "effect"
import { createHash } from "node:crypto"
import { type JsonObject, jsonObjectOf, jsonObjectsIn, oneOrMore } from "../json/JsonObject.ts"
import { fhirJson, notOffered, type ServerSession } from "./ServerSession.ts"
import type { SourceSettings } from "./SourceSettings.ts"

/** The members of a Group that are patients (FHIR R4, group.html). */
export interface GroupMembers {
  readonly patients: ReadonlyArray<string>
  /** Number of members without the id of a patient: groups in the group, and members that only have an identifier. Their records are not found. */
  readonly unread: number
  /** The same for the same members. */
  readonly digest: string
}

/** Reads the group of the settings. Members that left it do not count. */
export const readMembers = Effect.fnUntraced(function*(
  session: ServerSession,
  { group, server }: Pick<SourceSettings, "group" | "server">
) {
  const url = `${server}/Group/${group}`
  const { json, status } = yield* session.get(url, fhirJson)
  if (status !== 200) return yield* notOffered(`the group \`${group}\``, url, status)
  const patients: Array<string> = []
  let unread = 0
  for (const { entity, inactive } of jsonObjectsIn(jsonObjectOf(json).member)) {
    if (inactive === true) continue
    const id = patientOf(entity)
    if (id !== undefined) patients.push(id)
    else if (!isOtherMember(entity)) unread++
  }
  const digest = createHash("sha256").update(JSON.stringify([patients.toSorted(), unread])).digest("hex")
  const members: GroupMembers = { patients, unread, digest }
  return members
})

/** Returns the id of the patient that a reference leads to. */
const patientOf = (reference: unknown): string | undefined => {
  const { reference: text } = jsonObjectOf(reference)
  return typeof text === "string"
    ? /(?:^|\/)Patient\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/u.exec(text)?.[1]
    : undefined
}

/** Members of a group of another kind have no records of their own. */
const isOtherMember = (entity: unknown): boolean => {
  const { reference, type } = jsonObjectOf(entity)
  const recordType = typeof reference === "string" ? /([A-Z][A-Za-z]+)\/[^/]+$/u.exec(reference)?.[1] : type
  return recordType === "Device" || recordType === "Medication" || recordType === "Substance" ||
    recordType === "Practitioner" ||
    recordType === "PractitionerRole"
}

/** The elements by which the search parameter `patient` finds a record. */
const patientElements = ["subject", "patient", "beneficiary", "individual"]

/** Whether a record that a search for some patients found belongs to other patients. */
export const isOfOthers = (resource: JsonObject, { patient }: Readonly<Record<string, string>>): boolean => {
  if (patient === undefined) return false
  const patients = patient.split(",")
  const own = patientIdsOf(resource)
  return own.length > 0 && !own.some((id) => patients.includes(id))
}

/** Returns the ids of the patients that a record belongs to. */
export const patientIdsOf = (resource: JsonObject): ReadonlyArray<string> =>
  patientElements.flatMap((element) => oneOrMore(resource[element]).flatMap((one) => patientOf(one) ?? []))
