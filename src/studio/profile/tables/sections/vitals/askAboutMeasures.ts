import { plural } from "../../../../../diagnostic/count.ts"
import { printable } from "../../../../../diagnostic/render/printable.ts"
import { vitalSigns } from "../../../vitalSigns.ts"
import type { TableDraft } from "../../TableDraft.ts"
import { columnWordsOf, namesPressures, namesSign } from "../../words/columnWords.ts"
import { pathOf } from "../../writePath.ts"
import { canReach, signColumns } from "./measures.ts"

/** Asks about columns that are called after vital signs, heights or weights, and whose cells are not numbers in a unit that is read. */
export const askAboutUnreadSigns = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    if (role.name === "patient" || !canReach(role, draft)) continue
    for (const { filled, name } of role.table.columns) {
      if (filled > 0 || !namesSign(name) || role.columns.some(({ column }) => column.name === name)) continue
      if (signColumns(role).length === 0) continue
      draft.askWithoutLine(
        `in which unit will \`${role.name}.${printable(name)}\` be? It is empty in these files, and no line reads it`,
        "Write the unit in the header, such as (kg), (cm) or (mg/dL), or run  init  with files in which it has values"
      )
    }
    for (const { column: { filled, name, pressures, size, vital } } of role.columns) {
      if (filled === 0 || pressures === true || vital !== undefined || size !== undefined) continue
      const column = `\`${role.name}.${printable(name)}\``
      if (namesPressures(name)) {
        draft.askWithoutLine(
          `how are the blood pressures in ${column} written? Most cells are not two numbers, and none is sent`,
          "Export both as 120/80, or each in its own column"
        )
      } else if (namesSign(name) && (signColumns(role).length > 0 || columnWordsOf(name).length > 3)) {
        draft.askWithoutLine(
          `in which unit is ${column}? Its cells are not numbers of a vital sign, a height or a weight in a unit that is read, and none is sent`,
          `Export numbers in the unit of the specification: ${vitalSigns.map(({ unit }) => unit).join(", ")}`
        )
      }
    }
  }
}

/** Asks about rows that are neither vital signs nor heights and weights, in tables of which no other section reads the rows. */
export const askAboutOtherMeasures = (draft: TableDraft): void => {
  const tables = new Set(
    ["vital_signs", "triages"].map((section) => draft.role(draft.at(["visit", section, "resource"])))
  )
  for (const role of tables) {
    if (role === undefined || draft.mentionsUnder(["visit", "laboratories"], role.name)) continue
    const linked = draft.finder(role).names
    const [most] = [role, ...linked].flatMap(({ columns }) => columns.map(({ column }) => column)).map((column) => ({
      column,
      known: new Set([...column.signs ?? [], ...column.sizes ?? []].map(([value]) => value))
    })).filter(({ known }) => known.size > 0).toSorted((one, other) => other.known.size - one.known.size)
    if (most === undefined) continue
    const { column: { codes, different }, known } = most
    const others = different - known.size
    if (others <= 0) continue
    const shown = codes.flatMap(([code]) => known.has(code) ? [] : [printable(code)]).slice(0, 6)
    draft.askWithoutLine(
      `which rows of \`${role.name}\` are results of a laboratory? ${
        plural(others, "other name")
      } than those of vital signs, height and weight${others === 1 ? " is" : " are"} in it: ${
        shown.length === 0 ? "hidden, as they may name people" : shown.map((code) => `\`${code}\``).join(", ")
      }${shown.length > 0 && others > shown.length ? " …" : ""}. They are not sent`,
      "Add a column `category` with `lab` to the export, or map them under  visit: {laboratories: …}"
    )
  }
}

/** Matches names of common tests of a laboratory. */
const testWords =
  /^(?:hb|hgb|ha?emoglobin\w*|hct|ha?ematocrit\w*|wbc|rbc|plt|platelets?|plaquet\w*|leu[ck]ocyt\w*|glucos\w*|glicose|gl[iy]cemi[ae]|glucemia|fbs|fbg|rbs|rbg|hba1c|creat\w*|urea|uree|bun|alt|ast|alat|asat|sgot|sgpt|tgo|tgp|bilirubin\w*|albumin\w*|sodium|potassium|[ck]h?olesterol|triglycerid\w*|crp|esr|hiv\w*|vih|vdrl|rpr|hbsag|hcv|malaria|paludisme|rdt|tdr|ns1|dengue|widal|tsh|psa|cd4|genexpert|afb|hcg|upt)\b(?! ?(?:status|type|date|at|by|no|code|dose))/u

/** Asks about columns that are called after tests of a laboratory, in tables that other sections read: no line has their results. */
export const askAboutTests = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    if (role.name !== "visit" && !draft.used.has(role)) continue
    const tests = role.columns.filter(({ column: { filled, kind, name, vital }, name: own }) =>
      filled > 0 && vital === undefined && kind !== "date" && kind !== "timestamp" &&
      testWords.test(columnWordsOf(name)) &&
      !draft.reads(role, pathOf(own))
    )
    if (tests.length === 0) continue
    draft.askWithoutLine(
      `are ${
        tests.map(({ name }) => `\`${role.name}.${name}\``).join(", ")
      } results of a laboratory? No line reads them, and nothing of them is sent`,
      "If they are, export a row for each result, with the number of its visit; or write a branch for each under  laboratories: results: unionAll:  (docs/csv.md, Many measurements in one row)"
    )
  }
}
