import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { fhirText } from "../../../fhirText.ts"
import { lookUp } from "../../../mapping/codes/ConceptMap.ts"
import { addressLevels } from "../../../visit/rules/addressCodesNest.ts"
import { assumedPath, substituteAddressCode } from "../draft/assumptions.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import type { IdentifierSystem } from "../fhir/Codes.ts"
import {
  bestFirst,
  identifierPath,
  isDistinct,
  namelessBestFirst,
  profiledIdentifiersOf,
  systemKindOf,
  whyOf
} from "../fhir/identifierSystems.ts"
import { codesAt, constantOf, type Findings, isNeverEmpty, leafAt, nodeAt, partOfWhole } from "../Findings.ts"

/** Suggests which identifier is the patient code, and the service's own id of the patient. */
export const suggestPatientCode = (findings: Findings, draft: Draft): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  if (records === 0) {
    if (profiler.facts.encounters.records > 0) {
      draft.notes.push("the input has encounters and no Patient: add the patients to the export")
    }
    return
  }
  const systems = profiledIdentifiersOf(findings, "Patient")
  const current = systems.find(({ system }) => system === constantOf(plan, "patient_code_system"))
  const isSet = current !== undefined && current.records * 2 > records
  const candidates = bestFirst(systems)
  // A number that fewer than half the patients have is no patient code.
  const best = candidates.find((one) => one.records * 2 >= records) ?? candidates[0]
  if (!isSet) {
    if (best === undefined) askWithoutSystem(systems, records, draft)
    else {askWhichSystem(
        best,
        candidates,
        { records, patients: records - (profiler.versions.get("Patient") ?? 0) },
        draft
      )}
  }
  suggestSpid(findings, draft, isSet ? current : best)
}

const askWithoutSystem = (systems: ReadonlyArray<IdentifierSystem>, records: number, draft: Draft): void => {
  const [nameless, ...others] = namelessBestFirst(systems)
  if (nameless === undefined) {
    draft.ask(
      ["key", "patient"],
      "{path: [identifierIn(%patient_code_system), id]}",
      "patients have no identifier, so the `id` of the record is sent: does the service know them by it?"
    )
    return
  }
  const kind = systemKindOf(nameless)
  const ofKind = kind === undefined
    ? others.length === 0 ? "" : " and type.coding.empty()"
    : ` and type.hasCode(${fhirText(kind)})`
  draft.ask(
    ["key", "patient"],
    `{path: [identifierIn(%patient_code_system), ${
      quotedText(`identifier.where(system.empty()${ofKind}).current().value.first()`)
    }]}`,
    kind === undefined && others.length === 0
      ? `${
        partOfWhole(nameless.records, records, "patient")
      } have an identifier without a system: is it the patient code?`
      : `is this identifier without a system the patient code?  ${whyOf(nameless, records, "patient")}${
        others.length === 0
          ? ""
          : `. Others: ${others.slice(0, 4).map((one) => whyOf(one, records, "patient")).join("; ")}`
      }`
  )
}

