import { quotedText } from "../../draft/Draft.ts"
import type { TableDraft } from "../TableDraft.ts"
import { type Declared, isOther, type Role } from "../TableRole.ts"
import { columnWordsOf } from "../words/columnWords.ts"
import { beginning, firstOf, ownEncounter, pathOf, pathTo, yamlOf, yamlTo } from "../writePath.ts"

/** The parts of a note, and words of their columns. A letter counts only next to those of the other parts. */
const parts = [
  ["subjective", /^(?:soap )?(?:s|subj(?:ective)?|subjectif|sub[jy]etivo)(?: notes?)?$/u],
  ["objective", /^(?:soap )?(?:o|obj(?:ective)?|objectif|objetivo)(?: notes?)?$/u],
  ["assessment", /^(?:soap )?(?:a|assess(?:ment)?|appreciation|analyse|analisis|apreciacion|avaliacao)(?: notes?)?$/u],
  ["plan", /^(?:soap )?(?:p|plan|plano)(?: notes?)?$/u]
] as const

const evaluationWords = /^(?:soap )?(?:e|evaluation|evaluacion)(?: notes?)?$/u

const columnIn = ({ columns }: Role, words: RegExp): Declared | undefined =>
  columns.find(({ column }) => column.filled > 0 && words.test(columnWordsOf(column.name)))

/** Whether a table has the parts of notes: three of them, or all four if they are called after letters. */
const hasParts = (role: Role): boolean => {
  const found = parts.flatMap(([, words]) => columnIn(role, words) ?? [])
  return found.length === parts.length ||
    found.length > 2 && found.every(({ column }) => columnWordsOf(column.name).length > 1)
}

/** Drafts notes in the parts subjective, objective, assessment and plan, from a table of them or from columns of the visits. */
export const suggestSoaps = (draft: TableDraft): void => {
  const role = draft.roles.find((one) =>
    (one.name === "visit" || isOther(one) && draft.reachesVisits(one)) && hasParts(one)
  )
  if (role === undefined) return
  if (role.name !== "visit") draft.use(role)
  const { put } = draft.section("visit", "soaps")
  const columns = parts.map(([field, words]) => [field, columnIn(role, words)] as const)
  if (role.name === "visit") put("forEach", quotedText("%visit"), "a column for each part of a note")
  else put("resource", role.name, "a column for each part of a note")
  draft.dropByState(role, ["visit", "soaps"])
  const given = columns.flatMap(([, one]) => one === undefined ? [] : [`${pathOf(one.name)}.exists()`])
  put(["where", "written"], quotedText(given.join(" or ")))
  put("encounter_code", ownEncounter)
  put("code", quotedText("keyOf('record')"))
  draft.generateCodes()
  for (const [field, one] of columns) put(field, yamlTo(one))
  put("evaluation", yamlTo(columnIn(role, evaluationWords)))
  const finder = draft.finder(role)
  put("recorded_at", firstOf(role.name === "visit" ? undefined : pathTo(finder.time()), beginning))
  const who = finder.staff() ??
    finder.person(/\b(?:author|auteur|autor|writer|(?:written|noted|documented|entered) by)\b/u)
  put("recorded_by", yamlOf(who?.name))
  put("title", yamlOf(who?.title))
}
