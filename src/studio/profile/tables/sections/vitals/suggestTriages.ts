import { quotedText } from "../../../draft/Draft.ts"
import { besideInches, isInInches } from "../../columns/measureOf.ts"
import type { TableDraft } from "../../TableDraft.ts"
import type { Declared, Role } from "../../TableRole.ts"
import { columnWordsOf } from "../../words/columnWords.ts"
import { unitColumnOf } from "../../words/unitSpellings.ts"
import { codeOfRows, inCondition, pathOf, valueOfRows } from "../../writePath.ts"
import {
  canReach,
  convertedPath,
  doubtOfSign,
  isMeasured,
  measuresIn,
  numberPath,
  pathsWithUsualUnit,
  putFor,
  reasonOf,
  rowsOf,
  spellUnits,
  suggestTimeAndStaff,
  unitsOf
} from "./measures.ts"

/** Drafts height, weight and chief complaint. */
export const suggestTriages = (draft: TableDraft): void => {
  const sizeIn = (role: Role, size: "height" | "weight") => role.columns.find(({ column }) => column.size === size)
  const role = draft.roles.find((one) =>
    one.name !== "patient" && (sizeIn(one, "height") ?? sizeIn(one, "weight")) !== undefined && canReach(one, draft)
  )
  if (role === undefined) return suggestLongTriages(draft)
  if (role.name !== "visit") draft.use(role)
  const { doubt, put } = draft.section("visit", "triages")
  draft.dropByState(role, ["visit", "triages"])
  const [key, rows] = rowsOf(role)
  const height = sizeIn(role, "height")
  const weight = weightBeside(height, sizeIn(role, "weight"))
  const unitOf = (one: Declared | undefined) => (one === undefined ? undefined : unitBeside(role, one))
  const assumed = [height, weight].flatMap((one) =>
    unitOf(one) === undefined && one?.column.conversion?.path !== null ? one?.column.assumedUnit ?? [] : []
  )
  if (assumed.length === 0) put(key, rows)
  else doubt(key, rows, `assumed to be in ${assumed.join(" and ")}`)
  const complaint = complaintOf(role)
  const sent = [height, weight].filter((one) => one?.column.conversion?.path !== null)
  const filled = isMeasured(sent) === quotedText("")
    ? role.columns.filter(({ name }) => name === complaint)
    : sent
  if (filled.length === 0) {
    put(
      ["where", "answered"],
      quotedText("false"),
      "no row is sent before the questions below are answered: then remove this line"
    )
  }
  put(["where", "measured"], isMeasured(filled.length === 0 ? [height, weight] : filled))
  put("code", quotedText("keyOf('record')"))
  put("chief_complaint", complaint ?? "null")
  for (const [field, one] of [["height", height], ["weight", weight]] as const) {
    const unit = unitOf(one)
    if (one === undefined) put(field, "null")
    else if (unit !== undefined) {
      spellUnits(role, unit, draft)
      const to = field === "height" ? "cm" : "kg"
      put(field, `{path: ${pathOf(one.name)}, unit: {to: ${to}, from: ${pathOf(unit.name)}, spelling: unit_spelling}}`)
    } else {
      const path = convertedPath(one.column, pathOf(one.name))
      const yaml = one.column.conversion?.path == null ? path : quotedText(path)
      putFor(reasonOf(one), draft, ["visit", "triages", field], yaml)
    }
  }
  suggestTimeAndStaff(role, "triages", draft)
  draft.generateCodes()
}

/** A column of weights. Where no unit is written, next to heights in inches or feet, they can be pounds. */
const weightBeside = (height: Declared | undefined, weight: Declared | undefined): Declared | undefined =>
  weight?.column.assumedUnit === undefined || weight.column.conversion !== undefined ||
    !isInInches(height?.column)
    ? weight
    : { ...weight, column: { ...weight.column, conversion: besideInches } }

