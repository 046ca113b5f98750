import { adjustable, levelNames, type Levels } from "../../diagnostic/levels.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { SyntaxEntry, SyntaxMap, SyntaxScalar } from "../../mapping/language/MappingSyntax.ts"
import { objectWith, withoutAbsent } from "../../objects.ts"
import { fieldAt, type FieldPath, fieldPaths } from "../../visit/fields.ts"
import type { FacilityValidation } from "../Facility.ts"
import type { FacilityReader } from "./FacilityReader.ts"
import { validationKeys } from "./validationGrammar.ts"

/** Reads the keys under `validation:` of a `facility.yaml`, and reports what is invalid. */
export const parseValidation = (reader: FacilityReader, root: SyntaxMap): Partial<FacilityValidation> | undefined => {
  const { map, values } = reader.section(root, "validation", validationKeys)
  if (map === undefined) return undefined
  const { codePattern, expected, invoiceTolerance, levels, maxBytes, maxLength, mayBeNull, medicinePrice } = values
  const { required, ...lists } = values
  return withoutAbsent({
    ...objectWith(listNames, (name) => lists[name]?.map(({ value }) => String(value))),
    mayBeNull: fieldsOf(reader, mayBeNull)?.filter(({ span, text }) => {
      const field = fieldAt(text)
      if (identifying.has(text)) {
        reader.report("invalid-value", span, `\`${text}\` is never null: a visit is sent and followed by it`, {
          help: [`remove \`${text}\` from \`mayBeNull\``]
        })
        return false
      }
      if (field === undefined || field.mandatory || field.nullable) return true
      reader.report("invalid-value", span, `\`${text}\` is a list: it is never null, and may be empty`, {
        help: [`remove \`${text}\` from \`mayBeNull\``]
      })
      return false
    }).map(({ text }) => text),
    required: fieldsOf(reader, required)?.map(({ text }) => text),
    expected: fieldsOf(reader, expected)?.map(({ text }) => text),
    codePattern,
    maxLength,
    maxBytes,
    invoiceTolerance,
    medicinePrice,
    levels: levels === undefined ? undefined : levelsOf(reader, levels)
  })
}

/** The fields by which a plan and the journal know a visit. Without one of them it cannot be sent exactly once. */
const identifying: ReadonlySet<FieldPath> = new Set(["code", "health_facility_code", "patient_code", "admitted_at"])

/** The settings that are lists of names. */
const listNames = [
  "transferDischargeTypes",
  "referralAdmissionTypes",
  "deceasedValues",
  "inpatientVisitTypes",
  "primaryDiagnosisTypes",
  "schemePaymentTypes",
  "currencies",
  "historyNames",
  "examinationNames"
] as const

/** Fields of the visit by their paths. */
const fieldsOf = (reader: FacilityReader, texts: ReadonlyArray<SyntaxScalar> | undefined) =>
  texts?.flatMap(({ span, value }) => {
    const text = String(value)
    if (isFieldPath(text)) return [{ text, span }]
    const title = `the specification has no field \`${text}\``
    reader.report("unknown-field", span, title, { label: didYouMean(suggest(text, fieldPaths)) })
    return []
  })

const isFieldPath = (text: string): text is FieldPath => fieldAt(text) !== undefined

const levelsOf = (reader: FacilityReader, entry: SyntaxEntry): Levels | undefined => {
  const map = reader.map(entry.value, "`levels`", adjustable)
  if (map === undefined) return undefined
  const levels = new Map<string, (typeof levelNames)[number]>()
  for (const code of adjustable) {
    const level = map.entries.get(code)
    // `off` is `false` in YAML 1.1.
    const isOff = level?.value.kind === "scalar" && level.value.value === false
    const name = isOff ? "off" : reader.oneOf(level, `\`${code}\``, levelNames)
    if (name !== undefined) levels.set(code, name)
  }
  return levels
}
