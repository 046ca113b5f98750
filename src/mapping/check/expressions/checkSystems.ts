import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { PathNames } from "../../../fhirpath/FhirPath.ts"
import { systemUrls, urlOfOid } from "../../../json/codeSystems.ts"
import { spanWithin, type SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/** Code systems with one URL, https://hl7.org/fhir/R4/terminologies-systems.html. National editions of ICD have further ones. */
const knownSystems = [
  "http://loinc.org",
  "http://snomed.info/sct",
  "http://unitsofmeasure.org",
  "http://dicom.nema.org/resources/ontology/DCM",
  "http://www.nlm.nih.gov/research/umls/rxnorm",
  "http://www.whocc.no/atc",
  "http://hl7.org/fhir/sid/icd-9-cm",
  "http://hl7.org/fhir/sid/icd-10",
  "http://hl7.org/fhir/sid/icd-10-cm",
  "http://hl7.org/fhir/sid/icd-10-pcs",
  "http://hl7.org/fhir/sid/icd-11",
  "http://hl7.org/fhir/sid/cvx",
  "http://hl7.org/fhir/sid/ndc",
  "http://terminology.hl7.org/CodeSystem/condition-category",
  "http://terminology.hl7.org/CodeSystem/condition-clinical",
  "http://terminology.hl7.org/CodeSystem/condition-ver-status",
  "http://terminology.hl7.org/CodeSystem/diagnosis-role",
  "http://terminology.hl7.org/CodeSystem/observation-category",
  "http://terminology.hl7.org/CodeSystem/v3-ActCode",
  "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus"
]

/** Returns a URL without the parts that people write in several ways: the scheme, `www`, the domain, signs and capitals. */
const keyOf = (url: string): string =>
  url.toLowerCase().replace(/^(?:https?:)?\/*(?:www\.)?/u, "").replace(/^([^/]*)\.\w+(?=\/|$)/u, "$1").replace(
    /[^a-z0-9]/gu,
    ""
  )

const systemOfKey = new Map(knownSystems.map((url) => [keyOf(url), url]))

/** The known systems, by their host and path. */
const systemOfHost = new Map(
  knownSystems.map((known) => new URL(known)).map(({ host, href, pathname }) => [`${host}${pathname}`, href])
)

/** Returns the system with the same path and almost the same host. */
const nearHost = (url: string): string | undefined => {
  const [, host = "", path = ""] = /^https?:\/\/([^/]+)(.*)$/u.exec(url) ?? []
  if (host.length < 8) return undefined
  const alike = [...systemOfHost.keys()].filter((key) => key.slice(key.indexOf("/")) === (path || "/"))
  const near = suggest(`${host}${path || "/"}`, alike)
  return near === undefined ? undefined : systemOfHost.get(near)?.replace(/\/$/u, "")
}

/** The folder of the code systems of HL7 Terminology. Names of tables of V2 differ in one digit, so they are not compared. */
const ofTerminology = "http://terminology.hl7.org/CodeSystem/"

const terminology = [...new Set([...knownSystems, ...systemUrls.values()])].flatMap((url) =>
  url.startsWith(ofTerminology) && !url.startsWith(`${ofTerminology}v2-`) ? [url.slice(ofTerminology.length)] : []
)

/** Returns the system of HL7 Terminology from whose name one letter differs, or of whose name the end is missing. */
const nearName = (url: string): string | undefined => {
  if (!url.startsWith(ofTerminology)) return undefined
  const name = url.slice(ofTerminology.length)
  if (name.length < 8 || terminology.includes(name)) return undefined
  const cut = terminology.find((known) => known.startsWith(name))
  const near = cut ?? suggest(name, terminology, 1)
  return near === undefined ? undefined : `${ofTerminology}${near}`
}

/**
 * Reports a URL that is almost that of a known code system: no record has it, so nothing is ever found. The same is true of an OID for
 * which records have the URL.
 */
export const reportSystem = (reader: SyntaxReader, url: string, span: Span): void => {
  const system = urlOfOid(url)
  if (system !== undefined) {
    reader.warn("invalid-value", span, `records of FHIR are read with the URL of the code system \`${url}\``, {
      label: `write  ${system}`
    })
    return
  }
  if (/^\w+:\/\/.*\s/u.test(url)) {
    reader.warn("invalid-value", span, `a URL has no spaces: \`${url}\``, {
      help: ["remove what follows the URL; a comment of the mapping begins with  #"]
    })
    return
  }
  const known = systemOfKey.get(keyOf(url)) ?? nearHost(url) ?? nearName(url)
  if (known === undefined || known === url || !/[:/]/u.test(url)) return
  reader.warn("invalid-value", span, `no code system has the URL \`${url}\``, {
    label: didYouMean(known),
    help: ["systems are compared letter by letter; if the records have it like this, correct them where they are made"]
  })
}

/** Reports a URL and a code with another sign between them than `|`: no code of a source is equal to it. */
export const reportSeparator = (reader: SyntaxReader, code: string, span: Span): boolean => {
  const [, system, own] = /^([a-z]+:[^|^#]*)[\^#]([^|^#/]+)$/u.exec(code) ?? []
  if (system === undefined) return false
  reader.warn("invalid-value", span, `no code is equal to \`${code}\``, {
    label: `write  ${system}|${own}`,
    help: ["between a code system and its code is one  |"]
  })
  return true
}

/** Does the same for the value of a constant: the name of a system, or codes with their systems, as for `hasCode`. */
export const reportSystemsIn = (reader: SyntaxReader, codes: string, span: Span): void => {
  const systems = codes.split(/\s+/u).map((word) => word.slice(0, Math.max(0, word.lastIndexOf("|"))))
  for (const name of new Set([codes, ...systems])) reportSystem(reader, name, span)
}

/** Does the same for the names of systems in the texts of an expression, also for those before the codes of `hasCode`. */
export const reportSystems = (reader: SyntaxReader, scalar: SyntaxScalar, { texts }: PathNames): void => {
  for (const { name: written, offset } of texts) {
    for (
      const { 0: url, index } of written.matchAll(/(?<=['\s])(?:https?:\/\/|urn:oid:|[0-2]\.)[^'|\s]+(?=['|\s])/giu)
    ) {
      reportSystem(reader, url, spanWithin(scalar, offset + index, url.length))
    }
  }
}
