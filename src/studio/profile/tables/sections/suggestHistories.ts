import { quotedText } from "../../draft/Draft.ts"
import type { TableDraft } from "../TableDraft.ts"
import { linkTo, namesVisit, type Role } from "../TableRole.ts"
import { columnWordsOf } from "../words/columnWords.ts"
import { ownEncounter, pathOf, yamlOf } from "../writePath.ts"

const historyTables = [
  ["allergies", "Allergies", /\bal(?:l)?erg\w*\b/u, [
    /\b(?:substance|sustancia|substancia|allerg[ey]n\w*|alergeno|allergy|alergia|agent)(?: name)?\b/u,
    /^(?:description|name|drug|medicine)$/u
  ]],
  ["immunizations", "Immunization History", /\b(?:imm?uni[sz]\w*|vac(?:c?in|un)\w*)\b/u, [
    /\b(?:vac(?:cine?|una|ina)s?|imm?uni[sz]a(?:tion|cao|cion))(?: name)?$/u,
    /^(?:description|name)$/u
  ]]
] as const

/** Drafts medical histories from tables of allergies and of vaccines. */
export const suggestHistories = (draft: TableDraft): void => {
  const found = historyTables.flatMap(([branch, title, words, names]) => {
    const role = draft.roles.find((one) =>
      words.test(columnWordsOf(one.table.name)) && (namesPatient(one) || namesVisit(one))
    )
    const value = role === undefined ? undefined : draft.finder(role).path(names)
    return role === undefined || value === undefined ? [] : [{ branch, title, role, value }]
  })
  if (found.length === 0) return
  const histories = draft.section("visit", "medical_histories")
  histories.put("resource", "null")
  histories.put("encounter_code", ownEncounter)
  for (const { branch, role, title, value } of found) {
    draft.used.add(role)
    const at = ["visit", "medical_histories", "unionAll", branch]
    const { put } = draft.section(...at)
    put("resource", role.name)
    draft.dropByState(role, at)
    if (namesPatient(role)) {
      const since = draft.finder(role).time()
      draft.put(["grouping", "patientScope", role.name], "patient", "they belong to the patient, not to one visit")
      put("scope", "patient")
      if (since !== undefined) {
        const day = `${pathOf(since.name)}.toString().substring(0, 10)`
        put(
          ["where", "known"],
          quotedText(`${pathOf(since.name)}.empty() or ${day} <= %visit.admitted_at.toString().substring(0, 10)`),
          "what was known when the visit began"
        )
      }
    }
    put("groupBy", `[${quotedText(`'${title}'`)}]`)
    put("name", `{value: ${title}}`)
    put("value", yamlOf(value))
  }
}

const namesPatient = (role: Role): boolean => linkTo(role, "patient") !== undefined
