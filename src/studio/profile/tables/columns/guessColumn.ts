import { plainLatin } from "../../plainLatin.ts"

/** Guesses the meaning of codes in a column, and describes the guess. */
type Meant = readonly [value: string, doubt?: string]

/** Returns the sex that a code of the source means, judged by the codes of this kind. */
export const sexOf = (written: string, others: ReadonlyArray<string> = []): Meant | undefined => {
  const code = plainLatin(written.trim())
  const isBeside = (letter: RegExp): boolean => others.some((other) => letter.test(other.trim()))
  return /^m$/iu.test(code) && isBeside(/^[hv]$/iu)
    ? ["F", "with H or V it is mujer or mulher"]
    : /^m$/iu.test(code) && !isBeside(/^(?:[^m]|.{2,})$/iu)
    ? ["M", "no other value shows that it is not mujer or mulher"]
    : /^v$/iu.test(code) && isBeside(/^m$/iu)
    ? ["M", "with M it is var\u00F3n"]
    : /^h$/iu.test(code)
    ? ["M", "homme, hombre or homem"]
    : /^l$/iu.test(code) && isBeside(/^p$/iu)
    ? ["M", "with P it is laki-laki"]
    : /^p$/iu.test(code) && isBeside(/^l$/iu)
    ? ["F", "with L it is perempuan"]
    : /^(?:m|male|man|boy|masculino?|homme|hombre|homem|mannlich|maennlich|laki-laki|pria|nam|ชาย|ប្រុស|ຊາຍ|পুরুষ|पुरुष)$/iu
        .test(
          code
        )
    ? ["M"]
    : /^(?:f|female|woman|girl|feminin|femenino|feminino|femme|mujer|mulher|w|weiblich|perempuan|wanita|nu|หญิง|ស្រី|ຍິງ|মহিলা|महिला)$/iu
        .test(
          code
        )
    ? ["F"]
    : code === "1"
    ? ["M", "by ISO 5218"]
    : code === "2"
    ? ["F", "by ISO 5218"]
    : undefined
}

/** Returns how to read the sexes of a column. Numbers of a category list, by the name `SEX_C`, are not those of ISO 5218. */
export const sexIn = (column: string) => (code: string, others: ReadonlyArray<string>): Meant | undefined =>
  column.endsWith("_C") && /^\d+$/u.test(code.trim()) ? undefined : sexOf(code, others)

const stay =
  /in-?patient|^IPD?$|^I$|^IMP$|ward|admi(?:t|ssion)|hospice|snf|^(?:in|internad[oa]s?|internamento|internacao|internacion|hosp|hospitali[sz]\w*|rawat inap|ranap|noi tru|ผู้ป่วยใน|អ្នកជំងឺសម្រាកពេទ្យ|សម្រាកពេទ្យ|(?:voll|teil)?station(?:a|ae)r\w*|stationnaire)$/iu
const emergency =
  /emerg|^EMER$|^ER$|^ED$|^E$|casualty|trauma|^(?:urg(?:en[ct]\w*)?|[iu]gd|notfall\w*|cap cuu|pronto socorro|ฉุกเฉิน|សង្គ្រោះបន្ទាន់)$/iu
const outpatient =
  /out-?patient|ambulatory|^AMB$|^OPD?$|^O$|clinic|wellness|urgent|virtual|home|^(?:out|ambulant\w*|ambulatori(?:[oa]|al)|ambulatoire|externe|consult\w*(?: extern[ae])?|rawat jalan|rajal|ralan|poli(?:klinik)?(?: .*)?|ngoai tru|ผู้ป่วยนอก|អ្នកជំងឺក្រៅ|ជំងឺក្រៅ)$/iu

/** Whether a visit type that is not inpatient is an emergency. */
export const isEmergency = (code: string): boolean => !isStay(code) && emergency.test(plainLatin(code))

const isStay = (code: string): boolean => stay.test(plainLatin(code))

/** Whether a code clearly states inpatient, outpatient or emergency, whatever its column is called. */
export const isSide = (code: string): boolean =>
  code.length > 1 && !/clinic|home|ward|trauma|virtual|wellness|consult|^poli|^(?:in|out)$/iu.test(code) &&
  [stay, emergency, outpatient].some((words) => words.test(plainLatin(code)))

/** Returns whether a visit type is inpatient or outpatient; `undefined` for a word that shows neither, such as that of a department. */
export const sideOf = (code: string): Meant | undefined =>
  isStay(code) ? ["IPD"] : isEmergency(code) || outpatient.test(plainLatin(code)) ? ["OPD"] : undefined

/** Returns the marital status that an HL7 v3 code or a word means; the service's own values are unchanged. */
export const maritalStatusOf = (code: string): string | undefined => guessColumn(maritalStatuses, code)

