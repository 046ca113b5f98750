/**
 * Decides which source values a profile may show, because a column of codes can contain names and numbers of people. A code is shown if
 * several people have it, or if it is a code of a public system.
 */

/** Public code systems, and the form of their codes. */
const knownSystems: ReadonlyArray<readonly [system: RegExp, code: RegExp]> = [
  [/^(?:http:\/\/loinc\.org|urn:oid:2\.16\.840\.1\.113883\.6\.1)$/u, /^\d{1,5}-\d$|^LA\d{1,7}-\d$|^LP\d{1,7}-\d$/u],
  [/^(?:http:\/\/snomed\.info\/sct(?:\/.*)?|urn:oid:2\.16\.840\.1\.113883\.6\.96)$/u, /^\d{6,18}$/u],
  [/^http:\/\/(?:hl7\.org\/fhir\/sid|id\.who\.int\/icd)\/(?:icd|release\/11)/u, /^[A-Z0-9]{1,5}(?:\.[A-Z0-9]{1,5})?$/u],
  [/^http:\/\/(?:terminology\.hl7\.org|hl7\.org\/fhir)\//u, /^[A-Za-z?][A-Za-z0-9_.-]{0,31}$|^\d{1,3}$/u],
  [/^http:\/\/unitsofmeasure\.org$/u, /^[^\s]{1,24}$/u],
  [/^(?:urn:ietf:bcp:47)$/u, /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u],
  [/^(?:urn:iso:std:iso:3166|urn:iso:std:iso:4217)$/u, /^[A-Z]{2,3}$/u],
  [/^http:\/\/www\.nlm\.nih\.gov\/research\/umls\/rxnorm$/u, /^\d{2,8}$/u],
  [/^http:\/\/hl7\.org\/fhir\/sid\/(?:cvx|ndc)$/u, /^[\d-]{1,13}$/u],
  [/^http:\/\/www\.whocc\.no\/atc$/u, /^[A-Z](?:\d\d(?:[A-Z](?:[A-Z](?:\d\d)?)?)?)?$/u],
  [/^http:\/\/dicom\.nema\.org\/resources\/ontology\/DCM$/u, /^[A-Z0-9]{1,8}$/u],
  [/^(?:https:\/\/cielterminology\.org|https:\/\/openconceptlab\.org\/orgs\/CIEL\/sources\/CIEL)$/u, /^\d{1,7}$/u]
]

/** Whether a code system is public. */
export const isKnownSystem = (system: string): boolean => knownSystems.some(([known]) => known.test(system))

/** Whether a code belongs to a public code system. */
export const isKnownCode = (system: string, code: string): boolean =>
  knownSystems.some(([known, form]) => known.test(system) && form.test(code))

/** Codes of FHIR itself, of elements that have no system: statuses, genders, uses. */
const wordsOfFhir: ReadonlySet<string> = new Set(
  ("planned arrived triaged in-progress onleave finished cancelled entered-in-error unknown male female other active inactive "
    + "completed final preliminary amended corrected registered appended partial stopped on-hold draft revoked not-done aborted "
    + "suspended intended not-taken declined issued balanced current superseded available order original-order instance-order plan "
    + "proposal usual official temp nickname anonymous old maiden home work mobile billing secondary phone email fax url sms "
    + "food medication environment biologic allergy intolerance low high unable-to-assess generated additional empty")
    .split(" ")
)

export const isWordOfFhir = (code: string): boolean => wordsOfFhir.has(code)

/**
 * Whether a text can be a person's name: words of letters only, at least three characters. A short surname in capitals looks like a code;
 * so codes of letters only are shown only if other evidence marks them as codes.
 */
export const mayBeName = (text: string): boolean => text.length > 2 && /^[\p{L}\p{M}'’.\- ]+$/u.test(text)

/** Types of FHIR whose records are about one person and what that person is called. */
export const isOfPerson = (path: string): boolean => /^(?:Patient|Person|RelatedPerson|Practitioner)\b/u.test(path)

/**
 * Whether the address of a system or an extension identifies no person. It must be a web address or an object identifier, without
 * a query and without a long number that could belong to a person.
 */
export const isPlainAddress = (address: string): boolean =>
  /^urn:oid:[\d.]+$/u.test(address) ||
  (/^https?:\/\/[^\s?#@]+$/u.test(address) && !/\d{5,}/u.test(address.replace(/^https?:\/\/[^/]+/u, "")))
