import { guessOutcome, leftAs } from "../columns/guessColumn.ts"
import type { ColumnProfile, TableProfile } from "../facts/TableProfile.ts"
import { namesArrival, namesEnd } from "../roles/knownColumns.ts"
import {
  columnWordsOf,
  isNoWord,
  isPersonal,
  isResult,
  isYesWord,
  namesDiagnosis,
  namesOtherState,
  namesState,
  namesThing
} from "./columnWords.ts"

/** The meaning of a status word: it took place, it did not or not yet, or it is unclear. */
type StateMeaning = "took-place" | "did-not" | "unclear"

/** Who was transferred or referred had come: the visit took place, and ended elsewhere. */
const tookPlace =
  /^(?:complet(?:e|ed|ado|ada)|done|finished|fulfilled|closed|cloture(?:e)?|discharged|attended|arrived|transfer(?:red)?(?: out)?|referred(?: out)?|admitted|transfere|refere|transferid[oa]|dirujuk|seen|served|check(?:ed)?[- ]?(?:in|out)|final(?:i[sz]ed)?|verified|termin(?:e|ee|ado|ada)|effectue(?:e)?|realise(?:e)?|honore(?:e)?|vu(?:e)?|sorti(?:e)?|realizad[oa]|atendid[oa]|conclu[ií]d[oa]|finalizad[oa]|cerrad[oa]|alta|selesai|sudah|hadir|hoan thanh|da kham|abgeschlossen|erledigt|entlassen|เสร็จสิ้น|ตรวจแล้ว|បានបញ្ចប់)$/u

const didNot =
  /\b(?:no show|noshow|cancel\w*|annul\w*|absent\w*|scheduled?|rescheduled?|planned|booked|pending|wait\w*|draft|void\w*|delet\w*|error|reject\w*|missed|refuted|did not|not (?:attended|done|seen|arrived|performed)|requested|proposed|confirmed|on hold|aborted|stopped|suspended|programad[oa]|agendad[oa]|pendiente|pendente|prevue?|planifiee?|attente|brouillon|supprimee?|batal|^belum$|tidak hadir|menunggu|terjadwal|huy|vang|cho kham|storniert|abgesagt|geplant|nicht erschienen)\b|ยกเลิก|ไม่มา|รอตรวจ|นัด|បានលុប|មិនមក|រង់ចាំ/u

/** Words for an entry that counts: certain, active, paid or not. A confirmed appointment is still to come; a confirmed diagnosis is one. */
const certain =
  /^(?:active|def|conf|resolved|reported|validated|valide(?:e)?|validad[oa]|approved|authori[sz]ed|released|dispensed|administered|administree?|administrad[oa]|aplicad[oa]|given|(?:un|partial(?:ly)? )?paid|billed|invoiced|posted|payee?|impayee?|pagad[oa]|lunas|confirm(?:ed|e|ee|ado|ada|at)|established|definit(?:e|ive|if|ivo|iva)|final|terkonfirmasi|gesichert|xac dinh|(?:primary|principal|main|secondary) diagnosis)$/u
const ruledOut =
  /\b(?:ruled out|excluded|refused|refusee?|declined|rechazad[oa]|recusad[oa]|not (?:given|administered|confirmed)|unconfirmed|ecartee?|exclue?|descartad[oa]|ausgeschlossen|loai tru)\b/u

/** Words for a diagnosis that is not certain. Whether it is sent is unclear. */
const suspected =
  /^(?:pre|pres|prov|suspected|suspicion|suspect|provisional|presumptive|presumed|probable|possible|query|presuntiv[oa]|sospech(?:a|os[oa])|probavel|suspeit[oa]|suspekt?|soupcon|verdacht(?:sdiagnose)?|vermutet|dugaan)$/u
const certaintyName = /\b(?:certainty|certitude|certeza|certidao|sicherheit|diagnosesicherheit|verification)\b/u

/** Whether a value is a word for an entry that is not certain or was ruled out, and whether it is one for any certainty. Such words name no one. */
export const isWordOfDoubt = (value: string): boolean => {
  const words = columnWordsOf(value)
  return suspected.test(words) || ruledOut.test(words)
}
export const isWordOfCertainty = (value: string): boolean => isWordOfDoubt(value) || certain.test(columnWordsOf(value))

/** Whether a column of entries states how certain they are: by its name, or by most of its words. A result can be one of these words, too. */
const isOfCertainty = ({ codes, name }: ColumnProfile): boolean => {
  const words = codes.map(([code]) => columnWordsOf(code))
  const known = codes.filter(([code]) => isWordOfCertainty(code))
  return certaintyName.test(columnWordsOf(name)) ||
    !isResult(name) && words.some((one) => suspected.test(one)) && known.length * 2 > words.length
}

/** Matches a word for a row that corrects an earlier one. The earlier row can be in the export, too, so such a row is not known to count. */
const corrects = /^(?:amended|corrected|revised|corrigee?|rectifiee?|corregid[oa]|corrigid[oa]|retificad[oa])$/u

/** Whether a status word is one for a row that corrects an earlier one. */
export const isCorrection = (value: string): boolean => corrects.test(columnWordsOf(value))

/** Returns the meaning of a status word of a visit, or of an entry such as a diagnosis. */
export const meaningOfState = (value: string, of: "visit" | "entry" = "visit"): StateMeaning => {
  const words = columnWordsOf(value)
  return of === "entry" && ruledOut.test(words)
    ? "did-not"
    : of === "entry" && certain.test(words)
    ? "took-place"
    : didNot.test(words)
    ? "did-not"
    : tookPlace.test(words)
    ? "took-place"
    : "unclear"
}

