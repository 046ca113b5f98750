import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import { historyNames } from "../../../visit/components/MedicalHistory.ts"
import { examinationNames } from "../../../visit/components/PhysicalExamination.ts"
import { signNames } from "../../../visit/components/VitalSign.ts"
import type { Field } from "../../../visit/Field.ts"
import { defaultRuleSettings } from "../../../visit/rules/Rule.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/** The names that the specification lists for a section. */
interface ListedNames {
  readonly what: string
  readonly names: ReadonlyArray<string>
  /** The default names of the settings, which add to them. A facility can have others, so only misspelt names are reported. */
  readonly more?: ReadonlyArray<string>
}

const listedNames: ReadonlyMap<string, ListedNames> = new Map([
  ["§2.6 VitalSign", { what: "vital sign", names: signNames }],
  ["§2.6 MedicalHistory", {
    what: "medical history",
    names: historyNames,
    more: defaultRuleSettings.historyNames
  }],
  ["§2.6 PhysicalExamination", {
    what: "physical examination",
    names: examinationNames,
    more: defaultRuleSettings.examinationNames
  }]
])

/** Returns the names that the specification lists for the field `name` of a section; `undefined` for other fields. */
export const listedNamesOf = ({ name, section }: Field): ListedNames | undefined =>
  name === "name" ? listedNames.get(section) : undefined

/** Warns about a name that the specification does not list. If settings can add names, it warns only about misspelt ones. */
export const checkListedName = (
  reader: SyntaxReader,
  value: string,
  span: Span,
  { more, names, what }: ListedNames,
  says: string
): void => {
  if (value === "" || names.includes(value) || more?.includes(value) === true) return
  const near = more === undefined ? suggest(value, names) : [...names, ...more].find((name) => isMisspelt(value, name))
  if (more !== undefined && near === undefined) return
  reader.warn(
    "unknown-list-value",
    span,
    `${says} \`${value}\`, which is not a name of a ${what} in the specification`,
    { label: didYouMean(near), help: [`one of: ${names.join(", ")}`] }
  )
}

/** Returns whether each word of a text is near to that of a name: `Past Dental History` is not a misspelt `Past Medical History`. */
const isMisspelt = (text: string, name: string): boolean => {
  const [words, wanted] = [text, name].map((one) => one.trim().split(/\s+/u))
  return words !== undefined && wanted !== undefined && words.length === wanted.length &&
    words.every((word, at) => suggest(word, wanted.slice(at, at + 1)) !== undefined)
}