const maritalStatuses: Meanings = [
  [
    "Single",
    /^(?:[su]|single|unmarried|never[ -]married|celibataire|solter[oa]|solteir[oa]|belum (?:menikah|kawin)|doc than)$/iu
  ],
  ["Married", /^(?:[mtc]|married|mariee?|casad[oa]|menikah|kawin|da ket hon)$/iu],
  ["Widowed", /^(?:w|widow(?:ed|er)?|veuf|veuve|viud[oa]|viuv[oa])$/iu],
  ["Divorced", /^(?:[dail]|divorced|separated|divorcee?|divorciad[oa])$/iu]
]

/** Returns the service's value for a code of discharge, outcome or arrival, judged by its words. */
export const leftAs = (code: string): string | undefined => guessColumn(waysToLeave, code)
export const guessOutcome = (code: string): string | undefined => guessColumn(outcomes, code)
export const cameAs = (code: string): string | undefined => guessColumn(waysToCome, code)

/** Whether a value is a word whose meaning is known, so that it names no one. */
export const isKnownMeaning = (code: string): boolean =>
  [leftAs, guessOutcome, cameAs, maritalStatusOf].some((meaningOf) => meaningOf(code) !== undefined) ||
  isMedicineWord(code) ||
  /^(?:main|primary|principale?|secondary|secondaire|secundari[oa]|lab(?:oratory)?|services?|consultation|x ?-?ray|imaging|procedure|days?|weeks?|months?)(?:\(s\))?$/iu
    .test(code.trim())

/** Whether a word among the types of items is one for medicines. */
export const isMedicineWord = (code: string): boolean =>
  /^(?:drugs?|medic(?:ine|ation|ament|amento)s?|pharmac(?:y|ie|euticals?)|farmac(?:ia|os?)|obat|thuoc|ยา|ថ្នាំ)$/iu.test(
    plainLatin(code.trim())
  )

type Meanings = ReadonlyArray<readonly [value: string, words: RegExp]>

const guessColumn = (meanings: Meanings, code: string): string | undefined =>
  meanings.find(([value, words]) =>
    value.toLowerCase() === code.trim().toLowerCase() || words.test(withoutEnding(plainLatin(code.trim())))
  )?.[0]

/** A word without the ending of the other sex: `marié(e)`, `soltero/a`. */
const withoutEnding = (code: string): string => code.replace(/ ?(?:\((?:n?e|a|o)\)|\/n?[aeo])$/iu, "")

const waysToLeave: Meanings = [
  [
    "Deceased",
    /^(?:dead|died|death|deceased|expired|exp|deces|decedee?|mort|fallecid[oa]|defuncion|obito|meninggal|tu vong)$/iu
  ],
  [
    "Unauthorized",
    /^(?:ama|lama|dama|(?:(?:left|discharged|home)\W*)*against (?:medical )?advice|(?:sorti\w* )?contre avis(?: medical)?|alta voluntaria|aps|aadvice)$/iu
  ],
  ["Absconded", /^(?:abscond(?:ed)?|escaped?|ran away|fugue|evadee?|fuga|kabur)$/iu],
  [
    "Refer Out",
    /^(?:refer(?:red|ral)?(?: out)?|transfer(?:red)?(?: out)?|referee?|transferee?|transferid[oa]|evacuee?|referid[oa]|trasladad[oa]|rujuk|dirujuk|chuyen vien|transferred\/referred)$/iu
  ],
  [
    "Authorized",
    /^(?:home|routine|discharged?(?: home)?|normale?|regular|domicile|a domicile|sortie normale|alta(?: medica)?|domicilio|pulang)$/iu
  ]
]

const outcomes: Meanings = [
  [
    "Deceased",
    /^(?:dead|died|death|expired|exp|deces|decedee?|mort|fallecid[oa]|defuncion|obito|meninggal|tu vong)$/iu
  ],
  ["Recovered", /^(?:cured?|recovered|recovery|guerie?|guerison|curad[oa]|recuperad[oa]|sembuh|khoi(?: benh)?)$/iu],
  ["Improved", /^(?:improv(?:ed|ing)|relieved|better|amelioree?|amelioration|mejorad[oa]|melhorad[oa]|membaik)$/iu],
  ["Unchanged", /^(?:unchanged|not improved|no change|same|stable|stationnaire|inchangee?|igual|sin cambios?|tetap)$/iu]
]

const waysToCome: Meanings = [
  ["Walk-in", /^(?:walk[- ]?in|walked in|self|self[- ]?referr(?:ed|al)|spontanee?|espontane[oa])$/iu],
  ["Appointment", /^(?:appointment|appt|booked|scheduled|elective|planned|rendez-vous|rdv|cita|programad[oa])$/iu],
  ["Refer", /^(?:refer(?:red|ral)?(?: in)?|transfer(?:red)?(?: in)?|referee?|referid[oa]|rujukan)$/iu]
]
