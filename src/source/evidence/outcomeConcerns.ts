import { jsonListOf, type JsonObject, jsonObjectOf, jsonObjectsIn, jsonTextOf } from "../../json/JsonObject.ts"
import { resourceTypes } from "../records/resourceTypes.ts"

/** The records that a server's error concerns: those of these patients and types. An empty list means unknown. */
interface Concern {
  readonly patients: ReadonlyArray<string>
  readonly types: ReadonlyArray<string>
}

/** The code system of this program's problems in an OperationOutcome. */
export const problemSystem = "https://fhir2visit.example/fhir/CodeSystem/problems"

/** Messages that this program wrote are no evidence about an export. */
const isOwn = ({ details }: JsonObject): boolean =>
  jsonObjectsIn(jsonObjectOf(details).coding).some(({ system }) => system === problemSystem)

/** Returns what the errors of an OperationOutcome concern; nothing if it holds only warnings and information (FHIR R4, issue-severity). */
export const outcomeConcerns = ({ issue }: JsonObject): ReadonlyArray<Concern> =>
  jsonObjectsIn(issue).flatMap((one) => {
    if (isOwn(one) || one.severity === "warning" || one.severity === "information") return []
    const text = decoded(textsOf(one).join("\n"))
    return [{ patients: patientsIn(text), types: typesIn(text) }]
  })

const textsOf = ({ details, diagnostics, expression, location }: JsonObject): ReadonlyArray<string> =>
  [
    diagnostics,
    jsonObjectOf(details).text,
    ...jsonListOf(expression),
    ...jsonListOf(location)
  ].flatMap((text) => jsonTextOf(text) ?? [])

/** Decodes the escapes of separators, because addresses often contain `%2F`. Any other `%` stays unchanged. */
const decoded = (text: string): string =>
  text.replace(/%(2F|2C|3A|3D|3F|26)/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const patientsIn = (text: string): ReadonlyArray<string> => [
  ...new Set([
    ...[...text.matchAll(/\bPatient\/([A-Za-z0-9.-]{1,64})/gu)].map(([, id = ""]) => idOf(id)),
    ...[...text.matchAll(/[?&;\s](?:patient|subject)(?::Patient)?=((?:[\w:/.-]+,?)+)/gu)]
      .flatMap(([, ids = ""]) =>
        ids.split(",").filter((id) => id !== "").map((id) => idOf(id.slice(id.lastIndexOf("/") + 1)))
      )
  ])
]

/** Removes a full stop after an id: it ends the sentence. */
const idOf = (id: string): string => id.replace(/[.:]+$/u, "")

/** Returns the types in a text: in an address, as a type, or by a name that is not an English word. */
const typesIn = (text: string): ReadonlyArray<string> => {
  const found = [
    ...text.matchAll(/\b([A-Z][A-Za-z]+)(?=[/?])/gu),
    ...text.matchAll(/\b(?:resource|resourceType|_?type)[\s:=`'"]+([A-Z][A-Za-z]+)\b/gu),
    ...text.matchAll(
      /\b([A-Z][a-z]+[A-Z][A-Za-z]+|Observation|Condition|Procedure|Encounter|Immunization|Specimen)\b/gu
    )
  ].map(([, type = ""]) => type)
  return [...new Set(found)].filter((type) => resourceTypes.has(type) && !ownerTypes.has(type))
}

/** Types that identify the owner of records or wrap them: they do not show which types of records failed. */
const ownerTypes: ReadonlySet<string> = new Set(["Patient", "Group", "OperationOutcome", "Bundle"])
