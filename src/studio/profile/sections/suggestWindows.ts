import { number, plural } from "../../../diagnostic/count.ts"
import { patientReaders } from "../../../mapping/apply/patientReaders.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import { canReachEncounter } from "../fhir/Links.ts"
import type { Findings } from "../Findings.ts"
import { partOfWhole } from "../Findings.ts"

/** Opens windows for records that reach no encounter, except a window that would place no record. */
export const suggestWindows = ({ links, plan }: Findings, draft: Draft): void => {
  for (const { duringVisit, none, paths, records, type, withPatientAndTime } of links) {
    if (none === 0 || !windows.has(type) || plan.grouping.windows.has(type)) continue
    const why = `${partOfWhole(none, records, `${type} record`)} reach no encounter`
    const readers = patientReaders(plan, type)
    // Their times can be years before a visit, so a window would find no visit for them.
    if (readers.length > 0 && paths.length > 0) {
      draft.notes.push(
        `${why}, and belong to their patient: ${
          readers.map(({ name, where }) =>
            `\`${name}\` reads them${
              where.length === 0 ? "" : ` where  ${where.map(({ text }) => short(text)).join("  and  ")}`
            }`
          ).join("; ")
        }`
      )
    } else if (withPatientAndTime === 0) draft.notes.push(`${why}, and do not have a patient and a time`)
    else if (duringVisit === 0) {
      draft.notes.push(`${why}, and none of them was made during a visit of its patient: a window would place none`)
    } else if (!plan.visitTypes.has(type)) {
      draft.notes.push(`${why}; no section reads them, so a window would change nothing`)
    } else if (paths.length > 0) {
      draft.notes.push(
        `${why}; ${number(duringVisit)} could be placed by patient and time: grouping: window: ${type}`
      )
    } else {
      draft.put(
        ["grouping", "window", type],
        "{enabled: true}",
        `${why}, and none names one: ${plural(duringVisit, "is", "are")} placed by patient and time`
      )
    }
  }
}

/**
 * Suggests links for references that occur and that the mapping does not follow. Orders and reports belong to the visit of the records
 * they name. A record that a note or a reason lists can be of the past, so a question is raised about it.
 */
export const suggestLinks = ({ links, plan }: Findings, draft: Draft): void => {
  for (const { namedBy, type } of links) {
    const known = (plan.grouping.links.get(type) ?? plan.grouping.links.get("*") ?? []).map(({ text }) => text)
    const added = namedBy.map(([element, records]) => ({ element, records, text: pathBy(type, element) }))
      .filter(({ text }) => !known.some((one) => one === text || (one === orders && text === followedOrders)))
    const listed = added.filter(({ element }) => lists.has(element))
    const plain = added.filter(({ element }) => !lists.has(element))
    if (added.length === 0 || !plan.visitTypes.has(type)) continue
    const line = (ones: typeof added): string =>
      `[${[...known, ...ones.map(({ text }) => text)].map(quotedText).join(", ")}]`
    const words = (ones: typeof added): string =>
      ones.map(({ element, records }) => `${number(records)} by ${element}`).join(", ")
    if (plain.length > 0) {
      draft.put(
        ["grouping", "link", type],
        line(plain),
        `records that refer to no encounter and reach one: ${words(plain)}`
      )
    }
    if (listed.length > 0) {
      draft.askWithoutLine(
        `do ${type} records that refer to no encounter belong to the visit that lists them?  ${words(listed)}`,
        `If so:  grouping: {link: {${type}: ${line(added)}}}`
      )
    }
  }
}

/** Elements that list records of the visit and of the past. */
const lists: ReadonlySet<string> = new Set([
  "Composition.section.entry",
  "Encounter.reasonReference",
  "Encounter.diagnosis.condition"
])

/** The function of the base mapping that follows the orders of a report. */
const orders = "order().encounter"
const followedOrders = "basedOn.resolve().encounter"

/** Returns the path from records of a type to an encounter, over their own element or a record that refers to them. */
const pathBy = (type: string, element: string): string => {
  const [holder = "", ...names] = element.split(".")
  const name = names.join(".")
  return holder === type && canReachEncounter(name)
    ? `${name}.resolve().encounter`
    : `reverseResolve('${element}')${holder === "Encounter" ? "" : contextual.has(holder) ? ".context" : ".encounter"}`
}

/** Types whose records refer to their encounter in `context`. */
const contextual: ReadonlySet<string> = new Set([
  "MedicationDispense",
  "MedicationAdministration",
  "MedicationStatement",
  "ChargeItem"
])

const short = (text: string): string => (text.length <= 70 ? text : `${text.slice(0, 69)}…`)

/** Types for which the base mapping has a window that is disabled. */
const windows: ReadonlySet<string> = new Set(
  ("Observation DiagnosticReport ServiceRequest ImagingStudy Condition Procedure MedicationRequest MedicationDispense "
    + "MedicationAdministration DocumentReference Composition Communication CarePlan Invoice Claim").split(" ")
)
