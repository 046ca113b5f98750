import { columnWordsOf } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { namesVisit } from "../Suggesting.ts"
import { ownEncounter, pathOf, TableFinder, yamlOf } from "../TableFinder.ts"
import type { Role } from "../TableRole.ts"

const quoted = (text: string): string => JSON.stringify(text)

const histories = [
  ["allergies", "Allergies", /\ballerg\w*\b/u, [
    /\b(?:substance|allergen|allergy|agent)(?: name)?\b/u,
    /^(?:description|name|drug|medicine)$/u
  ]],
  ["immunizations", "Immunization History", /\b(?:immuni[sz]\w*|vaccin\w*)\b/u, [
    /\b(?:vaccine|immuni[sz]ation)(?: name)?$/u,
    /^(?:description|name)$/u
  ]]
] as const

/** What is known of a patient by the end of the visit: allergies and vaccines. */
export const suggestHistories = (out: Suggesting): void => {
  const { roles, writer } = out
  const found = histories.flatMap(([branch, title, words, names]) => {
    const role = roles.find((one) => words.test(columnWordsOf(one.table.name)) && (ofPatient(one) || namesVisit(one)))
    const value = role === undefined ? undefined : new TableFinder(role, roles).path(names)
    return role === undefined || value === undefined ? [] : [{ branch, title, role, value }]
  })
  if (found.length === 0) return
  const at = ["visit", "medical_histories"]
  writer.put([...at, "resource"], "null")
  writer.put([...at, "encounter_code"], ownEncounter)
  for (const { branch, role, title, value } of found) {
    out.used.add(role)
    const put = (field: string, yaml: string, why?: string) => writer.put([...at, "unionAll", branch, field], yaml, why)
    put("resource", role.name)
    if (ofPatient(role)) {
      const since = new TableFinder(role, roles).time()
      writer.put(["grouping", "patientScope", role.name], "patient", "they belong to the patient, not to one visit")
      put("scope", "patient")
      if (since !== undefined) {
        const day = `${pathOf(since.name)}.toString().substring(0, 10)`
        put(
          "where",
          `{known: ${
            quoted(`${pathOf(since.name)}.empty() or ${day} <= %visit.admitted_at.toString().substring(0, 10)`)
          }}`,
          "what was known when the visit began"
        )
      }
    }
    put("groupBy", `[${quoted(`'${title}'`)}]`)
    put("name", `{value: ${title}}`)
    put("value", yamlOf(value))
  }
}

const ofPatient = ({ links }: Role): boolean => links.some(([name]) => name === "patient")
