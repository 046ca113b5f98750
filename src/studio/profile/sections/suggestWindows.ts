import { number } from "../../../diagnostic/count.ts"
import { patientReaders } from "../../../mapping/apply/patientReaders.ts"
import { quotedText } from "../draft/OverlayWriter.ts"
import { canReachEncounter } from "../fhir/Links.ts"
import type { Findings, Out } from "../Findings.ts"
import { percentage } from "../Findings.ts"

/** Windows for records that reach no encounter; one that would place no record is not opened. */
export const suggestWindows = ({ links, plan }: Findings, out: Out): void => {
  for (const { duringVisit, none, paths, records, type, withPatientAndTime } of links) {
    if (none === 0 || !windows.has(type) || plan.grouping.windows.has(type)) continue
    const why = `${percentage(none, records, `${type} record`)} reach no encounter`
    const readers = patientReaders(plan, type)
    // Their times may be years before a visit: a window finds none then, and needs none.
    if (readers.length > 0 && paths.length > 0) {
      out.notes.push(
        `${why}, and belong to their patient: ${
          readers.map(({ name, where }) =>
            `\`${name}\` reads those${
              where.length === 0 ? "" : ` where  ${where.map(({ text }) => short(text)).join("  and  ")}`
            }`
          ).join("; ")
        }`
      )
    } else if (withPatientAndTime === 0) out.notes.push(`${why}, and do not name a patient and a time`)
    else if (duringVisit === 0) {
      out.notes.push(`${why}, and no visit of their patient went on when they were made: a window would place none`)
    } else if (!plan.visitTypes.has(type)) {
      out.notes.push(`${why}; no section reads them, so that a window would change nothing`)
    } else if (paths.length > 0) {
      out.notes.push(
        `${why}; ${number(duringVisit)} could be placed by patient and time: grouping: window: ${type}`
      )
    } else {
      out.writer.put(
        ["grouping", "window", type],
        "{enabled: true}",
        `${why}, and none names one: ${number(duringVisit)} are placed by patient and time`
      )
    }
  }
}

/**
 * Links between records that were met and that the mapping does not follow. Orders, reports and what they are about belong together; whether
 * what a note or a reason lists belongs to the visit, or to the past, is asked.
 */
export const suggestLinks = ({ links, plan }: Findings, out: Out): void => {
  for (const { namedBy, type } of links) {
    const known = (plan.grouping.links.get(type) ?? plan.grouping.links.get("*") ?? []).map(({ text }) => text)
    const added = namedBy.map(([element, records]) => ({ element, records, text: pathBy(type, element) }))
      .filter(({ text }) => !known.some((one) => one === text || (one === orders && text === followedOrders)))
    const [requested, plain] = [
      added.filter(({ element }) => lists.has(element)),
      added.filter(({ element }) => !lists.has(element))
    ]
    if (added.length === 0 || !plan.visitTypes.has(type)) continue
    const line = (ones: typeof added): string =>
      `[${[...known, ...ones.map(({ text }) => text)].map(quotedText).join(", ")}]`
    const words = (ones: typeof added): string =>
      ones.map(({ element, records }) => `${number(records)} by ${element}`).join(", ")
    if (plain.length > 0) {
      out.writer.put(
        ["grouping", "link", type],
        line(plain),
        `records that name no encounter and reach one: ${words(plain)}`
      )
    }
    if (requested.length > 0) {
      const question = `do ${type} records that name no encounter belong to the visit that lists them?  ${
        words(requested)
      }`
      out.questions.push(question)
      out.notes.push(`QUESTION ${question}. If so:  grouping: {link: {${type}: ${line(added)}}}`)
    }
  }
}

/** Elements that list things of now and of the past. */
const lists: ReadonlySet<string> = new Set([
  "Composition.section.entry",
  "Encounter.reasonReference",
  "Encounter.diagnosis.condition"
])

/** The function of the base mapping that follows the orders of a report. */
const orders = "order().encounter"
const followedOrders = "basedOn.resolve().encounter"

/** How records of a type reach an encounter by an element of their own, or of a record that names them. */
const pathBy = (type: string, element: string): string => {
  const [holder = "", ...names] = element.split(".")
  const name = names.join(".")
  return holder === type && canReachEncounter(name)
    ? `${name}.resolve().encounter`
    : `reverseResolve('${element}')${holder === "Encounter" ? "" : contextual.has(holder) ? ".context" : ".encounter"}`
}

/** Types whose records name their encounter as their context. */
const contextual: ReadonlySet<string> = new Set([
  "MedicationDispense",
  "MedicationAdministration",
  "MedicationStatement",
  "ChargeItem"
])

const short = (text: string): string => (text.length <= 70 ? text : `${text.slice(0, 69)}…`)

/** Types for which the base mapping has a window, closed. */
const windows: ReadonlySet<string> = new Set(
  ("Observation DiagnosticReport ServiceRequest ImagingStudy Condition Procedure MedicationRequest MedicationDispense "
    + "MedicationAdministration DocumentReference Composition Communication CarePlan Invoice Claim").split(" ")
)
