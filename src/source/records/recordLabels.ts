import { isJsonObject, type JsonObject, jsonObjectOf, oneOrMore } from "../../json/JsonObject.ts"

/**
 * A label that limits the use of a record. `shortened`: a server left elements out. `test`: it is test data, or was made for training.
 * `restricted`: its confidentiality is above normal. `undisclosed`: it must not be disclosed without an authorisation.
 */
export interface RecordLabel {
  readonly kind: "shortened" | "test" | "restricted" | "undisclosed"
  readonly code: string
}

/** Labels by the end of their code system's URL, which is `v3/ActReason` in STU3. */
const labels: ReadonlyArray<readonly [kind: RecordLabel["kind"], system: RegExp, codes: ReadonlySet<string>]> = [
  ["shortened", /v3[-/]ObservationValue$/u, new Set(["SUBSETTED"])],
  ["test", /v3[-/]ActReason$/u, new Set(["HTEST"])],
  // The processing id of an HL7 V2 message.
  ["test", /v2[-/]0103$/u, new Set(["D", "T"])],
  ["restricted", /v3[-/]Confidentiality$/u, new Set(["R", "V"])],
  [
    "undisclosed",
    /v3[-/]ActCode$/u,
    new Set("NOAUTH NODSCLCD NODSCLCDS NORDSCLCD NORDSCLCDS NORDSCLW ORCON".split(" "))
  ]
]

/** Codes that mean the same without a system. */
const clear: ReadonlySet<string> = new Set(["HTEST", "NODSCLCD", "NODSCLCDS", "SUBSETTED"])

const none: ReadonlyArray<RecordLabel> = []

/**
 * Returns the labels that limit the use of a record (FHIR R4, security-labels.html). They are in `meta.security` and `meta.tag`, and a
 * document has others in elements of its own.
 */
export const labelsOf = ({ confidentiality, meta, securityLabel }: JsonObject): ReadonlyArray<RecordLabel> => {
  const { security, tag } = jsonObjectOf(meta)
  if (security === undefined && tag === undefined && securityLabel === undefined && confidentiality === undefined) {
    return none
  }
  const found: Array<RecordLabel> = []
  addLabels(found, oneOrMore(security))
  addLabels(found, oneOrMore(tag))
  for (const one of oneOrMore(securityLabel)) addLabels(found, oneOrMore(jsonObjectOf(one).coding))
  if (confidentiality !== undefined) addLabels(found, [{ system: "v3-Confidentiality", code: confidentiality }])
  return found
}

const addLabels = (found: Array<RecordLabel>, codings: ReadonlyArray<unknown>): void => {
  for (const one of codings) {
    const label = isJsonObject(one) ? labelOf(one) : undefined
    if (label !== undefined) found.push(label)
  }
}

/** Returns those of a Bundle, and of the first entry of a message or document, which is about all of it. */
export const labelsOfBundle = (bundle: JsonObject, firstEntry: unknown): ReadonlyArray<RecordLabel> => {
  const first = jsonObjectOf(jsonObjectOf(firstEntry).resource)
  const isAboutAll = first.resourceType === "MessageHeader" || first.resourceType === "Composition"
  const all = [...labelsOf(bundle), ...(isAboutAll ? labelsOf(first) : none)]
  return all.filter(({ code, kind }, at) => at === all.findIndex((one) => one.code === code && one.kind === kind))
}

const labelOf = ({ code, system }: JsonObject): RecordLabel | undefined => {
  if (typeof code !== "string") return undefined
  const url = typeof system === "string" ? system : undefined
  for (const [kind, of, codes] of labels) {
    if (codes.has(code) && (url === undefined ? clear.has(code) : of.test(url))) return { kind, code }
  }
  return undefined
}
