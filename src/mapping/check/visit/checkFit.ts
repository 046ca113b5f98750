import type { TypePaths } from "../../../fhirpath/infer/InferredType.ts"
import type { Model, TypePath } from "../../../fhirpath/infer/Model.ts"
import { hasRow } from "../../codes/ConceptMap.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { LeafPlan } from "../../MappingPlan.ts"
import type { CheckedPath } from "../expressions/PathScope.ts"

/**
 * Checks whether the type of a path's result fits its field. Reports nothing if the type is unknown, or if one of several types
 * fits. A type that never fits is an error, because the field would be empty in every visit.
 */
export const checkFit = (
  reader: SyntaxReader,
  { found, plan }: CheckedPath,
  leaf: LeafPlan,
  model: Model,
  rootType?: string
): void => {
  const { typePaths } = found
  if (typePaths !== null && typePaths.size > 0 && ![...typePaths].some((typePath) => fits(typePath, leaf, model))) {
    const types = [...typePaths].slice(0, 3).join(" or ")
    reader.report("wrong-type", plan.span, `\`${leaf.name}\` cannot take what this path finds`, {
      label: `finds ${types}`,
      help: [advice(typePaths, leaf, model)]
    })
    return
  }
  if (
    leaf.field.kind === "decimal" && leaf.unit === undefined && /^[A-Z]/u.test(rootType ?? "") && typePaths !== null &&
    typePaths.size > 0 &&
    [...typePaths].every((typePath) => typePath === "string")
  ) {
    reader.warn("wrong-type", plan.span, `\`${leaf.name}\` is a number, and this path finds a text`, {
      help: ["if the text is a number, convert it:  .toDecimal()"]
    })
  }
  if (typePaths?.size === 1 && typePaths.has("boolean") && takesNoTruth(leaf)) {
    reader.warn(
      "wrong-type",
      plan.span,
      `\`${leaf.name}\` does not take true or false, and this path finds one of them`,
      {
        help: [
          "if it is a condition, state the value:  iif(CONDITION, 'VALUE', {})",
          ...(leaf.conceptMap === undefined
            ? []
            : [`or add the rows  true  and  false  to \`${leaf.conceptMap.name}\``])
        ]
      }
    )
  }
  if (typePaths !== null && typePaths.size > 0 && [...typePaths].every((typePath) => typePath === "base64Binary")) {
    reader.warn(
      "wrong-type",
      plan.span,
      `\`${leaf.name}\` is a text, and this path finds one that is encoded in base64`,
      { help: ["if it is a text in UTF-8:  .base64Text()"] }
    )
  }
  const one = leaf.field.kind !== "strings" && !leaf.takeFirst && leaf.join === undefined &&
    leaf.conceptMap === undefined
  if (found.several && one) {
    reader.warn("too-many-values", plan.span, `\`${leaf.name}\` takes one value and this path may find several`, {
      help: ["take the first of them:  take: first", "or join them:  join: \", \""]
    })
  }
}

/** Whether a field is a code or a value of a list, and its concept map does not contain true or false. */
const takesNoTruth = ({ conceptMap, field: { kind, list, values } }: LeafPlan): boolean =>
  conceptMap === undefined
    ? kind === "code" || kind === "identifier" || list !== undefined || values !== undefined
    : ![true, false].some((truth) => hasRow(conceptMap, truth))

/** Texts that are no date or time. */
const noTimes: ReadonlySet<string> = new Set(
  "boolean base64Binary canonical code id markdown oid uri url uuid xhtml".split(" ")
)

const numbers: ReadonlySet<string> = new Set(["decimal", "integer", "positiveInt", "unsignedInt"])

const fits = (typePath: TypePath, leaf: LeafPlan, { typesOfElement, isKindOf, isPrimitive }: Model): boolean => {
  // A record or an element of an open type can be anything.
  if (typePath === "Resource" || typePath === "Element" || typePath === "Extension") return typePath !== "Extension"
  if (leaf.unit?.from !== undefined) return numbers.has(typePath) || isKindOf(typePath, "string")
  if (leaf.unit !== undefined) return isKindOf(typePath, "Quantity")
  if (leaf.conceptMap !== undefined) {
    return isPrimitive(typePath) ||
      ["coding", "code", "text"].some((name) => typesOfElement(typePath, name) !== undefined)
  }
  if (!isPrimitive(typePath)) return false
  switch (leaf.field.kind) {
    case "timestamp":
    case "date":
      return !noTimes.has(typePath) && !numbers.has(typePath)
    case "decimal":
      // A code, an id or Markdown is a text that is no number.
      return numbers.has(typePath) || typePath === "string"
    case "boolean":
      return typePath === "boolean" || isKindOf(typePath, "string")
    default:
      return true
  }
}

const advice = (
  typePaths: Exclude<TypePaths, null>,
  leaf: LeafPlan,
  { isKindOf, isPrimitive, isResourceType, linkTarget }: Model
): string => {
  const [typePath = ""] = typePaths
  if (leaf.unit?.from !== undefined) return "end the path in a number; `from` gives its unit"
  if (leaf.unit !== undefined) {
    return "only the unit of a Quantity is converted: end the path in the Quantity, or set the unit of a number:  from: …"
  }
  if (leaf.field.kind === "decimal") {
    return isKindOf(typePath, "Quantity")
      ? "end the path in  .value  or set the unit that is sent:  unit: cm"
      : "end the path in a number"
  }
  if (leaf.field.kind === "boolean") return "end the path in true or false, for example  .exists()"
  if (leaf.field.kind === "timestamp" || leaf.field.kind === "date") {
    return isKindOf(typePath, "Period")
      ? "end the path in  .start  or  .end"
      : isPrimitive(typePath)
      ? "end the path in a date or time"
      : "end the path in an element that is a date or time"
  }
  if (linkTarget(typePath) !== undefined) return "end the path in a column of the row it links to:  .resolve()."
  if (isResourceType(typePath)) return "end the path in an element or column"
  if (isKindOf(typePath, "CodeableConcept")) {
    return "end the path in  .conceptText()  or  .coding.code.first(), or name a conceptMap"
  }
  if (isKindOf(typePath, "Coding")) return "end the path in  .code  or  .display, or name a conceptMap"
  if (isKindOf(typePath, "Reference")) return "end the path in  .who()  or  .display"
  if (isKindOf(typePath, "HumanName")) return "end the path in  .humanName()  or  .family"
  if (isKindOf(typePath, "Identifier")) return "end the path in  .value"
  if (isKindOf(typePath, "Quantity")) return "end the path in  .value"
  if (isKindOf(typePath, "Extension")) return "end the path in  .value"
  return "end the path in an element that is a text"
}
