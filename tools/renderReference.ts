import { at } from "../src/at.ts"
import type { Field } from "../src/visit/Field.ts"
import { visitFields } from "../src/visit/fields.ts"

interface Component {
  readonly name: string
  readonly fields: ReadonlyArray<Field>
  readonly usedIn: Array<string>
}

/** The components in the order of the fields, each once, with the paths of the fields that hold them. */
const componentsOf = (fields: ReadonlyArray<Field>): ReadonlyArray<Component> => {
  const found = new Map<string, Component>([["Visit", { name: "Visit", fields, usedIn: [] }]])
  const walk = (inside: ReadonlyArray<Field>, prefix: string): void => {
    for (const { component, fields, name } of inside) {
      if (component === undefined || fields === undefined) continue
      const known = found.get(component)
      if (known === undefined) {
        found.set(component, { name: component, fields, usedIn: [prefix + name] })
        walk(fields, `${prefix}${name}.`)
      } else known.usedIn.push(prefix + name)
    }
  }
  walk(fields, "")
  return [...found.values()]
}

const typeOf = (field: Field): string => {
  const or = field.nullable ? " or null" : ""
  if (field.values !== undefined) return field.values.map((value) => `\`${value}\``).join(" or ") + or
  const component = field.component === undefined
    ? undefined
    : `[${field.component}](#${field.component.toLowerCase()})`
  switch (field.kind) {
    case "list":
      return `array of ${component}`
    case "object":
      return (component ?? "object") + or
    case "strings":
      return "array of strings"
    case "text":
      return `string${or}`
    case "decimal":
      return `number${or}`
    case "text-or-decimal":
      return field.nullable ? "string, number or null" : "string or number"
    case "examination":
      return "string, array of findings or null"
    default:
      return field.kind + or
  }
}

const blankOf = (field: Field): string => {
  if (field.mandatory) return ""
  if (field.kind === "list" || field.kind === "strings") return "`[]`"
  return field.blank === "" ? "`\"\"`" : "`null`"
}

const row = (field: Field): string =>
  `| ${
    [
      `\`${field.name}\``,
      typeOf(field),
      field.mandatory ? "mandatory" : field.optional ? "may be omitted" : "",
      blankOf(field),
      field.list === undefined ? "" : `\`${field.list}\``,
      field.description
    ].join(" | ")
  } |`

const section = ({ fields, name, usedIn }: Component): string =>
  [
    `## ${name}`,
    "",
    `${at(fields, 0).section}${usedIn.length === 0 ? "" : `, in ${usedIn.map((path) => `\`${path}\``).join(", ")}`}.`,
    "",
    "| Field | Type | | When empty | List | Meaning |",
    "|---|---|---|---|---|---|",
    ...fields.map(row)
  ].join("\n")

/** The reference of all fields of the Visit as a Markdown page, printed from their declarations. */
export const renderReference = (): string =>
  [
    "# The fields of the Visit",
    "",
    "Every field of the service's specification, in its order. Keys are always present, except those that may be omitted.",
    "A field without a value has the value under \"When empty\". Mandatory fields always have a value: codes, timestamps and",
    "identifiers (§4.5 rule 7), unless their type allows null, and fields that the specification marks required.",
    "",
    "- **code**, **identifier**: a string that is not empty.",
    "- **timestamp**: `YYYY-MM-DDTHH:mm:ss.sss+HH:MM`, a real day of the calendar, never `Z`.",
    "- **date**: `YYYY-MM-DD`, a real day of the calendar.",
    "- **number**: a JSON number; its digits are kept unchanged.",
    "- **finding**: an object with one of the keys `inspection`, `palpation`, `percussion`, `auscultation`, which contains a string.",
    "- **List**: the list of the standard data (§4.3) the value comes from.",
    "",
    "This page is printed from `src/visit`; `UPDATE=1 npx vitest run test/visit/reference.test.ts` prints it again.",
    "",
    componentsOf(visitFields).map(section).join("\n\n"),
    ""
  ].join("\n")