/** Finds the column with the unit of another column: `weight_unit` of `weight`. */
const unitBeside = ({ columns }: Role, { column: { name } }: Declared): Declared | undefined => {
  const measure = columnWordsOf(name)
  return columns.find(({ column }) =>
    column.filled > 0 &&
    [`${measure} unit`, `${measure} units`, `${measure} uom`, `unit of ${measure}`].includes(columnWordsOf(column.name))
  )
}

/** Drafts triages from rows: the height and the weight of one time are one triage. */
const suggestLongTriages = (draft: TableDraft): void => {
  for (const { finder, role, time, value } of measuresIn(draft)) {
    const names = role.columns.find(({ column }) => column.sizes !== undefined)
    if (names === undefined) continue
    draft.use(role)
    const { doubt, put } = draft.section("visit", "triages")
    const sizes = names.column.sizes ?? []
    const isAmong = (expected: ReadonlyArray<string>): string => inCondition(pathOf(names.name), expected)
    const unit = unitColumnOf(finder)
    const measured = (size: "height" | "weight"): string => {
      const codes = sizes.flatMap(([code, one]) => (one === size ? [code] : []))
      if (codes.length === 0) return "null"
      const units = unitsOf(role, { unit, path: pathOf(names.name), names: codes }, draft)
      if (units === undefined) {
        return valueOfRows(`where(${isAmong(codes)}).${numberPath(value)}`)
      }
      const to = size === "height" ? "cm" : "kg"
      const { isFull, path: from } = units
      // The number and its unit are of one row.
      const rowWith = (more: string): string =>
        `where(${isAmong(codes)} and ${pathOf(value.name)}.exists()${more}).first()`
      const row = rowWith(isFull ? "" : ` and ${from}.exists()`)
      const number = `${row}.${numberPath(value)}`
      const path = isFull
        ? quotedText(number)
        : pathsWithUsualUnit(draft, number, `${rowWith(` and ${from}.empty()`)}.${numberPath(value)}`)
      const ofRow = from.includes("(") ? `${row}.select(${from})` : `${row}.${from}`
      const ofNumber = isFull ? ofRow : `${ofRow}.combine('${to}').first()`
      return `{path: ${path}, unit: {to: ${to}, from: ${quotedText(ofNumber)}, spelling: unit_spelling}}`
    }
    const measures = { height: measured("height"), weight: measured("weight") }
    const sign = doubtOfSign(value)
    const doubts = [
      Object.values(measures).every((yaml) => yaml === "null" || yaml.includes("unit:"))
        ? undefined
        : "assumed to be in cm and kg",
      sign
    ].filter((why) => why !== undefined)
    if (doubts.length === 0) put("resource", role.name, "a row for each measure")
    else doubt("resource", role.name, ["a row for each measure", ...doubts].join("; "))
    draft.dropByState(role, ["visit", "triages"])
    if (unit !== undefined) spellUnits(role, unit, draft)
    put(["where", "size"], quotedText(isAmong(sizes.map(([code]) => code))))
    put("groupBy", `[${pathOf(time.name)}]`)
    put("code", codeOfRows)
    put("chief_complaint", "null")
    put("height", measures.height)
    put("weight", measures.weight)
    suggestTimeAndStaff(role, "triages", draft, { isGrouped: true })
    draft.generateCodes()
    return
  }
}

/** Returns the column of the chief complaint, in the patient's words. */
export const complaintOf = (role: Role): string | undefined =>
  role.columns.find(({ column }) =>
    column.kind !== "empty" &&
    /^(?:(?:chief |presenting )?complaint|cc|reason(?: for (?:visit|encounter)| ?description)?|symptoms?|motif(?: (?:de |d )?(?:consultation|visite|entree|venue|recours|admission))?|plaintes?|motivo(?: de (?:la )?(?:consulta|visita|ingreso|atencion))?|queixa(?: principal)?|keluhan(?: utama)?|ly do kham|beschwerden|symptomes?|sintomas?)$/u
      .test(
        columnWordsOf(column.name)
      )
  )?.name
