import { kindOfLine } from "../../../visit/rules/kindOfLine.ts"

/** What a row below the rows of a table is: a sum of them, or a note of the program that wrote the file. */
type Footer = "totals" | "note"

/**
 * Returns what a row is that belongs to no table, by its words: `Total`, `Total rows: 48`, `(48 rows affected)`, `-- end of report --`. Most of
 * its cells are empty, or it has fewer than the header.
 */
export const footerOf = (cells: ReadonlyArray<string>, width: number): Footer | undefined => {
  if (width < 4) return undefined
  const texts: Array<string> = []
  for (const cell of cells) {
    const text = cell.trim()
    if (text !== "" && texts.push(text) * 2 >= width) return undefined
  }
  const [first] = texts
  if (first === undefined) return undefined
  if (first.length < 24 && cells.length > 3 && kindOfLine(first) === "total") return "totals"
  // A label and its number can be in two cells.
  return texts.length < 3 && isNote(texts.join(" ")) ? "note" : undefined
}

/** Returns the number of rows that a note states: 48 for `(48 rows affected)`. A total without a word for rows can be that of something else. */
export const rowsStatedIn = (cells: ReadonlyArray<string>): number | undefined => {
  const words = wordsOfNote(cells.map((cell) => cell.trim()).filter((text) => text !== "").join(" "))
  if (!rowsThenNumber.test(words) && !numberThenRows.test(words)) return undefined
  return Number(/\d[\d.,]*/u.exec(words)?.[0].replaceAll(/\D/gu, ""))
}

const wordsOfNote = (text: string): string => text.replaceAll(/^[\s\-*=#_~<([]+|[\s\-*=#_~>)\].]+$/gu, "")

const isNote = (text: string): boolean => {
  if (text.length > 100) return false
  const words = wordsOfNote(text)
  const [, label] = /^(\p{L}[\p{L} ]{1,22}?) ?[:=]? ?\d[\d.,]*$/u.exec(words) ?? []
  return rowsThenNumber.test(words) || numberThenRows.test(words) || endMark.test(words) || printed.test(words) ||
    (label !== undefined && kindOfLine(label) === "total")
}

const rows =
  "rows?|records?|lines?|entries|registros?|filas?|linhas?|lignes?|enregistrements?|baris|rekaman|rekod|แถว|รายการ|ជួរ"
const number = "\\d[\\d.,]*"
// `row 12` can be a value: without a word for a count, a sign is needed.
const total = "(?:grand )?totals?|number|count|nombre|numero|número|jumlah|รวม"
const rowsThenNumber = new RegExp(
  `^(?:(?:${total}) ?(?:(?:number )?(?:of|de|des) )?(?:${rows})(?: (?:exported|returned|affected|count))? ?[:=]? ?|(?:${rows})(?: count)? ?[:=] ?)${number}$`,
  "iu"
)
const numberThenRows = new RegExp(
  `^(?:totals? ?:? ?)?${number} ?(?:${rows})(?: (?:were |was )?(?:affected|selected|returned|exported|found|fetched|in (?:the )?(?:set|result)|in total|afectadas|afetadas|exportad[oa]s|encontrados))?(?: \\(${number} ?s(?:ec\\w*)?)?$`,
  "iu"
)
const endMark =
  /^(?:end of (?:the )?(?:report|file|data|export|list|document|records)|eof|fin(?: del?| du| de la)? (?:reporte|informe|archivo|rapport|fichier|liste|lista)|fim d[oa] (?:relatório|relatorio|arquivo|lista)|akhir (?:dari )?(?:laporan|file|data)|จบรายงาน)$/iu
/** A note of when the file was printed has a date. */
const printed =
  /^(?:report |laporan )?(?:printed|generated|exported|dicetak|impreso|impresso|gerado|generado|exportado|imprimé|édité|พิมพ์)(?![\p{L}\p{M}]).*\d{1,4}[/.-](?:\d{1,2}|[a-z]{3})[/.-]\d{2,4}/iu
