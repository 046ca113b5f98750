import { columnWordsOf } from "./columnWords.ts"
import { namesArrival, namesEnd } from "./findRoles.ts"
import { guessOutcome, leftAs } from "./guessColumn.ts"
import type { ColumnProfile, TableProfile } from "./TableProfile.ts"

/** The meaning of a status word: it took place, it did not or not yet, or it is unclear. */
type StateMeaning = "took-place" | "did-not" | "unclear"

/** Who was transferred or referred had come: the visit took place, and ended elsewhere. */
const tookPlace =
  /^(?:complet(?:e|ed|ado|ada)|done|finished|fulfilled|closed|discharged|attended|arrived|transfer(?:red)?(?: out)?|referred(?: out)?|admitted|transfere|refere|transferid[oa]|dirujuk|seen|served|check(?:ed)?[- ]?(?:in|out)|final(?:i[sz]ed)?|verified|termin(?:e|ee|ado|ada)|effectue(?:e)?|realise(?:e)?|honore(?:e)?|vu(?:e)?|sorti(?:e)?|realizad[oa]|atendid[oa]|conclu[ií]d[oa]|finalizad[oa]|cerrad[oa]|alta|selesai|sudah|hadir|hoan thanh|da kham|abgeschlossen|erledigt|entlassen|เสร็จสิ้น|ตรวจแล้ว|បានបញ្ចប់)$/u

const didNot =
  /\b(?:no show|noshow|cancel\w*|annul\w*|absent\w*|scheduled?|rescheduled?|planned|booked|pending|wait\w*|draft|void\w*|delet\w*|error|reject\w*|missed|refuted|did not|not (?:attended|done|seen|arrived|performed)|requested|proposed|confirmed|on hold|aborted|stopped|suspended|programad[oa]|agendad[oa]|pendiente|pendente|prevue?|planifiee?|attente|brouillon|supprimee?|batal|^belum$|tidak hadir|menunggu|terjadwal|huy|vang|cho kham|storniert|abgesagt|geplant|nicht erschienen)\b|ยกเลิก|ไม่มา|รอตรวจ|นัด|បានលុប|មិនមក|រង់ចាំ/u

/** Words for an entry that counts: certain, active, paid or not. A confirmed appointment is still to come; a confirmed diagnosis is one. */
const certain =
  /^(?:active|resolved|amended|corrected|reported|validated|approved|authori[sz]ed|released|dispensed|administered|given|(?:un|partial(?:ly)? )?paid|billed|invoiced|posted|payee?|impayee?|pagad[oa]|lunas|confirm(?:ed|e|ee|ado|ada|at)|established|definit(?:e|ive|if|ivo|iva)|final|terkonfirmasi|gesichert|xac dinh)$/u
const ruledOut =
  /\b(?:ruled out|excluded|not confirmed|unconfirmed|ecartee?|exclue?|descartad[oa]|ausgeschlossen|loai tru)\b/u

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

const stateName =
  /\b(?:status|state|statut|etat|estado|estatus|situacao|situacion|trang thai|tinh trang|stav|zustand)\b|สถานะ|ស្ថានភាព/u

/** States of something else: of a person, a payment, a disease, an address. */
const otherState =
  /\b(?:marital|civil|family|payment|paid|paiement|pago|billing|claim|insurance|employment|clinical|disease|vital|mental|conscious\w*|mobility|smok\w*|pregnan\w*|vaccin\w*|immuni\w*|nutrition\w*|hiv|art|tb|discharge|sortie|egreso|alta|salida|saida|pulang|keluar|ra vien|health|province|region|country|address|life|living|menstrual|fasting|housing|student|residence|citizenship)\b|จำหน่าย|สมรส|ชำระ|សុខភាព|អាពាហ៍ពិពាហ៍|បង់ប្រាក់/u

/**
 * Finds the status column: by its name, or because several of its values are status words. A column of outcomes is one if some visits did
 * not take place.
 */
export const stateColumn = ({ columns }: TableProfile, of: "visit" | "entry"): ColumnProfile | undefined => {
  const candidates = columns.filter(({ filled, kind, name }) =>
    filled > 0 && (kind === "code" || kind === "text" || kind === "boolean" || kind === "integer") &&
    !otherState.test(columnWordsOf(name)) && !(of === "visit" && namesArrival(name))
  )
  const spoken = (column: ColumnProfile): number =>
    column.codes.filter(([code]) => meaningOfState(code, of) !== "unclear").length
  const hasOthers = ({ codes }: ColumnProfile): boolean =>
    codes.some(([code]) => meaningOfState(code, of) === "did-not")
  const named = candidates.filter(({ name }) => stateName.test(columnWordsOf(name)))
  return named.find((column) => spoken(column) > 0) ?? named.find(({ different }) => different <= 12) ??
    // A rare value is not among the codes: it can be that of cancelled rows.
    candidates.find((column) =>
      of === "visit" && (namesEnd(column.name) || column.codes.some(([code]) => isEnd(code)))
        ? hasOthers(column)
        : spoken(column) > (column.codes.length === 1 && column.withheld > 0 ? 0 : 1)
    )
}
