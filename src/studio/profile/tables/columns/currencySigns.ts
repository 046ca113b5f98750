import { plural } from "../../../../diagnostic/count.ts"
import { quotedText } from "../../draft/Draft.ts"
import type { ColumnProfile } from "../facts/TableProfile.ts"

/** The codes of ISO 4217, and other signs that are letters. In lower case, without a point at the end. */
const letterSigns: ReadonlySet<string> = new Set([
  ...Intl.supportedValuesOf("currency").map((code) => code.toLowerCase()),
  ..."rp rs rm s/ bs gs kz mt tk ksh tsh ush fcfa cfa kr kč zł ft lei nu đ vnđ riel riels baht peso pesos dong đồng บาท រៀល ກີບ"
    .split(" ")
])

const sign = String.raw`[\p{L}/.]{0,4}\p{Sc}|\p{L}[\p{L}\p{M}/]{0,5}\.?`
const digits = String.raw`\d(?:[\d., \u00A0\u202F]*\d)?`
// In place of decimals: `Rp 50.000,-`, `Rs 500/-`.
const noDecimals = String.raw`(?:[.,][-\u2013\u2014]{1,2}|/[-=])?`
const before = new RegExp(String.raw`^([+-]?)\s*(${sign})\s*([+-]?${digits}${noDecimals})$`, "u")
const after = new RegExp(String.raw`^([+-]?${digits})\s*(${sign})$`, "u")

/**
 * Returns the number of an amount, and the sign of its currency; `undefined` for any other text. Letters are a sign in a column of money
 * (`isMoney`): elsewhere they can be a unit.
 */
export const amountIn = (
  text: string,
  isMoney: boolean
): { readonly number: string; readonly sign: string } | undefined => {
  if (text.length > 40 || !(isMoney ? /[\p{L}\p{Sc}]/u : /\p{Sc}/u).test(text)) return undefined
  const [, minus, first, amount] = before.exec(text) ?? []
  const [, alone, last] = first === undefined ? after.exec(text) ?? [] : []
  const found = first ?? last
  const isSign = found !== undefined &&
    (/\p{Sc}$/u.test(found) || (isMoney && letterSigns.has(found.toLowerCase().replace(/\.$/u, ""))))
  return isSign ? { number: alone ?? `${minus}${amount}`, sign: found } : undefined
}

/** The sign of most amounts of a column, and whether other amounts have another, or none. */
const signsOf = ({ currencies = [] }: ColumnProfile) => ({
  main: currencies.find(([sign]) => sign !== "")?.[0],
  hasOthers: currencies.length > 1
})

/** Declares the sign that the amounts of a column have. */
export const currencyYaml = (column: ColumnProfile): ReadonlyArray<string> => {
  const { main } = signsOf(column)
  return main === undefined ? [] : [`currency: ${quotedText(main)}`]
}

/** Asks about amounts that have another sign than most of a column, or none. They can be other money. */
export const askAboutCurrency = (profiled: ColumnProfile, column: string): string | undefined => {
  const { hasOthers, main } = signsOf(profiled)
  const { currencies = [] } = profiled
  return main === undefined || !hasOthers
    ? undefined
    : `in which currency are the amounts of ${column}? ${
      currencies.map(([sign, count]) => `${plural(count, "has", "have")} ${sign === "" ? "no sign" : `\`${sign}\``}`)
        .join(", ")
    }. Only those with \`${main}\` are read, because a visit has no field for a currency. If all are the same money, write  currency: [${
      currencies.map(([sign]) => quotedText(sign)).join(", ")
    }]`
}