/** Whether a word is how a visit ended: who died, or left against advice, had come. `Expired` can be the state of an appointment. */
export const isEnd = (value: string): boolean =>
  (leftAs(value) ?? guessOutcome(value)) !== undefined && !/^exp(?:ired)?$/iu.test(value.trim())

/** Whether a value is a word for what was cancelled, which names no one. */
export const isWordForCancelled = (value: string): boolean =>
  /^(?:cancel(?:l?ed|ad[oa])?|annulee?|anulad[oa]|batal|dibatalkan|storniert|abgesagt|no[- ]?show|void(?:ed)?|ยกเลิก)$/u
    .test(columnWordsOf(value))

/** Whether every value is yes or no. */
export const isYesOrNo = ({ codes, withheld }: ColumnProfile): boolean =>
  codes.length > 0 && withheld === 0 && codes.every(([code]) => isYesWord(code) || isNoWord(code))

/** A column that shows which rows took place. */
export interface StateColumn {
  readonly column: ColumnProfile
  /** The column has ends or payments: each of its words is a row that took place, unless it says the opposite. */
  readonly isEnd: boolean
}

/** Finds the columns in a table of visits that state how certain its diagnoses are, or their states. */
export const statesOfDiagnoses = ({ columns }: TableProfile): ReadonlyArray<ColumnProfile> =>
  columns.filter((column) => isCoded(column) && isOfDiagnosis(column))

const isOfDiagnosis = (column: ColumnProfile): boolean =>
  isOfCertainty(column) || namesDiagnosis(column.name) && namesState(column.name)

const isCoded = ({ kind }: ColumnProfile): boolean =>
  kind === "code" || kind === "text" || kind === "boolean" || kind === "integer"

/**
 * Finds the status columns: by their names, or because several of their values are status words. A column of outcomes or
 * payments is a status column, too. In a later extract, it can have the word for a cancelled row.
 */
export const stateColumns = ({ columns }: TableProfile, of: "visit" | "entry"): ReadonlyArray<StateColumn> => {
  const filled = columns.filter((column) =>
    isCoded(column) && !(of === "visit" && (namesArrival(column.name) || isOfDiagnosis(column)))
  )
  const candidates = filled.filter(({ name }) => !namesOtherState(name))
  const spoken = (column: ColumnProfile): number =>
    column.codes.filter(([code]) => meaningOfState(code, of) !== "unclear").length
  const hasOthers = ({ codes }: ColumnProfile): boolean =>
    codes.some(([code]) => meaningOfState(code, of) === "did-not")
  const isCalledState = ({ name }: ColumnProfile): boolean => namesState(name)
  const isEndOf = (column: ColumnProfile): boolean =>
    of === "visit" && (namesEnd(column.name) || column.codes.some(([code]) => isEnd(code)))
  /** Whether a second column of states is about the rows: the state of an address has this name, too. */
  const isOfRows = (column: ColumnProfile): boolean => {
    const words = columnWordsOf(column.name)
    return ofMoney.test(words) || candidates.includes(column) && !/^(?:state|etat|estado)$/u.test(words)
  }
  const columnsOfState = candidates.filter(isCalledState)
  const speaking = columnsOfState.filter((column) => spoken(column) > 0)
  const first = columnsOfState.find(({ different }) => different <= 12) ??
    // A rare value is not among the codes: it can be that of cancelled rows.
    candidates.find((column) =>
      isEndOf(column)
        ? hasOthers(column)
        : spoken(column) > (column.codes.length === 1 && column.withheld > 0 ? 0 : 1)
    )
  const states = [
    ...new Set([
      ...(speaking.length > 0 || first === undefined ? speaking : [first]),
      ...(of === "entry" ? filled.filter(isOfCertainty) : [])
    ])
  ]
  // A column that is empty so far is one, too.
  const empty = columns.filter(({ kind, name }) => kind === "empty" && namesState(name) && !namesOtherState(name))
  const ends = filled.filter((column) =>
    !states.includes(column) && column.codes.length > 0 &&
    (of === "visit" && namesEnd(column.name) || isCalledState(column) && isOfRows(column) ||
      column.codes.every(([code]) => meaningOfState(code, of) !== "unclear" || of === "visit" && isEnd(code)) &&
        spoken(column) > 0)
  )
  return [
    ...states.map((column) => ({ column, isEnd: false })),
    ...[...ends, ...empty].map((column) => ({ column, isEnd: true }))
  ]
}

/**
 * Returns the other columns in which a row can have the word for a cancelled row: codes, remarks, and outcomes in free words. They are no
 * states, so that each other value is sent.
 */
export const columnsOfWords = ({ columns, keys, links }: TableProfile): ReadonlyArray<ColumnProfile> =>
  columns.filter((column) => {
    const { filled, kind, name } = column
    const words = columnWordsOf(name)
    return filled > 0 && !isYesOrNo(column) && !keys.includes(name) && !links.some(({ column }) => column === name) &&
      (remarks.test(words) || !isPersonal(name, { isPeople: false }) && !otherCodes.test(words) &&
          !namesDiagnosis(name) && !namesThing(name) && (
            kind === "code" || kind === "boolean" ||
            kind === "text" && (namesEnd(name) || isResult(name) || namesState(name))
          ))
  })

/** Codes of things and measures, which are never cancelled. */
const otherCodes =
  /\b(?:codes?|names?|units?|unite|unidad|dos\w*|strength|forms?|routes?|sex|gender|type|tipo|currency|analy\w*|specimen)\b/u
const remarks =
  /\b(?:notes?|comments?|remarks?|observa\w*|remarques?|commentaires?|keterangan|catatan|ghi chu|bemerkung(?:en)?)\b|หมายเหตุ|ផ្សេងៗ/u

/** States of the payment of a row, such as a bill that is paid or voided. */
const ofMoney = /\b(?:payment|paid|paiement|pago|billing|claim)\b/u
