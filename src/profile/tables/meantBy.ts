/** What a code of a column most likely means, and what is to be said of that. */
type Meant = readonly [value: string, note: string]

/** The sex that a code of the source means, as far as codes of this kind tell. */
export const sexOf = (code: string, others: ReadonlyArray<string> = []): Meant | undefined =>
  /^m$/iu.test(code) && others.some((other) => /^h$/iu.test(other))
    ? ["F", "; beside H it is mujer or mulher: make sure of it"]
    : /^h$/iu.test(code)
    ? ["M", "; homme, hombre or homem: make sure of it"]
    : /^(?:m|male|man|boy|masculino?|homme|hombre|homem)$/iu.test(code)
    ? ["M", ""]
    : /^(?:f|female|woman|girl|f[eé]minin|femenino|feminino|femme|mujer|mulher)$/iu.test(code)
    ? ["F", ""]
    : code === "1"
    ? ["M", "; by ISO 5218: make sure of it"]
    : code === "2"
    ? ["F", "; by ISO 5218: make sure of it"]
    : undefined

/** Whether a type of visit that is no stay is an emergency. */
export const isEmergency = (code: string): boolean =>
  sideOf(code)?.[0] === "OPD" && /emerg|^EMER$|^ER$|^ED$|^E$|casualty|trauma/iu.test(code)

/** On which side of the door a type of visit is. */
export const sideOf = (code: string): Meant | undefined =>
  /in-?patient|^IPD?$|^I$|^IMP$|ward|admi(?:t|ssion)|hospice|snf/iu.test(code)
    ? ["IPD", ""]
    : /out-?patient|ambulatory|^AMB$|^OPD?$|^O$|clinic|wellness|urgent|virtual|home|emerg|^ER$|^ED$|^E$|casualty|trauma/iu
        .test(code)
    ? ["OPD", ""]
    : ["OPD", "; nothing says that they stayed: make sure of it"]

/** The marital status that a code or a word means: those of HL7 v3, and words; the service's own words are left as they are. */
export const maritalStatusOf = (code: string): string | undefined =>
  maritalStatuses.find(([, words]) => words.test(code.trim()))?.[0]

const maritalStatuses: ReadonlyArray<readonly [string, RegExp]> = [
  ["Single", /^(?:[su]|single|unmarried|never[ -]married|celibataire|célibataire|solter[oa]|solteir[oa])$/iu],
  ["Married", /^(?:[mtc]|married|mari[eé]e?|casad[oa])$/iu],
  ["Widowed", /^(?:w|widow(?:ed|er)?|veuf|veuve|viud[oa]|vi[uú]v[oa])$/iu],
  ["Divorced", /^(?:[dail]|divorced|separated|divorc[eé]e?|divorciad[oa])$/iu]
]
