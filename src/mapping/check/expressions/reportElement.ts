import type { Label } from "../../../diagnostic/Diagnostic.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { ModelFault } from "../../../fhirpath/infer/InferenceFaults.ts"
import { standardFunctions } from "../../../fhirpath/syntax/functionForms.ts"
import { elementVersions } from "../../../source/versions/otherVersionTable.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import { spanWithin } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import { visitFocus } from "./checkBodies.ts"
import type { PathScope } from "./PathScope.ts"

/** What a mapping is written for. */
const readAsR4 = "records of other versions are converted to R4, so a mapping uses the names of R4"

/**
 * Reports a name that the model does not have, with similar names. `from`: the line that calls a body on an input without such an element.
 */
export const reportElement = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  { candidates, first, instead, length, message, offset }: ModelFault,
  scope: PathScope,
  from?: { readonly label: Label; readonly severity: "error" | "warning" }
): void => {
  const text = String(scalar.value)
  const onPatient = [...scope.patient.typePaths ?? []]
  const name = text.slice(offset, offset + length)
  const near = instead ?? suggest(name, candidates)
  const names = [...new Set(candidates)]
  const isFunction = near === undefined && (standardFunctions.has(name) || scope.functions.has(name))
  const [parent = ""] = message.split(" has no ")
  const label = isFunction
    ? `a function has brackets: \`${name}()\``
    : first === true && name.toLowerCase() === parent.toLowerCase()
    ? `the path already starts at ${parent}: remove \`${name}\``
    : near === undefined
    ? undefined
    : didYouMean(near)
  const help = [
    ...(isFunction || instead !== undefined || names.length === 0 || names.length >= 60
      ? []
      : [`elements: ${names.join(", ")}`]),
    ...(parent === visitFocus ? [`a function with  over: visit  has no input:  %visit.${name}`] : []),
    ...(instead === undefined ? [] : ["a choice element is written by its name and narrowed by its type"]),
    ...(first === true && onPatient.some((typePath) => scope.model.typesOfElement(typePath, name) !== undefined)
      ? [`the patient's:  %patient.${name}`]
      : []),
    ...(first === true && name === scope.rootType ? [`the visit's ${name}:  %visit`] : []),
    ...(first === true && onPatient.includes(name) ? [`the visit's ${name}:  %patient`] : []),
    ...(first === true && scope.model.typesOfElement(scope.rootType, name) !== undefined
      ? [`the visit's:  %visit.${name}`]
      : []),
    ...(first === true && near === undefined && text.trim() === name
      ? [`a fixed text:  {value: ${name}}`]
      : []),
    ...(name === "value" && text[offset - 1] === "." && /^[a-z]/u.test(message)
      ? ["remove  .value : the path already finds the value"]
      : [])
  ]
  const [top = "", ...steps] = parent.split(".")
  const others = steps.reduce((at, step) => at?.below?.get(step), elementVersions(top))?.below
  // A choice element is listed with its types: `occurrence` as `occurrenceDateTime`.
  const choice = [...others?.keys() ?? []].find((other) =>
    other.startsWith(name) && /^[A-Z]/u.test(other.slice(name.length))
  )
  const versions = (others?.get(name) ?? others?.get(choice ?? ""))?.element
  if (versions !== undefined) help.unshift(`\`${name}\` is an element of ${versions.join(", ")}; ${readAsR4}`)
  else if (name === "concept" && parent.includes("CodeableConcept")) {
    help.unshift(`\`concept\` is an element of a CodeableReference of R5; ${readAsR4}`)
  }
  if (message.startsWith("Reference has no")) help.push(`for the record that it refers to:  .resolve().${name}`)
  const span = spanWithin(scalar, offset, length)
  const labels = from === undefined ? [] : [from.label]
  if (from?.severity === "warning") reader.warn("unknown-element", span, message, { label, help, labels })
  else reader.report("unknown-element", span, message, { label, help, labels })
}