const askWhichSystem = (
  best: IdentifierSystem,
  candidates: ReadonlyArray<IdentifierSystem>,
  /** `patients`: each counted once, however many versions of it there are. */
  { patients, records }: { readonly records: number; readonly patients: number },
  draft: Draft
): void => {
  const others = candidates.filter((one) => one !== best)
  const shownOthers = others.slice(0, 4).map((one) =>
    `\`${printable(one.system)}\` (${whyOf(one, patients, "patient")})`
  )
  const kind = systemKindOf(best)
  const alike = kind === undefined ? [] : others.filter((one) => one.records < records && systemKindOf(one) === kind)
  // A state numbers its citizens and other people apart.
  const apart = best.records * 2 < records || alike.length > 0
    ? []
    : others.filter((one) => isDistinct(one) && one.several === 0 && best.records + one.records <= patients)
  const paths = apart.slice(0, 4).map(({ system }) => quotedText(identifierPath(system)))
  const toSend = paths.length === 0
    ? ""
    : `. To send these for patients without it:  key: {patient: {path: {after: [${paths.join(", ")}]}}}`
  draft.ask(
    ["constant", "patient_code_system"],
    quotedText(best.system),
    `is this the patient code that the service knows?  \`${printable(best.system)}\`: ${
      whyOf(best, patients, "patient")
    }${others.length === 0 ? "" : `. Others: ${shownOthers.join("; ")}`}${toSend}`
  )
  if (best.records * 2 < records) {
    draft.ask(
      ["key", "patient"],
      "{path: [identifierIn(%patient_code_system), id]}",
      "fewer than half the patients have one, so the `id` of the record is sent for the others: does the service know them by it?"
    )
    draft.notes.push(
      "fewer than half the patients have an identifier of any one system: ask which number is the patient code"
    )
  } else if (best.records < records && alike.length > 0 && kind !== undefined) {
    const alternatives = [
      "identifierIn(%patient_code_system)",
      ...alike.slice(0, 4).map(({ system }) => identifierPath(system))
    ]
    draft.put(
      ["key", "patient"],
      `{path: [${alternatives.map(quotedText).join(", ")}]}`,
      `other systems of kind ${kind}, for patients that do not have the first`
    )
  }
  if (!isDistinct(best)) {
    draft.notes.push(
      `\`${printable(best.system)}\` has ${plural(best.values.size, "value")} for ${
        plural(best.records, "patient record")
      }: several records are one patient, or it is no patient code`
    )
  }
}

const suggestSpid = (findings: Findings, draft: Draft, code: IdentifierSystem | undefined): void => {
  const { plan, profiler } = findings
  if (isNeverEmpty(plan, ["patient", "spid"])) return
  const current = constantOf(plan, "spid_system")
  const isComplete = profiledIdentifiersOf(findings, "Patient").some(({ records, system }) =>
    system === current && records >= profiler.facts.patients.records
  )
  const leaf = leafAt(plan, ["patient", "spid"])
  const hasSubstitute = leaf?.paths.some(({ text }) => !text.includes("%spid_system")) === true
  if (isComplete || hasSubstitute) return
  const path = code === undefined ? "%patient.keyOf('patient')" : "keyOf('patient')"
  draft.substitute(
    ["visit", "patient", "spid"],
    `{after: [${assumedPath(draft, path, "patient-code-is-spid")}]}`,
    "the service's own patient id is missing; the patient code is sent"
  )
}

/** Suggests lines for sexes and birth dates that the service does not take. */
export const suggestPerson = (findings: Findings, draft: Draft): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  const sexes = plan.conceptMaps.get("sex")
  let others = 0
  for (const { code, count } of codesAt(findings, "Patient", "gender")?.all() ?? []) {
    if (sexes !== undefined && lookUp(sexes, [{ system: null, code, display: null }]) === undefined) others += count
  }
  if (others > 0) {
    draft.notes.push(
      `${partOfWhole(others, records, "patient")} are neither female nor male: the service accepts M and F`
    )
  }
  const birthDate = nodeAt(findings, "Patient", "birthDate")
  const forms = birthDate === undefined ? undefined : profiler.dates.get(birthDate)?.forms
  const partial = (forms?.get("year") ?? 0) + (forms?.get("month") ?? 0)
  if (partial > 0 && plan.time.partialDate === "reject") {
    draft.ask(
      ["time", "partialDate"],
      "first-day",
      `${partOfWhole(partial, records, "patient")} have only a year or a month of birth: should its first day be sent?`
    )
  }
}

/** Sends codes of zeros for addresses that have no codes of the national gazetteer. */
export const suggestAddress = (findings: Findings, draft: Draft): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  const division = nodeAt(findings, "Patient", "address", `extension ${constantOf(plan, "ext")}administrative-division`)
  if (records === 0 || (division !== undefined && division.records >= records)) return
  for (const level of addressLevels) {
    if (!isNeverEmpty(plan, ["patient", "address", level, "code"])) substituteAddressCode(draft, level)
  }
}
