import { assumedPath } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { countItems } from "../../Findings.ts"
import { plainLatin } from "../../plainLatin.ts"
import { decisionOf, emptyCell, type TableDraft } from "../TableDraft.ts"
import type { Declared, Role } from "../TableRole.ts"
import { columnWordsOf } from "../words/columnWords.ts"
import { meaningOfState } from "../words/statusWords.ts"
import { inCondition, pathOf } from "../writePath.ts"

/** The path to a column of a row of diagnoses; for rows that repeat one diagnosis, of the first. */
export const pathInDiagnoses = ({ table }: Role, { name }: Declared): string =>
  table.isRepeated === true ? `first().${pathOf(name)}` : pathOf(name)

/** Sends the first diagnosis as the primary one, by an assumption. */
export const firstIsPrimary = (draft: TableDraft): string =>
  `[${assumedPath(draft, "iif(%rowIndex = 0, 'Primary', 'Secondary')", "first-diagnosis-is-primary")}]`

/**
 * Finds the column that ranks the diagnoses of a visit. It has a yes for the primary one, or numbers. Or, whatever its name, it has words
 * for the primary one and the others. A list that is only numbered can have the primary diagnosis anywhere.
 */
export const typeColumnOf = (role: Role, code: Declared, draft: TableDraft): Declared | undefined => {
  const finder = draft.finder(role)
  return finder.own([mainWords], (one) => one !== code && (marksPrimary(one) || ranksInWords(one))) ??
    finder.own([/./u], (one) => one !== code && ranksInWords(one)) ??
    finder.own(
      [/\b(?:rank|rang|seq\w*|order|ordre|orden|urutan|priority)\b/u],
      ({ column }) => column.numbers < column.filled || column.first !== undefined
    ) ??
    finder.own(
      [wordsOfType],
      (one) => one !== code && (one.column.numbers < one.column.filled || one.column.first === 1)
    )
}

/** Words without their accents, and without "diagnosis": `Primary diagnosis`. */
const wordsFor = (words: RegExp): Pick<RegExp, "test"> => ({
  test: (text) =>
    words.test(plainLatin(text.trim()).replace(/^(?:diag\w*|dx)\W+(?:de |do |del )?(?=\w)|\W+(?:diag\w*|dx)$/giu, ""))
})

/** Matches the name of a column with the types of diagnoses. */
export const wordsOfType = /\b(?:diag\w* ?type|diagnosen?art|type|tipo|typ|art|kind|certainty|main|jenis)\b/u

/**
 * Whether the shown values are words for the primary and for secondary diagnoses. Letters are words only in a column of types. In a column
 * that is called after primary diagnoses, other letters can be next to `P` and `S`.
 */
const ranksInWords = ({ column: { codes, name } }: Declared): boolean =>
  codes.some(([code]) => primary.test(code)) &&
  (codes.every(([code]) => primary.test(code) || secondary.test(code) || otherRank.test(code)) ||
    isOfMain(name, codes)) &&
  (codes.some(([code]) => code.length > 2 && primary.test(code)) || wordsOfType.test(columnWordsOf(name)) ||
    isOfMain(name, codes))

const isOfMain = (name: string, codes: ReadonlyArray<readonly [code: string, count: number]>): boolean =>
  mainWords.test(columnWordsOf(name)) && codes.some(([code]) => secondary.test(code))

const mainWords = /\b(?:main|primary|principale?|pdx|utama)\b/u

/** Whether the values are yes and no, or such as 1 and 0. */
const marksPrimary = ({ column: { codes, withheld } }: Declared): boolean =>
  codes.length > 0 && withheld === 0 &&
  codes.every(([code]) => yes.test(code) || /^(?:n|no|f|false|0|non|nao|tidak)$/iu.test(code))

const yes = /^(?:y|yes|t|true|x|1|oui|si|sim|ya)$/iu

/** Drafts which diagnosis is the primary one: by its number or by a word, or otherwise the first, as an assumption. */
export const suggestDiagnosisType = (rank: Declared | undefined, role: Role, draft: TableDraft): void => {
  const { doubt, put } = draft.section("visit", "diagnosis")
  const key = "diagnosis_type_name"
  const yaml = (condition: string): string => quotedText(`iif(${condition}, 'Primary', 'Secondary')`)
  const first = (): string => firstIsPrimary(draft)
  if (rank === undefined) {
    put(key, first(), "no column ranks them")
    return
  }
  const { column } = rank
  const path = pathInDiagnoses(role, rank)
  const codes = column.codes.map(([code]) => code)
  // Next to other letters, a letter can mean something else: P and D are presumed and definite diagnoses.
  const isKnown = codes.some((code) =>
    primary.test(code) && (code.length > 1 || codes.every((other) => primary.test(other) || secondary.test(other)) ||
      isOfMain(column.name, column.codes))
  )
  if (column.numbers === column.filled && column.numbers > 0) {
    const number = mainWords.test(columnWordsOf(column.name)) ? "1" : String(column.first ?? 1)
    // A text can have leading zeros: 01.
    const rankNumber = /\b(?:integer|decimal)\b(?!:)/u.test(rank.yaml) ? path : `${path}.toInteger()`
    doubt(key, yaml(`${rankNumber} = ${number}`), `${number} is assumed to be the primary one`)
  } else if (isKnown) {
    // An unknown word in a later extract rejects its visit: it can mean the primary one.
    const decision = decisionOf(
      { role, column: rank, path, of: "primary" },
      (code) => primary.test(code) ? [true] : [false, code === emptyCell || !secondary.test(code)]
    )
    draft.decide(decision)
    put(key, yaml(decision.condition), "by the word in it")
  } else if (mainWords.test(columnWordsOf(column.name))) {
    const marks = codes.filter((code) => yes.test(code))
    doubt(key, yaml(inCondition(path, marks.length === 0 ? ["Y"] : marks)), "by a yes in it")
  } else if (codes.some((code) => meaningOfState(code, "entry") === "unclear")) {
    draft.ask(
      ["visit", "diagnosis", key],
      first(),
      `which word of \`${role.name}.${rank.name}\` marks the primary diagnosis?  ${
        countItems(column.codes).join(", ")
      }. The first diagnosis is sent as the primary one`
    )
  } else put(key, first(), "no column ranks them")
}

/** Words for the primary diagnosis: also Hauptdiagnose, and diagnostic principal next to diagnostics associ\u00E9s. */
const primary = wordsFor(/^(?:main|primary|principale?|prim|pdx|p|hd|dp|haupt\w*|utama)$/iu)
const secondary = wordsFor(
  /^(?:second\w*|secund\w*|sec|s|sdx|nd|neben\w*|das?|dr|other|autre|otr[oa]|outr[oa]|associ\w*|comorb\w*|complic\w*|additional|sekunder|tambahan|penyerta)$/iu
)
/** Words for diagnoses that can be the primary one, too. */
const otherRank = wordsFor(/^(?:admi\w{4,}|prelim\w*|provisional|working|differential|discharge|final)$/iu)
