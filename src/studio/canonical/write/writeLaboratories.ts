import type { CodeableConcept, Observation, Reference } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  dateTime,
  decimalElement,
  missing,
  nonEmptyList,
  optionalMember,
  partOfRow,
  row,
  stated,
  textExtension,
  words
} from "../Elements.ts"
import { coded, dataAbsent, loinc, observationCategory, snomed, terminology } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

type Laboratory = Visit["laboratories"][number]
type Result = Laboratory["results"][number]

/**
 * Laboratories (§2.6): a ServiceRequest, the Specimen, and a DiagnosticReport for each run of results that one person verified
 * in one category; its results are Observations.
 */
export const writeLaboratories = (to: BundleWriter, visit: Visit): void => {
  visit.laboratories.forEach((laboratory, index) => {
    const id = (...path: ReadonlyArray<string | number>): string => to.id("laboratory", index + 1, ...path)
    const extensions = [
      row("laboratories", index),
      ...missing("laboratories", {
        requested_by: laboratory.requested_by,
        collected_by: laboratory.collected_by,
        title: laboratory.title
      })
    ]
    const encounter = to.within("laboratories", laboratory.encounter_code, extensions)
    const order = to.add({
      resourceType: "ServiceRequest",
      id: id("request"),
      extension: [row("laboratories", index)],
      identifier: [recordCode(laboratory.request_code)],
      status: "completed",
      intent: "order",
      category: [coded({ system: snomed, code: "108252007", display: "Laboratory procedure" })],
      subject: to.patient,
      encounter,
      authoredOn: dateTime(laboratory.requested_at),
      ...optionalMember("requester", to.person(laboratory.requested_by, laboratory.title))
    })
    const specimen = to.add({
      resourceType: "Specimen",
      id: id("specimen"),
      subject: to.patient,
      request: [order],
      collection: {
        collectedDateTime: dateTime(laboratory.collected_at),
        ...optionalMember("collector", to.person(laboratory.collected_by, null))
      }
    })
    reportsOf(laboratory.results).forEach((results, at) => {
      const [first] = results
      to.add({
        resourceType: "DiagnosticReport",
        id: id("report", at + 1),
        extension: [...extensions, partOfRow("laboratories", at)],
        basedOn: [order],
        status: "final",
        category: [coded({ system: `${terminology}/v2-0074`, code: "LAB", display: "Laboratory" })],
        code: first?.result.category == null
          ? coded({ system: loinc, code: "11502-2", display: "Laboratory report" })
          : words(first.result.category),
        subject: to.patient,
        encounter,
        ...optionalMember("resultsInterpreter", to.person(first?.result.verified_by ?? null, null), (one) => [one]),
        specimen: [specimen],
        ...nonEmptyList(
          "result",
          results.map(({ index: position, result }) =>
            writeResult(to, result, { id: id("result", position + 1), encounter, specimen, row: index })
          )
        )
      })
    })
  })
}

interface IndexedResult {
  readonly index: number
  readonly result: Result
}

/** Groups neighbours of one category that one person verified into one report. A laboratory without results has an empty report. */
const reportsOf = (results: ReadonlyArray<Result>): ReadonlyArray<ReadonlyArray<IndexedResult>> => {
  const reports: Array<Array<IndexedResult>> = []
  results.forEach((result, index) => {
    const report = reports.at(-1)
    const before = report?.at(-1)?.result
    if (before !== undefined && before.category === result.category && before.verified_by === result.verified_by) {
      report?.push({ index, result })
    } else reports.push([{ index, result }])
  })
  return reports.length === 0 ? [[]] : reports
}

const writeResult = (
  to: BundleWriter,
  result: Result,
  at: { readonly id: string; readonly encounter: Reference; readonly specimen: Reference; readonly row: number }
): Reference => {
  const { category, name, value, verified_by } = result
  const extensions = [row("laboratories", at.row), ...missing("results", { category, name, value, verified_by })]
  const type = value !== null && typeof value !== "string" ? "float" : "string"
  if (result.value_type !== type) extensions.push(stated("results.value_type", result.value_type))
  if (type === "string") extensions.push(...textExtension("value-unit", result.value_unit))
  const code: CodeableConcept = name === null ? dataAbsent : words(name)
  const observation: Observation & { id: string } = {
    resourceType: "Observation",
    id: at.id,
    ...nonEmptyList("extension", extensions),
    status: "final",
    category: [observationCategory("laboratory")],
    code,
    subject: to.patient,
    encounter: at.encounter,
    effectiveDateTime: dateTime(result.recorded_at),
    issued: dateTime(result.verified_at),
    ...optionalMember("performer", to.person(result.recorded_by, null), (one) => [one]),
    ...(value === null
      ? { dataAbsentReason: dataAbsent }
      : typeof value === "string"
      ? { valueString: value }
      : { valueQuantity: { value: decimalElement(value), ...optionalMember("unit", result.value_unit) } }),
    ...optionalMember("interpretation", result.interpretation, (text) => [words(text)]),
    specimen: at.specimen,
    ...optionalMember("referenceRange", result.reference_range, (text) => [{ text }])
  }
  return to.add(observation)
}
