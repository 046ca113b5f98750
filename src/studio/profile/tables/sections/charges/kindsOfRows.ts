import { printable } from "../../../../../diagnostic/render/printable.ts"
import { type KindOfLine, kindOfLine } from "../../../../../visit/rules/kindOfLine.ts"
import { quotedText } from "../../../draft/Draft.ts"
import { countItems } from "../../../Findings.ts"
import { decisionOf, emptyCell, type TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import type { Declared, Role } from "../../TableRole.ts"
import { columnWordsOf, namesVoid } from "../../words/columnWords.ts"
import { stateColumns } from "../../words/statusWords.ts"
import { inCondition, pathOf } from "../../writePath.ts"
import { codeOfCharge, nameOfCharge } from "./findCharges.ts"

/** Drops the rows of some sections that are no charges, with a warning. */
export const putConditions = (
  { conditions }: RowKinds,
  sections: ReadonlyArray<ReadonlyArray<string>>,
  draft: TableDraft
): void => {
  for (const section of sections) {
    for (const [column, condition] of conditions) {
      const warning = quotedText(`dropped: no charge by ${column}`)
      draft.put([...section, "where", `charged_${column}`], `{path: ${quotedText(condition)}, warn: ${warning}}`)
    }
  }
}

/** Words of a column with the types of payments. */
export const paymentTypes = [
  /^(?:pay(?:ment)? ?(?:type|method|mode)|mode of payment|payment mode|(?:forma|tipo|medio) de pago)$/u,
  /^(?:payers?|insurance|scheme)$/u
]

/** What the rows of a table of charges are, where some of them are no charges. */
export interface RowKinds {
  /** The column of the kinds of rows, if there is one. */
  readonly column?: Declared
  /** The conditions that rows are no payments and no totals, by the columns that show it. */
  readonly conditions: ReadonlyArray<readonly [column: string, condition: string]>
}

/**
 * Finds rows of payments and totals among charges: by the names of what was charged, and by a column of the kinds of rows. A row of an
 * unknown kind, such as a reversal, is not dropped but rejects its visit, because it can take back another row.
 */
export const kindsOfRows = (finder: TableFinder, amount: string | undefined, draft: TableDraft): RowKinds => {
  const { role } = finder
  const paths = new Set([codeOfCharge(finder), nameOfCharge(finder)])
  const names = role.columns.filter(({ name }) => paths.has(pathOf(name)))
  const conditions = names.flatMap(({ column: { kinds = [] }, name }) => {
    const others = kinds.filter(([, kind]) => kind === "payment" || kind === "total").map(([value]) => value)
    return others.length === 0
      ? []
      : [[name, `${pathOf(name)}.empty() or (${inCondition(pathOf(name), others)}).not()`] as const]
  })
  const column = role.columns.find((one) => !names.includes(one) && hasKinds(one, role))
  if (column === undefined) return { conditions }
  const { codes: counted, kinds = [] } = column.column
  const codes = [...new Set([...counted, ...kinds].map(([code]) => code))]
  const isLedger = codes.some((code) => /^(?:debit(?:s|os?)?|dr)$/iu.test(code))
  const kindOf = (code: string): KindOfLine | undefined =>
    isLedger && /^(?:credit(?:s|os?)?|cr)$/iu.test(code) || /^transfers?[ _]?(?:in|out)?$/iu.test(code)
      ? "payment"
      : isLedger && /^dr$/iu.test(code) || code === "+"
      ? "charge"
      : kindOfLine(code)
  const isStated = codes.some((code) => kindOf(code) === "charge")
  const areWords = codes.some((code) => kindOf(code) !== undefined)
  const { condition, map, rows } = decisionOf(
    { role, column, codes, path: pathOf(column.name), of: "charge" },
    (code) => {
      const kind = kindOf(code)
      return kind === "charge" || kind === undefined && code !== emptyCell && areWords && !isStated
        ? [true]
        : kind === "payment" || kind === "total"
        ? [false]
        : undefined
    }
  )
  draft.decide({ map, rows })
  const listed = (isSent: boolean): string =>
    rows.flatMap(({ code, isYes }) => isYes === isSent ? [`\`${printable(code)}\``] : []).join(", ")
  const hasPayments = rows.some(({ isYes }) => !isYes)
  // Next to payments, a negative amount can be a payment that is given back.
  const mayBeNegative = amount !== undefined && !hasPayments && codes.some((code) => kindOf(code) === "correction")
  draft.askWithoutLine(
    `which rows of \`${role.name}\` are charges, by \`${column.name}\`?  ${
      [...countItems(counted), ...codes.filter((code) => counted.every(([other]) => other !== code)).map(printable)]
        .join(", ")
    }. ${rows.some(({ isYes }) => isYes) ? `Those with ${listed(true)} are sent` : "None is sent"}${
      hasPayments ? `, those with ${listed(false)} are left out` : ""
    }. Any other row rejects its visit${mayBeNegative ? ", unless its amount is negative" : ""}`,
    `The concept map \`${map}\` has the answer: yes for a charge`
  )
  return {
    column,
    conditions: [...conditions, [column.name, mayBeNegative ? `iif(${amount} < 0, true, ${condition})` : condition]]
  }
}

/** Whether a column distinguishes charges from other rows. The ways of payment and the states of rows are other columns. */
const hasKinds = ({ column }: Declared, { table }: Role): boolean => {
  const { codes, different, kinds = [], name } = column
  const words = columnWordsOf(name)
  const isKnown = kinds.length > 0 && (different > 1 || kinds.every(([, kind]) => kind === "charge"))
  // Letters of debits, credits, charges and payments: P can also mean a pharmacy, so that people must decide.
  const areLetters = codes.length > 0 && codes.every(([code]) => /^(?:[cdpr]|dr|cr|db)$/iu.test(code)) &&
    /\b(?:types?|kinds?|tipo|ind|indicator|flag|signs?|signo|signe|sinal|sens|sentido|side|nature|naturaleza|natureza|movement|entry|(?:dr|d) ?(?:cr|c)|(?:cr|c) ?(?:dr|d)|debit credit|credit debit|debe haber)\b/u
      .test(words)
  const areSigns = codes.length > 0 && codes.every(([code]) => /^[+-]$/u.test(code))
  return (isKnown || areSigns || different > 1 && areLetters) &&
    !stateColumns(table, "entry").some((state) => state.column === column) &&
    !namesVoid(name) && !paymentTypes.some((ways) => ways.test(words)) &&
    (/\bstatus\b/u.test(words) || !/\b(?:pay\w*|cards?|tender|methods?|modes?)\b/u.test(words))
}
