import { glucose } from "../../../../../mapping/codes/commonUnits.ts"
import { quotedText } from "../../../draft/Draft.ts"
import { vitalSigns } from "../../../vitalSigns.ts"
import type { TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import type { Role } from "../../TableRole.ts"
import { columnWordsOf } from "../../words/columnWords.ts"
import { unitColumnOf } from "../../words/unitSpellings.ts"
import { ownEncounter, pathOf, yamlOf } from "../../writePath.ts"
import {
  canReach,
  convertedPath,
  doubtOfSign,
  isMeasured,
  measuresIn,
  numberPath,
  pathsWithUsualUnit,
  putFor,
  type Reason,
  reasonOf,
  rowsOf,
  signColumns,
  spellUnits,
  suggestTimeAndStaff,
  unitsOf
} from "./measures.ts"
import { suggestTriages } from "./suggestTriages.ts"

/** Drafts vital signs from the table with a column for each sign, or otherwise from a table with a row for each. */
export const suggestVitals = (draft: TableDraft): void => {
  const [wide] = draft.roles.filter((role) => role.name !== "patient" && isOfSigns(role) && canReach(role, draft))
    .toSorted((one, other) => signColumns(other).length - signColumns(one).length)
  if (wide === undefined) suggestLong(draft)
  else suggestWide(wide, draft)
  suggestTriages(draft)
}

/** Whether a table has columns of vital signs. One is enough if its name is a word, and its table is that of visits or of measures. */
const isOfSigns = (role: Role): boolean => {
  const signs = signColumns(role)
  return signs.length > 1 ||
    (role.name === "visit" ||
        /\b(?:vitals?|signs?|triages?|screening|obs\w*|constantes)\b/u.test(columnWordsOf(role.table.name))) &&
      signs.some(({ column: { name, pressures } }) => pressures === true || columnWordsOf(name).length > 3)
}

const suggestWide = (role: Role, draft: TableDraft): void => {
  const { put } = draft.section("visit", "vital_signs")
  if (role.name !== "visit") draft.use(role)
  const [key, rows] = rowsOf(role)
  put(key, rows, "a column for each sign")
  draft.dropByState(role, ["visit", "vital_signs"])
  const signs = signColumns(role)
  put(["where", "measured"], isMeasured(signs))
  put("encounter_code", ownEncounter)
  suggestTimeAndStaff(role, "vital_signs", draft)
  put(["observations", "forEach"], quotedText("$this"))
  for (const column of signs) {
    const path = pathOf(column.name)
    const { pressures, shortPressures, vital } = column.column
    const putBranch = (name: string | undefined, value: string, reason: Reason) => {
      const sign = vitalSigns.find((one) => one.name === name)
      if (sign === undefined) return
      putFor(
        reason,
        draft,
        ["visit", "vital_signs", "observations", "unionAll", sign.branch],
        `{where: {measured: ${isMeasured([column])}}, name: {value: ${sign.name}}, value: ${quotedText(value)}}`
      )
    }
    if (pressures === true) {
      const cell = `${path}.where(matches('${twoPressures}'))`
      const split = "replaceMatches('[^0-9.,]+', '/').split('/')"
      const part = (part: string): string =>
        shortPressures === true
          ? `${cell}.select(iif(matches('${shortPair}'), 10, 1) * ${split}${part}.trim().replace(',', '.').toDecimal())`
          : `${cell}.${split}${part}.trim().toDecimal()`
      const why = `two pressures in one cell${
        shortPressures === true ? "; pairs such as 12/8 are in centimetres of mercury, and sent in millimetres" : ""
      }`
      putBranch("Systolic Blood Pressure", part(".first()"), { why })
      putBranch("Diastolic Blood Pressure", part("[1]"), {})
    } else putBranch(vital, convertedPath(column.column, path), reasonOf(column))
  }
}

/** Another cell, such as `120`, has no two pressures: it rejects its visit. */
const twoPressures = "^[0-9.,]+ ?[/xX\u00D7-] ?[0-9.,]+( ?mm ?[Hh][Gg])?$"

/** Two pressures in centimetres of mercury: no living person has a systolic pressure below 30 mmHg and a diastolic one below 20. */
const shortPair = "^([5-9]|[12][0-9])([.,][0-9])? ?[/xX\u00D7-] ?([3-9]|1[0-9])([.,][0-9])?$"

/** Drafts vital signs from rows: those of one time are one entry. Rows whose sign is not recognised by name or code are skipped. */
const suggestLong = (draft: TableDraft): void => {
  for (const { finder, role, time, value } of measuresIn(draft)) {
    const found = signNamesIn(role, finder)
    if (found === undefined) continue
    draft.use(role)
    const { doubt, put } = draft.section("visit", "vital_signs")
    const signMap = draft.section("conceptMap", "vital_sign")
    for (const [code, sign] of found.signs) signMap.put(["table", code], sign)
    signMap.put("unmapped", "skip")
    put("resource", role.name, "a row for each sign; those of one time are one entry")
    draft.dropByState(role, ["visit", "vital_signs"])
    put(["where", "sign"], quotedText(`${found.path}.mapped('vital_sign')`))
    put("groupBy", `[${pathOf(time.name)}]`)
    put("encounter_code", ownEncounter)
    suggestTimeAndStaff(role, "vital_signs", draft, { isGrouped: true })
    put(["observations", "forEach"], quotedText("$this"))
    put(["observations", "onePer"], "[name]")
    put(["observations", "name"], `{path: ${quotedText(found.path)}, conceptMap: vital_sign}`)
    const unit = unitColumnOf(finder)
    const units = unitsOf(role, { unit, path: found.path, names: found.signs.map(([code]) => code) }, draft)
    const sign = doubtOfSign(value)
    if (units === undefined) {
      doubt(
        ["observations", "value"],
        quotedText(numberPath(value)),
        ["in the unit of the source", sign].filter((why) => why !== undefined).join("; ")
      )
    } else {
      const unitMap = draft.section("conceptMap", "vital_unit")
      for (const [code, name] of found.signs) {
        const one = vitalSigns.find((other) => other.name === name)
        if (one !== undefined) unitMap.put(["table", code], quotedText(one.unit))
      }
      unitMap.put("unmapped", "skip")
      const hasGlucose = found.signs.some(([, name]) => name === "Random Blood Glucose")
      if (unit !== undefined) spellUnits(role, unit, draft)
      const molarMass = hasGlucose ? `, molarMass: ${glucose}` : ""
      const [number, from] = [numberPath(value), units.path]
      const { path, unit: ofNumber } = units.isFull ? { path: quotedText(number), unit: yamlOf(from) } : {
        path: pathsWithUsualUnit(draft, `iif(${from}.exists(), ${number}, {})`, `iif(${from}.exists(), {}, ${number})`),
        unit: quotedText(`${from}.combine(${found.path}.translated('vital_unit')).first()`)
      }
      const yaml = `{path: ${path}, unit: {conceptMap: vital_unit, of: ${
        quotedText(found.path)
      }, from: ${ofNumber}, spelling: unit_spelling${molarMass}}}`
      if (sign === undefined) put(["observations", "value"], yaml)
      else doubt(["observations", "value"], yaml, sign)
    }
    return
  }
}

/** Finds the column with the most values that name signs: in the table itself or in a table of names. */
const signNamesIn = (role: Role, finder: TableFinder) =>
  [
    ...role.columns.map((one) => ({ path: pathOf(one.name), signs: one.column.signs ?? [] })),
    ...finder.names.flatMap((other) => {
      const link = role.links.find(({ target }) => target === other.name)
      return link === undefined ? [] : other.columns.map((one) => ({
        path: `${link.name}.resolve().${pathOf(one.name)}`,
        signs: one.column.signs ?? []
      }))
    })
  ].filter(({ signs }) => signs.length > 1).toSorted((one, other) => other.signs.length - one.signs.length)[0]
