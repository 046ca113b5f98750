import { anyText, declareKeys, type Kind, oneWord, schemaOf, written } from "../../mapping/language/grammar/Kind.ts"
import { defaultSource, exportLevels, fetchModes, serverAuths } from "../../mirror/SourceSettings.ts"
import {
  count,
  filePath,
  httpsAddress,
  lengthOfTime,
  orOff,
  textSetting,
  textsLike,
  writtenMillis
} from "./settingKinds.ts"

/** The settings of a FHIR server that exports are fetched from. */

export const certificateKeys = declareKeys({
  certFile: { kind: filePath, doc: "The certificate, as PEM." },
  keyFile: { kind: filePath, doc: "Its private key, as PEM." }
})

const everyDays: Readonly<Record<string, number>> = { daily: 1, weekly: 7, monthly: 30 }
const dayLength = 86_400_000
const ageLength = lengthOfTime("1h", "366d", "or  daily, weekly, monthly, off")

/** `weekly`, or a length of time, in milliseconds. */
const age: Kind<number> = {
  shown: "`daily`, `weekly`, `monthly`, 1h to 366d",
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const days = entry.value.kind === "scalar" ? everyDays[String(entry.value.value)] : undefined
    return days === undefined ? ageLength.read(reader, entry, what) : days * dayLength
  },
  write: (value) =>
    Object.entries(everyDays).find(([, days]) => days * dayLength === value)?.[0] ?? writtenMillis(value)
}

export const sourceKeys = declareKeys({
  server: { kind: httpsAddress, doc: "The base address of the FHIR server.", required: "always" },
  level: {
    kind: oneWord(exportLevels),
    otherwise: `\`${defaultSource.level}\`, or \`group\` if \`group:\` is set`,
    doc: "The records of all patients, those of one group of patients, or all records."
  },
  group: { kind: textSetting, doc: "The id of the Group resource, for `level: group`." },
  mode: {
    kind: oneWord(fetchModes),
    default: defaultSource.mode,
    doc: "`auto` requests a bulk export, and searches if the server has none."
  },
  auth: {
    kind: oneWord(serverAuths),
    default: defaultSource.auth,
    doc: "How the program authenticates; see [fetch](../fetch.md#settings)."
  },
  tokenUrl: {
    kind: httpsAddress,
    otherwise: "that of the server's SMART configuration",
    doc: "The token endpoint."
  },
  scope: { kind: anyText, default: defaultSource.scope, doc: "The scopes to ask for." },
  types: {
    kind: textsLike(
      "resource types",
      /^[A-Z][A-Za-z]{1,63}$/u,
      (what) => `${what}: expected the name of a FHIR resource type, such as Encounter`
    ),
    otherwise: "those that the mapping reads and the server has",
    doc: "The resource types to export."
  },
  overlap: {
    kind: lengthOfTime("0s", "7d"),
    default: defaultSource.overlapMillis,
    doc: "How far before the last export the next one begins, for records that were being written then."
  },
  mirror: {
    kind: anyText,
    default: defaultSource.mirror,
    doc: "The folder where exports are kept, next to `facility.yaml`."
  },
  full: {
    kind: orOff(age),
    default: defaultSource.fullMillis,
    doc:
      "How old the last complete export may be. Only a complete export shows what was deleted at a server that lists no deletions."
  },
  origins: {
    kind: textsLike(
      "origins",
      /^https?:\/\/[^/?#\s]+$/u,
      (what) => `${what}: expected an origin, such as https://files.example`
    ),
    doc: "Other origins that may be sent the token, for servers whose files are elsewhere."
  },
  certificate: {
    kind: written("a map", schemaOf(certificateKeys)),
    doc: "A client certificate and its key.",
    example: "certificate: {certFile: client.pem, keyFile: client.key}"
  },
  patience: {
    kind: lengthOfTime("1m", "30d"),
    default: defaultSource.patienceMillis,
    doc: "The longest time for one export."
  },
  downloads: { kind: count(1, 16), default: defaultSource.downloads, doc: "Files that are downloaded at once." },
  pageSize: { kind: count(1, 1000), default: defaultSource.pageSize, doc: "Records on one page of a search." }
})
