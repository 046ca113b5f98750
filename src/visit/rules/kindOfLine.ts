import { getOrRemember } from "../../maps.ts"
import { wordsOf } from "./Rule.ts"

/** What a word for a row of money means: a charge, a payment, a change of an earlier row, or a sum of other rows. */
export type KindOfLine = "charge" | "payment" | "correction" | "total"

/** Words that are written before and after a word for a kind, and do not change it. */
const around = (before: string, words: string, after: string): RegExp =>
  new RegExp(`^(?:(?:${before}) )*(?:${words})(?: (?:${after}))*$`, "u")

const kinds: ReadonlyArray<readonly [KindOfLine, RegExp]> = [
  [
    "total",
    around(
      "grand|sub|sous|net|gross|page|overall|final|bill|invoice|visit|patient|valor|monto|montant",
      "totals?|subtotal(?:es|s)?|totaux|sum|somme|suma|soma|jumlah|tong(?: cong| so)?|gesamt|summe|zwischensumme|insgesamt|itogo|итого|всего|รวม(?:ทั้งหมด|ทั้งสิ้น)?|សរុប|(?:amount|balance) (?:due|payable)|net (?:payable|amount)",
      "amount|bill|invoice|charges?|general|generale|geral|due|payable|facture|factura|fatura|keseluruhan|a (?:pagar|payer)|ttc|ht|de|da|du|la|of|the|for|this|visit"
    )
  ],
  [
    "payment",
    around(
      "cash|card|advance|part|partial|patient|insurance|insurer|initial|less",
      "payments?|receipts?|deposits?|advances?|prepayments?|co ?payments?|abonos?|anticipos?|pagos?|pagamentos?|adiantamentos?|depositos?|paiements?|reglements?|versements?|acomptes?|encaissements?|pembayaran|uang muka|anzahlung|zahlung|thanh toan|tam ung|มัดจำ|ชำระเงิน|ការបង់ប្រាក់",
      "received|made|by|in|on|from|cash|card|account|patient|insurance|insurer|caja|efectivo|especes|de|en"
    )
  ],
  [
    "correction",
    around(
      "charge|bill|payment|item|sales?|contractual|insurance|cash|customer|out",
      "refund(?:s|ed)?|revers(?:al|als|ed|e)|void(?:s|ed)?|cancel(?:s|led|ed|lations?)?|adjust(?:ments?|ed)?|(?:credit|debit) notes?|nota de (?:credito|debito)|write ?offs?|waivers?|waived|returns?|returned|rebates?|discounts?|concessions?|chargebacks?|corrections?|storno|estornos?|devolucion(?:es)?|devolucao|reembolsos?|anulacion(?:es)?|anulad[oa]|cancelacion(?:es)?|cancelad[oa]|ajustes?|descuentos?|descontos?|remboursements?|annulations?|annulee?|avoirs?|remises?|rabais|retur|pengembalian|pembatalan|diskon|potongan|hoan tien",
      "of|on|to|for|item|bill|payment|sale|de|cargo"
    )
  ],
  ["charge", around("patient", "charges?|cargos?|debits?|debitos?|sales?|ventas?|ventes?|vendas?", "")]
]

const known = new Map<string, KindOfLine | "none">()

const find = (text: string): KindOfLine | "none" => {
  if (text.length > 60) return "none"
  const words = wordsOf(text.normalize("NFD").replaceAll(/[\u0300-\u036F]/gu, "").normalize("NFC"))
  return kinds.find(([, form]) => form.test(words))?.[0] ?? "none"
}

/** Returns the kind of row that a text names, if it names nothing else: `Sub-total`, `Payment received`, `ABONO`. */
export const kindOfLine = (text: string): KindOfLine | undefined => {
  const kind = getOrRemember(known, text, find)
  return kind === "none" ? undefined : kind
}
