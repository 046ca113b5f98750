import { getOrRemember } from "../../../../maps.ts"
import { plainLatin } from "../../plainLatin.ts"
import { vitalSignOf, vitalSigns } from "../../vitalSigns.ts"
import { wordsInEnglish } from "./wordsInEnglish.ts"

/** Returns the words of a column's or file's name, in lower case, without accents, separated by one space. */
export const ownWordsOf = (name: string): string =>
  plainLatin(name.replaceAll(/\bn[°º˚]|№|(?<=\p{L} ?)#/giu, " no ")).replaceAll(
    /([a-z])([A-Z])|([A-Z]{2})([A-Z][a-z]{2}|N[or]\b|Id\b)/gu,
    "$1$3 $2$4"
  )
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim().toLowerCase()

/** The same, with abbreviations and words of other languages in English. Each question about a column asks for them again. */
export const columnWordsOf = (name: string): string => getOrRemember(wordsOfColumns, name, wordsInEnglishOf)

const wordsOfColumns = new Map<string, string>()

const wordsInEnglishOf = (name: string): string => {
  // A prefix in capitals is the group of a data element: `VIT - Weight`.
  const own = ownWordsOf(withoutList(name.replace(/^\s*[A-Z]{2,6} - (?=\S)/u, "")))
    // `REG_DT_TM` is a time. `SEX_DISP` is how a code is displayed, and `DISCH_DISP` a disposition.
    .replace(/ dt tm$/u, " date time").replace(/(?<!^|\bdis?ch\w*|\bpat\w*|\bhosp\w*|\bed) disp(?:lay)?$/u, "")
  return wordsInEnglish.get(own.replaceAll(" ", "")) ??
    own.replaceAll(/[\p{L}\p{M}]+/gu, (word) => wordsInEnglish.get(word) ?? word)
}

/**
 * A column without the list that its rows are from, as in `Invoice Lines/Subtotal`, `line_ids/price_subtotal` and `Amount (Items)`. The number of a
 * row of the list keeps it: `ID (Items)` is not the number of the document.
 */
const withoutList = (name: string): string => {
  const own = name.replace(/^.*(?:lines?|_ids)\/(?=\S)/iu, "")
    .replace(/(?<=\S) \((?:\p{L}+ )*(?:items?|lines?|details?|prescriptions?)\)$/iu, "")
  return /^(?:external )?(?:id|no\.?|nr|number|code|name)$/iu.test(own.trim()) ? name : own
}

/** Matches columns with a person's identity, address, contacts, or free text about them. */
const personal =
  /\b(?:sur ?name|fore ?names?|[fl]name|first(?: name)?|last(?: name)?|given|family|middle|maiden|full name|nick ?name|patient name|pat name|mother|father|owner ?name|phone|tel(?:ephone)?|mobile|contact|e ?mail|address|street|house|ssn|drivers|passport|national id|id card|card(?: no| number| code)?|birth\w*|born|dob|lat|lon|photos?|notes?|comments?|remarks?|complaint|history|symptoms?|subjective|objective|assessment|narrative|advice|text|nom|noms|prenoms?|famille|naissance|ne le|ne e le|tel fixe|adresse|domicile|quartier|mere|pere|conjoint|accompagnant|courriel|apellidos?|apelidos?|nomes?|cognome|nombres?|nacimiento|nac|ape|apell|direccion|domicilio|telefono|correo|madre|padre|sobrenome|nascimento|endereco|nama|alamat|ibu|ayah|lahir|ho ten|ho va ten|ten benh nhan|ngay sinh|dia chi|dien thoai|vorname|nachname|anschrift|geburt\w*)\b/u

/** Matches columns of the person who did something. */
const staff =
  /\b(?:doctor|physician|(?<!cr )dr(?! cr)|nurse|staff|provider(?! spell)|practitioner|attending|author|clinician|recorder|cashier|surgeon|anesthetist|operator|user|technician|by|medecin|docteur|infirmiere?s?|ide|soignant|prescripteur|chirurgien|anesthesiste|sage femme|caissiere?|radiologue|biologiste|laborantin|pharmacien|agent|auteur|medico|enfermer[oa]|cirujano|dokter|perawat|bidan|bac si|dieu duong|arzt|pfleger)\b/u

const numbered = (words: string): RegExp => {
  const number = "id|no|nr|num|numero|number|code"
  return new RegExp(`^(?:${number}) (?:${words})$|^(?:${words}) ?(?:${number}|ref|reference)$`, "u")
}

/** Matches columns with the number of a bill; and those with the number of a receipt. */
export const billNumbers = numbered("bill(?:ing)?(?: transaction)?|invoice|inv")
export const receiptNumbers = numbered("receipt|rcpt")

/** Whether a column, by its name, numbers bills. */
export const namesBill = (name: string): boolean => {
  const words = columnWordsOf(name)
  return billNumbers.test(words) || receiptNumbers.test(words)
}

/** Whether a column names the person who did something. Who pays for something does not do it. */
export const namesStaff = (name: string): boolean => {
  const words = columnWordsOf(name)
  return staff.test(words) &&
    !/\b(?:insur\w*|payers?|types?|roles?|(?:paid|covered|followed|caused|grouped) by)\b/u.test(words)
}

/** Whether a table, by its name, lists the people who work in the hospital. */
export const listsStaff = (label: string): boolean => {
  const words = columnWordsOf(label)
  return /\b(?:users?|staffs?|employees?|personnel|doctors?|physicians?|nurses?|clinicians?|providers?|practitioners?|medecins?|medicos?|utilisateurs?|usuarios?|empleados?|funcionarios?|dokter|pegawai)\b/u
    .test(words) &&
    !/\b(?:roles?|types?|groups?|rights?|permissions?|log(?:in)?s?|shifts?|schedules?|leaves?|departments?|patients?|visits?)\b/u
      .test(words)
}

/** Whether a column is about a person by its name: its values are never shown. */
export const isPersonal = (name: string, table: { readonly isPeople: boolean }): boolean => {
  const words = columnWordsOf(name)
  return personal.test(words) || staff.test(words) || (table.isPeople && /\bname\b/u.test(words))
}

/** Whether a column, by its name, has names of patients or of their families. */
export const namesNameOfPerson = (name: string): boolean =>
  /^(?:patients?|pat|clients?|persons?|beneficiary|member|mother|father|guardian|spouse)(?: (?:full|display|first|last|given|family))* ?names?$|^(?:first|last|family|given|middle|maiden|fore|sur) ?names?$|^names? of (?:the )?(?:patient|client|person|beneficiary|mother|father)$|^(?:[fl]name|apellidos?|sobrenome|prenoms?|nombre (?:del )?paciente|nome (?:do )?paciente|nom (?:du )?patient|nama pasien|ho (?:va )?ten|ten benh nhan)$/u
    .test(columnWordsOf(name))

/** Matches columns whose values are codes or names of things. */
const coded =
  /\b(?:types?|tipo|status|stat|statut|estatus|situacao|disp|estado|etat|state|codes?|categor\w*|class|classe|clase|jenis|encounterclass|kind|kinds|nature|group|mode|modo|units?|unite|unidad|dept|departments?|departement|services?|wards?|servicios?|servicos?|clinics?|items?|tests?|exams?|examens?|analyses?|drugs?|medicines?|medications?|medicaments?|products?|signs?|ranks?|rang|ordre|orden|urutan|levels?|priority|order|certainty|disposition|issue|evolution|routes?|forms?|frequency|methods?|outcomes?|durations?|condition|condic\w*|egreso|sortie|pulang|results?|icd\w*|cim\w*|procedures?|payments?|paiement|payers?|insurance|assurance|scheme|paid|paye|modalite|modality|sex|sexe|sexo|gender|genre|genero|jenis kelamin|gioi tinh|marital|civil|situation|blood|nationality|language|race|ethnicity|religion|flag|void(?:ed)?|deleted|cancell?ed|arrival|specimen|panel|discharge\w*|admission)\b/u

/** Whether a column, by its name, holds the currencies of amounts. */
export const namesCurrency = (name: string): boolean =>
  /^(?:currency|curr|ccy|devise|moneda|moeda)(?: ?code)?$|^code (?:devise|moneda|moeda)$/u.test(columnWordsOf(name))

/** Whether a column's name shows that its values are codes or names of things. */
export const isCalledCoded = (name: string): boolean => coded.test(columnWordsOf(name)) || namesCurrency(name)

/** Words before or after the name of what a number numbers. */
const numbers = "id|no|nr|nro|num|numero|number|code|codigo|key|uuid|guid|ma|so|nomor"
const naming = (words: string): RegExp =>
  new RegExp(
    `^(?:(?:local|hosp(?:ital)?|internal|unique) )?(?:(?:${numbers}) )?(?:${words})(?: ?(?:${numbers}|identifier))?$`,
    "u"
  )

const patient = new RegExp(
  `${
    naming(
      "patient|paciente|pasien|benh nhan|pat|person|client|beneficiary|subject|hn|mrn|pid|ipp|nip|hc|dossier|expediente|historia clinica|rekam medis|pront|prontuario|tracked entity(?: instance)?"
    ).source
  }|^hosp(?:ital)? (?:no|nr|num|number)$`,
  "u"
)
const visits =
  "visit|encounter|admission|episode|stay|attendance|(?:provider )?spell|vn|an|case|event|passage|sejour|visite|visita|episodio|atencion|atendimento|kunjungan|luot kham"
const visit = naming(visits)
const ofVisit = new RegExp(`\\b(?:${visits})\\b`, "u")

/** Whether a column is called after the number of a member of an insurance, which in India can also be that of a place. */
export const namesMember = (name: string): boolean =>
  /^(?:pin|philhealth(?: (?:id|no|number|pin))?)$/u.test(columnWordsOf(name))

/** Whether a column, by its name, holds diagnoses or their codes. Diagnostic tests are no diagnoses. */
export const namesDiagnosis = (name: string): boolean =>
  /icd|\bcim|\bcie(?: ?\d|\b)|diag(?!\w* (?:tests?|services?|imaging|procedures?|reports?|centers?|centres?|labs?|exams?)\b)|\bp?dx|\bcid ?10\b|\b(?:diseases?|illness\w*|maladies?|enfermedad(?:es)?|doencas?|(?:main|primary|principal|secondary) conditions?)\b/u
    .test(columnWordsOf(name))

/** Whether a column, by its name, holds codes of what was done, given or charged: `S01` of a service is no diagnosis. */
export const namesThing = (name: string): boolean =>
  !namesDiagnosis(name) &&
  /\b(?:services?|servicios?|servicos?|prestations?|items?|articles?|articulos?|drugs?|medicines?|medications?|medicaments?|products?|tests?|exams?|examens?|labs?|procedures?|actes?|charges?|tariffs?|cpt|hcpcs|atc|beds?|wards?|rooms?|locations?|clinics?|departments?)\b/u
    .test(columnWordsOf(name))

/** Whether a column, by its name, holds a number that a person has for life. */
export const namesPerson = (name: string): boolean =>
  namesPatient(name) ||
  /\b(?:nhs|national|nid|nik|cnic|uhid|health)\b.*\b(?:id|no|nr|num|number|code)$/u.test(columnWordsOf(name))

/** Whether a column holds a number that people are known by elsewhere: of a card, a register or an insurance. */
export const isIdentifier = (name: string): boolean =>
  /^(?:uhid|ficha|prontuario)$|\b(?:nhs|national|insurance|card|nid|nik|cnic|uhid|health|reg|regn|register|registration|file|folder|chart|cr|opd|op|ficha|prontuario)\b.*\b(?:id|no|nr|num|number|code)$/u
    .test(columnWordsOf(name))

/** Whether a column refers to the patient of its row, or the visit. */
export const namesPatient = (name: string): boolean => patient.test(columnWordsOf(name))
export const isVisitColumnName = (name: string): boolean => visit.test(columnWordsOf(name))

/** Whether a column's name has a word for the visit, and none for its type, its state or a time. */
export const mentionsVisit = (name: string): boolean =>
  ofVisit.test(columnWordsOf(name)) && !namesDate(name) && !namesTime(name) &&
  !/\b(?:types?|class|kind|status|state|reason|outcome)\b/u.test(columnWordsOf(name))

/** Whether a column names the hospital, not a person's number there. */
export const namesHospital = (name: string): boolean => {
  const words = columnWordsOf(name)
  return !namesPatient(name) && !isVisitColumnName(name) &&
    /^(?:(?:health ?)?(?:facility|centre|center)|hospital|clinic|site|campus|branch|organi[sz]ation|institution|etablissement|hopital|establecimiento|unidade?|rumah sakit|benh vien)(?: (?:id|code|no|name|nom|nombre|nama))?$/u
      .test(words)
}

/** Whether a table is named after parts of visits: `DRUG_OPD`, `visit_diagnoses`. */
export const namesPartOfVisits = (name: string): boolean =>
  /\b(?:drugs?|medic(?:ine|ation|ament)s?|dispens\w*|prescri\w*|diag\w*|p?dx|charges?|bills?|billing|invoices?|procedures?|labs?|results?|vitals?|signs?|items?|lines?)\b/u
    .test(columnWordsOf(name))

/** Whether a column has the name of a key. `value_as_number` is a value. */
export const isKeyName = (name: string): boolean =>
  /\b(?:no|nr|num|(?<!\bas )number|key|vn|hn|an|mrn)$|(?<!pa)(?:id|code)$|^(?:id(?! type\b)|no|nr|num|numero|nomor|ma|so) /u
    .test(
      columnWordsOf(name)
    )

/** Whether a column, by its name, counts the rows of a list. */
export const isRowNumber = (name: string): boolean =>
  name.trim() === "#" ||
  /^(?:no|nr|n|num|number|numero|seq(?:uence)?|(?:s|sl|sr|ser|serial) ?(?:no?|num(?:ber)?)|serial|no urut|row ?(?:no|num(?:ber)?)?|line(?: no)?|stt|lp|orden|ordre|rang|index|idx|item|ลำดับ(?:ที่)?|ល រ|លរ)$/u
    .test(columnWordsOf(name))

/** Whether a column, by its name, holds dates. */
export const namesDate = (name: string): boolean => {
  const words = columnWordsOf(name)
  return /\b(?:date|day|dt|fecha|data|datum|tanggal|ngay|jour|date ?time|time|at)\b|\bon$|วันที่|ថ្ងៃ/u.test(words) ||
    born.test(words) ||
    begins.test(words) || ends.test(words)
}

/** Whether a column, by its name, holds times of day. */
export const namesTime = (name: string): boolean =>
  /\b(?:time|hour|heure|hora|horario|uhrzeit|jam|gio)\b/u.test(columnWordsOf(name))

/** Whether a column numbers rows below something else: the lines of an invoice, the ranks of diagnoses. The amount of a line does not. */
export const isRank = (name: string): boolean =>
  /\b(?:seq|sequence|line|row|rank|ligne|rang|linea|orden)\b/u.test(columnWordsOf(name)) && !isMoney(name) &&
  !/\b(?:qty|quantity|units|count)\b/u.test(columnWordsOf(name))

/** The times of day of a dose, and words of their columns. */
export const timesOfDay: ReadonlyArray<readonly [field: string, words: RegExp]> = [
  ["morning", /\bmorning\b/u],
  ["afternoon", /\b(?:afternoon|noon)\b/u],
  ["evening", /\bevening\b/u],
  ["night", /\b(?:night|bedtime)\b/u]
]

/** Whether a column is called after a time of day. */
export const namesTimeOfDay = (name: string): boolean => timesOfDay.some(([, words]) => words.test(columnWordsOf(name)))

/** Whether a column, by its name, holds years: numbers often begin again each year. */
export const isYear = (name: string): boolean =>
  /^(?:year|yr|annee|ano|anio|exercicio|ejercicio|exercice|tahun|nam|ปี|ឆ្នាំ)$/u.test(columnWordsOf(name))

/** Whether a column, by its name, can have numbers that begin again each year. */
export const isNumberOfYear = (name: string): boolean =>
  isVisitColumnName(name) || /^(?:n(?:o|umero) (?:de )?)?folio(?: (?:no|number|numero))?$/u.test(columnWordsOf(name))

/** Whether a column may be part of a two-column key. */
export const mayPair = (name: string): boolean =>
  isKeyName(name) || isNumberOfYear(name) || isRank(name) || namesPatient(name) || isYear(name) ||
  /\bversion$/u.test(columnWordsOf(name))

/** Whether a column, by its name, has the types of items, such as services and medicines. */
export const namesKindOfItem = (name: string): boolean =>
  /^(?:(?:item|line|product|article|articulo|charge|concept) ?(?:type|tipo|category|class|group)|(?:type|tipo|category|categoria|class|clase|group|grupo) (?:de |of |d )?(?:item|line|product|article|articulo|charge|concept))$/u
    .test(columnWordsOf(name))

/** Words of a cell that mean no value. */
export const nullWords: ReadonlySet<string> = new Set(
  ["null", "\\n", "-", "--", "n/a", "na", "none", "nil", "nan", ".", "?", "unknown", "#n/a", "0000-00-00", "00/00/0000"]
    // A day that programs write for none has a time of day in columns of times.
    .flatMap((word) => word.startsWith("0") ? [word, `${word} 00:00`, `${word} 00:00:00`] : [word])
)

/** Whether a code is a sign of comparison, such as that of a result below a limit. */
export const isComparison = (code: string): boolean => /^(?:[<>]=?|=|[\u2264\u2265~])$/u.test(code)

/** Words for signs of comparison. */
export const comparisons: ReadonlyMap<string, string> = new Map(
  [["LT", "<"], ["LE", "<="], ["GT", ">"], ["GE", ">="], ["EQ", "="]]
)

/** Whether a column, by its name, holds signs of comparison: those of results, and not of their ranges. */
export const namesComparison = (name: string): boolean =>
  /^(?:result |value )?(?:modifier|operator|comparator|qualifier|prefix|sign)$/u.test(columnWordsOf(name))

/** Common codes that identify no one: a digit, a sex, inpatient or outpatient, a sign, a debit or credit. */
export const isCommonCode = (code: string): boolean =>
  isComparison(code) || /^(?:[+-]|[cd]r|db|debit|credit)$/iu.test(code) ||
  /^(?:\d|[a-z]|male|female|yes|no|true|false|opd|ipd|ip|op|er|ed|amb|imp|emer|in-?patient|out-?patient|ambulatory|emergency|wellness|urgent ?care|virtual|home|hospice)$/iu
    .test(code)

/** Words of a cell that are yes or no. */
export const yesNo: ReadonlySet<string> = new Set(["y", "n", "yes", "no", "true", "false", "t", "f"])

/** Words of a cell for yes and no in a column of cancelled rows. */
export const yesWords: ReadonlyArray<string> = "1 y yes t true x oui o s si sí sim ya ja có".split(" ")
export const noWords: ReadonlyArray<string> = "0 n no non f false nao não tidak nein không".split(" ")
export const isYesWord = (text: string): boolean => yesWords.includes(text.toLowerCase())
export const isNoWord = (text: string): boolean => noWords.includes(text.toLowerCase())

/** Whether a column, by its name, is about the cancellation or the deletion of its row. */
export const namesVoid = (name: string): boolean => {
  const words = columnWordsOf(name)
  return deletes.test(words) ||
    /\b(?:annul\w*|anul\w*|erased|retracted|revoked|reversed|supprim\w*|borrad[oa]|estornad[oa]|estorno|storn\w*|dibatalkan|pembatalan|huy|in error|erroneous|no ?show|is test|test (?:patient|visit|record|data)|dummy|inactiv\w*|inativ\w*)\b|ยกเลิก/u
      .test(words)
}

/** Whether a column, by its name, says that its row is still in use. */
export const namesActive = (name: string): boolean =>
  /^(?:is |sn |row |record |visit )?(?:activ[eoa]|ativ[oa]|actif|aktif|enabled|valid)(?: flag| yn| sn| ind(?:icator)?)?$/u
    .test(
      columnWordsOf(name)
    )

/** Matches columns of states. */
const stateName =
  /\b(?:status|state|statut|etat|estado|estatus|situacao|situacion|trang thai|tinh trang|stav|zustand)\b|สถานะ|ស្ថានភាព/u

/** States of something else: of a person, a payment, a disease, an address. */
const otherState =
  /\b(?:marital|civil|family|payment|paid|paiement|pago|billing|claim|insurance|employment|clinical|disease|vital|mental|conscious\w*|mobility|smok\w*|pregnan\w*|vaccin\w*|immuni\w*|nutrition\w*|hiv|art|tb|discharge|sortie|egreso|alta|salida|saida|pulang|keluar|ra vien|health|province|region|country|address|life|living|menstrual|fasting|housing|student|residence|citizenship)\b|จำหน่าย|สมรส|ชำระ|សុខភាព|អាពាហ៍ពិពាហ៍|បង់ប្រាក់/u

/** Whether a column, by its name, holds states, and whether these are of something else than its row. */
export const namesState = (name: string): boolean => stateName.test(columnWordsOf(name))
export const namesOtherState = (name: string): boolean => otherState.test(columnWordsOf(name))

/** Words that names of vital signs are made of. */
const signWords: ReadonlySet<string> = new Set(
  ("systolic diastolic blood pressure bp non invasive noninvasive sitting standing heart pulse rate respiratory respiration breathing body "
    + "temperature temp oral axillary tympanic celsius oxygen saturation spo2 sao2 o2 sat by oximetry in arterial random glucose sugar of")
    .split(" ")
)

/** Returns the vital sign that a value names, also with a unit after it. An abbreviation, a LOINC code, or words that never name a person show it. */
export const vitalSignNamed = (value: string): string | undefined => {
  const { unit, words } = withoutUnit(value)
  // The minimum of a heart rate is not a heart rate per minute.
  const isUnit = unit !== "" && (!unit.startsWith("min") || /[/([]/u.test(value))
  return signNamed(value) ?? (isUnit ? signNamed(words) : undefined)
}

const signNamed = (value: string): string | undefined => {
  const words = columnWordsOf(value)
  const short = vitalSigns.find((sign) => sign.columnWords.test(words) && !/[^a-z0-9 ]/u.test(words))
  if (short !== undefined && words.split(" ").length < 3) return short.name
  if (/^\d{4,5}-\d$/u.test(value)) {
    return vitalSignOf({ words: undefined, codings: [{ system: "http://loinc.org", code: value, display: undefined }] })
      ?.sign.name
  }
  return words !== "" && words.split(" ").every((word) => signWords.has(word))
    ? vitalSignOf({ words, codings: [] })?.sign.name
    : undefined
}

/** Other measures with columns of their own. */
const measures = /^(?:bmi|imc|waist)$/u

/** Words of a column of heights, and of one of weights. */
export const heightWords =
  /^(?:ht|(?:body |standing )?(?:height|length)|stature|taille|talla|altura|estatura|(?:koerper|korper)?(?:groesse|grosse)|tinggi(?: badan)?|chieu cao)$/u
export const weightWords =
  /^(?:(?:body )?(?:weight|wt)|bw|poids(?: corporel)?|peso(?: corporal)?|(?:koerper|korper)?gewicht|berat(?: badan)?|can nang)$/u

/** Whether a column, by its name, holds both blood pressures. */
export const namesPressures = (name: string): boolean =>
  /^(?:bp|ta|pa|blood pressures?|(?:tension|pression|presion|pressao)(?: arterielle| arterial)?)$/u.test(
    columnWordsOf(name)
  )

/** The name of a column without a unit at its end, and the unit. */
export const withoutUnit = (name: string): { readonly words: string; readonly unit: string } => {
  const all = columnWordsOf(name.replaceAll("%", " percent "))
  const found =
    /^(.+?) (?:in )?(?:deg(?:rees?)? )?(c|f|celsius|fahrenheit|percent|mm ?hg|bpm|(?:beats |per |x )?min(?:ute)?|\d+ min|k ?pa|kgs?|kilos?|kilograms?|kilogrammes?|lbs?|pounds?|gr?|gms?|grams?|oz|ounces?|cms?|m|meters?|metres?|mm|in|inch(?:es)?|ft|feet|foot|mg d ?l|mmol l)$/u
      .exec(all)
  const [, words = all, unit = ""] = found ?? []
  return { words, unit }
}

/** Whether a name or a code of LOINC is that of a person's height or weight. */
export const sizeNamed = (value: string): "height" | "weight" | undefined => {
  const { words } = withoutUnit(value)
  return /^(?:8302-2|8306-3|8308-9|3137-7|3138-5)$/u.test(value.trim()) || heightWords.test(words)
    ? "height"
    : /^(?:29463-7|3141-9|3142-7|8335-2)$/u.test(value.trim()) || weightWords.test(words)
    ? "weight"
    : undefined
}

/** Whether a column, by its name, holds a vital sign, heights or weights. */
export const namesSign = (name: string): boolean => {
  const { words } = withoutUnit(name)
  return heightWords.test(words) || weightWords.test(words) || vitalSigns.some((sign) => sign.columnWords.test(words))
}

export const isMeasure = (name: string): boolean => measures.test(withoutUnit(name).words) || namesSign(name)

/** Matches columns of discounts. Another abbreviation, as in "disc date", is of a discharge. */
const discounts =
  /\b(?:discounts?|rebates?|descuentos?|descontos?|remises?|rabais)\b|^disc(?: (?:amount|amt|value|pct|perc|percent(?:age)?))?$/u

/** Whether a column, by its name, holds discounts: as amounts, or as percentages. */
export const isDiscount = (name: string): boolean => {
  const words = columnWordsOf(name)
  return discounts.test(words) && !isKeyName(name) && !namesDate(name) &&
    !/\b(?:types?|tipo|kind|reasons?|motivo|motif|by|names?|nom|nombre|group|category|scheme|approved|is|has)\b/u.test(
      words
    )
}

/** Whether a column, by its name, holds percentages. */
export const isPercentage = (name: string): boolean =>
  /%|\b(?:pct|perc|percent(?:age)?|porcentaje|percentual|porcentagem|pourcentage|taux|rate|tasa|taxa)\b/u.test(
    `${name.replaceAll(/[^%]/gu, "")} ${columnWordsOf(name)}`
  )

/** Whether numbers of a column are amounts rather than codes. */
export const isAmount = (name: string): boolean =>
  isMeasure(name) || isRank(name) || isDiscount(name) || (!isKeyName(name) &&
    (isMoney(name) ||
      /\b(?:qty|quantity|count|value|result|days|units?|dose|age|order)\b/u.test(columnWordsOf(name))))

/** Whether a column, by its name, holds only a part of what was charged or paid: a tax, or the share of an insurer. */
export const namesShare = (name: string): boolean => {
  const words = columnWordsOf(name)
  return !/\b(?:incl\w*|ttc|excl\w*|ht|(?:with|without|before|after|net of|avec|sans|hors|con|sin|com|sem) (?:tax\w*|vat|gst|tva|iva|igv|impuestos?|impostos?))\b/u
    .test(words) &&
    /\b(?:tax\w*|vat|gst|cgst|sgst|igst|hst|tva|iva|igv|itbis|ppn|icms|iss|impuestos?|impostos?|insur\w*|assur\w*|asegura\w*|segur[oa]|bpjs|payer|third party|tiers|cover\w*|couvert\w*|cubiert[oa]|coberto|paid|pa(?:ye|gado|go)|patient|co ?pay\w*|deductible|share|part|balance|solde|saldo|due|outstanding|refund\w*|adjust\w*|deposit\w*|advance|subsid\w*|approved|claim(?:ed)?|rejected|denied|waive\w*|exempt\w*|write ?off|exchange|conversion|currency|purchase|buying|wholesale)\b|\bcost price\b/u
      .test(words)
}

/** Words of a column of a line that counts what was given back, or has its amount. */
export const returnWords = [
  /^(?:ret(?:urn(?:ed|s)?)? (?:qty|quantity|units|count)|(?:qty|quantity) ret(?:urn(?:ed|s)?)?)$/u,
  /^(?:amount )?(?:refund(?:ed|s)?|returned|reversed)(?: (?:amount|value|total))?$/u
]

/** Whether a column, by its name, holds an amount that makes the amount of a line smaller: a discount, or something given back. */
export const namesLess = (name: string): boolean =>
  isDiscount(name) && !isPercentage(name) || returnWords.some((words) => words.test(columnWordsOf(name)))

/** Whether a column, by its name, has a text that is sent as it is with a result, a medicine or a service. */
export const namesField = (name: string): boolean =>
  /\b(?:units?|uom|unidade?|unite|strength|form|route|method|administration|instructions?|directions?|sig|usage|frequency|freq|interval|interpretation|abn(?:ormal\w*)?|range|category|panel|section)\b/u
    .test(columnWordsOf(name)) && !isKeyName(name) && !isMoney(name) && !namesDate(name)

/** Words of a column that says whether a line is paid. */
export const paidWords = /^(?:is )?paid$/u

/** Whether a column, by its name, holds money. */
export const isMoney = (name: string): boolean =>
  isDiscount(name) ||
  /\b(?:amounts?|prices?|costs?|(?:sub ?)?totals?|paid|payments?|co ?pay(?:s|ments?)?|deductibles?|charges?|fees?|balance|revenue|discount|tariff|rate|net|sum|tax|tarif|remise|harga|jumlah|gia|tien|pu)\b/u
    .test(columnWordsOf(name))

/** Words of a column with the names of the rows of a list. */
export const listNameWords = /^(?:.* )?(?:name|label|description|title)$|^(?:nom|libelle|nombre|nama)$/u

/** Words of a column with the price of one unit, the likeliest first. */
export const priceWords = [/\bunit ?(?:price|amount|cost)\b/u, /\b(?:price|rate)\b/u]

/** Words of a column with the quantity of a charge, the likeliest first. */
export const quantityWords = [
  /^(?:qty|quantity|units|count)$/u,
  /\b(?:item|line|service) (?:qty|quantity|units|count)$|^(?:qty|quantity|units) (?:charged|billed|sold|issued|dispensed)$/u,
  /^(?!.*\b(?:ret\w*|refund\w*|stock|hand|balance|remaining|free|pack|min\w*|max\w*|per|available|order\w*|request\w*|prescri\w*)\b).*\b(?:qty|quantity)\b/u
]

/** Whether a column, by its name, holds amounts of money that are charged: not discounts, codes or measures. */
export const namesCharge = (name: string): boolean =>
  isMoney(name) && isAmount(name) && !isDiscount(name) && !isMeasure(name) && !isResult(name) && !isCalledCoded(name)

/** Whether a column holds results, which can be numbers or words. */
export const isResult = (name: string): boolean =>
  /^(?:value|answer|ord(?:er)? value)$|\bresult(?: value)?$/u.test(columnWordsOf(name))

/** Words of a column of birth dates. */
export const born =
  /^birth$|\b(?:birth ?dates?|date of birth|dob|born|birthday|f(?:ec(?:ha)?)? nac\w*|naissance|ne le|ne e le|nacimiento|nascimento|nasc|nac|geburtsdatum|lahir|ngay sinh)\b/u

/** Matches columns of the beginning and of the end of a visit. */
const beginWords =
  /\b(?:adm(?:i\w*|sn)?|start\w*|begin\w*|began|arriv\w*|visit date|encounter date|date serv(?:ice)?|reg(?:istration)? date|vst ?date|time in|date in|in date|check(?:ed)? ?in|beginn|aufnahme|inicio|mulai|entree|arrivee|debut|ingreso|entrada|masuk|ngay vao)\b/u

const endWords =
  /\b(?:dis?ch\w*|stop\w*|end|ended|ends|depart(?:ed|ure)|left|leav\w*|time out|date out|out date|dsc ?date|exit|check(?:ed)? ?out|finish\w*|complet\w*|releas\w*|clos(?:ed?|ing)|ende|entlassung|fin|termin\w*|selesai|sortie|egreso|alta|salida|saida|keluar|ngay ra)\b/u

/** Matches columns of times that are not those of a visit: of an insurance, a bill, a result or an illness. */
const elsewhere =
  /\b(?:insur\w*|polic(?:y|ies)|cover(?:age)?|polizas?|seguros?|assurance|claims?|bill\w*|invoic\w*|payments?|receipts?|results?|reports?|sick|leave(?! ?(?:date|time)$)|certificates?|kin|symptoms?|onset|illness|symptomes?|sintomas?|incapacidad|pregnan\w*|medications?|drugs?|prescri\w*|labs?|samples?|specimens?|orders?|contracts?|employ\w*|member\w*|card|referr\w*|vaccin\w*)\b/u

/** Whether a column, by its words, has the beginning of a visit. A registration or a cancellation can be one of the patient or the bill. */
export const begins: Words = {
  test: (words) => beginWords.test(words) && !elsewhere.test(words) && !deletes.test(words)
}

/** Whether a column, by its words, has the end of a visit. */
export const ends: Words = {
  test: (words) => endWords.test(words) && !elsewhere.test(words) && !deletes.test(words)
}

/** Matches columns of other times than the beginning. */
export const otherTimes: Words = {
  test: (words) => otherTimeWords.test(words) || elsewhere.test(words) || deletes.test(words)
}

/** Matches the date of a visit itself, which wins over another beginning. */
export const visitDates =
  /^(?:date (?:of )?)?(?:the )?(?:visit|encounter|consultation|consult|attendance|visite|visita|atencion|consulta)(?: (?:start )?(?:date|time|date time|at|dt|on|day))?$|^(?:fecha|data|date|dt)(?: (?:de|da|do|de la))? (?:visit[ae]|atencion|consulta(?:tion)?|atendimento)$/u

interface Words {
  readonly test: (words: string) => boolean
}

const otherTimeWords =
  /\b(?:birth\w*|dob|born|follow\w*|next|appointment|created|updated|modified|printed|expir\w*|due|naissance|ne le|ne e le|cree le|nacimiento)\b/u

/** Matches columns of when, or whether, a row was deleted. */
export const deletes =
  /\b(?:deleted?|deletion|removed|cancel\w*|void(?:ed)?|annule\w*|annulation|supprime\w*|anulad[oa]|anulacion|eliminad[oa]|excluid[oa]|batal|dihapus)\b/u

/** Matches a column of sexes. */
export const sexed = /^(?:sex|sx|gender|sexe|genre|sexo|genero|jenis kelamin|gioi tinh)(?: (?:code|id))?$/u
