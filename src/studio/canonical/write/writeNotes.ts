import type { CodeableConcept, CompositionSection, Extension, Reference } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import { dateTime, keptAt, nonEmptyList, optionalMember, periodOf, row, stated } from "../Elements.ts"
import { coded, core, loinc, system, terminology } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

/** Progress notes (§2.6): a DocumentReference each, without content, because the Visit has no text of it. */
export const writeProgressNotes = (to: BundleWriter, visit: Visit): void => {
  visit.progress_notes.forEach((note, index) => {
    const extensions = [row("progress_notes", index), ...keptAt(note)]
    const encounter = to.within("progress_notes", note.encounter_code, extensions)
    const lasted = periodOf(note.started_at, note.ended_at, "progress_notes.ended_at")
    extensions.push(...lasted.extensions)
    to.add({
      resourceType: "DocumentReference",
      id: to.id("progress-note", index + 1),
      extension: extensions,
      identifier: [recordCode(note.code)],
      status: "current",
      type: coded({ system: loinc, code: "11506-3", display: "Progress note" }),
      subject: to.patient,
      ...optionalMember("author", to.person(note.encountered_by, note.title), (one) => [one]),
      content: [{ attachment: { title: "Progress note" } }],
      context: { encounter: [encounter], period: lasted.period }
    })
  })
}

const sections: ReadonlyArray<
  readonly [name: "subjective" | "objective" | "assessment" | "plan" | "evaluation", code: CodeableConcept]
> = [
  ["subjective", coded({ system: loinc, code: "61150-9", display: "Subjective Narrative" })],
  ["objective", coded({ system: loinc, code: "61149-1", display: "Objective Narrative" })],
  ["assessment", coded({ system: loinc, code: "51848-0", display: "Assessment note" })],
  ["plan", coded({ system: loinc, code: "18776-5", display: "Plan of care note" })],
  ["evaluation", coded({ system: system("soap-sections"), code: "evaluation", display: "Evaluation" })]
]

/** SOAPs (§2.6): a Composition each, with a section for each part that is not empty. */
export const writeSoaps = (to: BundleWriter, visit: Visit): void => {
  visit.soaps.forEach((soap, index) => {
    const extensions: Array<Extension> = [row("soaps", index)]
    const encounter = to.within("soaps", soap.encounter_code, extensions)
    const written = sections.flatMap(([name, code]): ReadonlyArray<CompositionSection> => {
      const text = soap[name]
      if (text === null) return []
      if (!isPlain(text)) extensions.push(stated(`soaps.${name}`, text))
      return [{ title: name, code, text: { status: "generated", div: narrative(text) } }]
    })
    to.add({
      resourceType: "Composition",
      id: to.id("soap", index + 1),
      extension: extensions,
      identifier: recordCode(soap.code),
      status: "final",
      type: coded({ system: loinc, code: "34109-9", display: "Note" }),
      subject: to.patient,
      encounter,
      date: dateTime(soap.recorded_at),
      author: [to.person(soap.recorded_by, soap.title) ?? unknownAuthor],
      title: "SOAP note",
      ...nonEmptyList("section", written)
    })
  })
}

/** A Composition must have an author, even if the Visit has none. */
const unknownAuthor: Reference = { extension: [{ url: `${core}/data-absent-reason`, valueCode: "unknown" }] }

/** Whether a narrative preserves a text: in a narrative, any white space counts as one space. */
const isPlain = (text: string): boolean =>
  text === text.trim() && !/[\t\r\n]| {2}|[\uD800-\uDFFF](?![\uDC00-\uDFFF])|[\uFFFE\uFFFF]/.test(text)

/** The text as XHTML. Characters that XML cannot hold are replaced. */
const narrative = (text: string): string =>
  `<div xmlns="http://www.w3.org/1999/xhtml">${
    text.toWellFormed().replaceAll(/[\uFFFE\uFFFF]/g, "\uFFFD").replaceAll("&", "&amp;").replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;").replaceAll("\n", "<br/>")
  }</div>`

/** Advice (§2.4 consultations): one Communication with a payload for each item. */
export const writeConsultations = (to: BundleWriter, visit: Visit): void => {
  if (visit.consultations.length === 0) return
  to.add({
    resourceType: "Communication",
    id: to.id("consultations"),
    extension: [row("consultations", 0)],
    status: "completed",
    category: [
      coded({
        system: `${terminology}/communication-category`,
        code: "instruction",
        display: "Instruction"
      })
    ],
    subject: to.patient,
    encounter: to.root,
    payload: visit.consultations.map((contentString) => ({ contentString }))
  })
}
