import { adjustable, levelNames, type Levels } from "../../diagnostic/levels.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { slowPart } from "../../mapping/check/slowPattern.ts"
import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import type { SyntaxReader } from "../../mapping/language/SyntaxReader.ts"
import { fieldAt, type FieldPath, fieldPaths } from "../../visit/fields.ts"
import { medicinePrices } from "../../visit/rules/Rule.ts"
import { type FacilityValidation, validationKeys, validationNumbers } from "../Facility.ts"

type Written = { -readonly [K in keyof FacilityValidation]: FacilityValidation[K] }

const fieldLists = ["mayBeNull", "required", "expected"] as const
const words = ["codePattern", "medicinePrice", "levels"] as const

/** Every key allowed under `validation:`. */
const known = [...validationKeys, ...fieldLists, ...validationNumbers, ...words]

/** Reads the keys under `validation:` of a `facility.yaml`, and reports what is invalid. */
export const parseValidation = (reader: SyntaxReader, root: SyntaxMap): Partial<FacilityValidation> | undefined => {
  const entry = root.entries.get("validation")
  const map = entry === undefined ? undefined : reader.map(entry.value, "`validation`", known)
  if (map === undefined) return undefined
  const value: Partial<Written> = {}
  for (const key of validationKeys) {
    const names = map.entries.get(key)
    if (names !== undefined) value[key] = reader.texts(names.value, `\`${key}\``).map((text) => String(text.value))
  }
  for (const key of fieldLists) {
    const fields = map.entries.get(key)
    if (fields !== undefined) value[key] = fieldsOf(reader, map, key)
  }
  for (const key of validationNumbers) {
    const number = numberOf(reader, map, key)
    if (number !== undefined) value[key] = number
  }
  const pattern = patternOf(reader, map)
  if (pattern !== undefined) value.codePattern = pattern
  const price = reader.oneOf(map.entries.get("medicinePrice"), "`medicinePrice`", medicinePrices)
  if (price !== undefined) value.medicinePrice = price
  const levels = levelsOf(reader, map)
  if (levels !== undefined) value.levels = levels
  return value
}

/** Fields of the visit by their paths. A list is never null. */
const fieldsOf = (reader: SyntaxReader, map: SyntaxMap, key: (typeof fieldLists)[number]): ReadonlyArray<FieldPath> =>
  reader.texts(map.entries.get(key)?.value, `\`${key}\``).flatMap((text) => {
    const path = String(text.value)
    const field = fieldAt(path)
    if (field === undefined) {
      const near = suggest(path, fieldPaths)
      reader.report(
        "unknown-field",
        text.span,
        `the specification has no field \`${path}\``,
        didYouMean(near)
      )
      return []
    }
    if (key === "mayBeNull" && !field.mandatory && !field.nullable) {
      reader.report("invalid-value", text.span, `\`${path}\` is a list: it is never null, and may be empty`)
      return []
    }
    return [path]
  })

const numberOf = (
  reader: SyntaxReader,
  map: SyntaxMap,
  key: (typeof validationNumbers)[number]
): number | undefined => {
  const value = map.entries.get(key)?.value
  if (value === undefined) return undefined
  const least = key === "invoiceTolerance" ? 0 : 1
  if (
    value.kind === "scalar" && typeof value.value === "number" && value.value >= least &&
    (least === 0 || Number.isInteger(value.value))
  ) return value.value
  return reader.report(
    "invalid-value",
    value.span,
    `\`${key}\` is a ${least === 1 ? "whole " : ""}number, at least ${least}`
  )
}

const patternOf = (reader: SyntaxReader, map: SyntaxMap): string | undefined => {
  const entry = map.entries.get("codePattern")
  const pattern = reader.text(entry, "`codePattern`")
  if (entry === undefined || pattern === undefined) return undefined
  if (!isPattern(pattern)) {
    return reader.report("invalid-value", entry.value.span, "`codePattern` is a regular expression")
  }
  if (slowPart(pattern) !== undefined) {
    return reader.report(
      "invalid-value",
      entry.value.span,
      "`codePattern` can cut one text in many ways and take very long"
    )
  }
  return pattern
}

const isPattern = (pattern: string): boolean => {
  try {
    return new RegExp(`^(?:${pattern})$`, "u").unicode
  } catch {
    return false
  }
}

const levelsOf = (reader: SyntaxReader, root: SyntaxMap): Levels | undefined => {
  const entry = root.entries.get("levels")
  const map = entry === undefined ? undefined : reader.map(entry.value, "`levels`", adjustable)
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
