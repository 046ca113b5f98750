import { number, plural } from "../../../diagnostic/count.ts"
import { cut } from "../../../diagnostic/shown.ts"
import { patientReaders } from "../../../mapping/apply/patientReaders.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import { constantOf, type Findings, partOfWhole } from "../Findings.ts"

/** Opens windows for records that reach no encounter, except a window that would place no record. */
export const suggestWindows = ({ links, plan }: Findings, draft: Draft): void => {
  for (const { duringVisit, inBundles, none, paths, records, type, withPatientAndTime } of links) {
    if (none === 0 || !windows.has(type) || plan.grouping.windows.has(type)) continue
    // They reach the visit of their Bundle: see `suggestBundles`.
    if (inBundles.reduce((sum, [, records]) => sum + records, 0) === none) continue
    const why = `${partOfWhole(none, records, `${type} record`)} reach no encounter`
    const readers = patientReaders(plan, type)
    // Their times can be years before a visit, so a window would find no visit for them.
    if (readers.length > 0 && paths.length > 0) {
      draft.notes.push(
        `${why}, and belong to their patient: ${
          readers.map(({ name, where }) =>
            `\`${name}\` reads them${
              where.length === 0 ? "" : ` where  ${where.map(({ text }) => cut(text, 70)).join("  and  ")}`
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

/** Declares Bundles to be one visit each, if they hold records that otherwise reach no encounter, and no window places them. */
export const suggestBundles = ({ links, plan }: Findings, draft: Draft): void => {
  const found = links.filter(({ type }) => plan.visitTypes.has(type)).flatMap(({ inBundles, type }) =>
    inBundles.map(([bundle, records]) => ({ bundle, records, type }))
  )
  for (const [bundle, ones] of Map.groupBy(found, (one) => one.bundle)) {
    if (plan.grouping.bundles.has(bundle)) continue
    const records = ones.map((one) => `${number(one.records)} ${one.type}`).join(", ")
    draft.put(
      ["grouping", "bundle", bundle],
      "{enabled: true}",
      `each Bundle of this type has one visit, and holds records that reach no encounter: ${records}`
    )
  }
}

/**
 * Suggests links for references that occur and that the mapping does not follow. Orders and reports belong to the visit of the records
 * they name. A record that a note or a reason lists can be of the past, so a question is raised about it.
 */
export const suggestLinks = ({ links, plan, profiler }: Findings, draft: Draft): void => {
  for (const { namedBy, type } of links) {
    const known = (plan.grouping.links.get(type) ?? plan.grouping.links.get("*") ?? []).map(({ text }) => text)
    const followed = new Set(known.map((text) => plainly(text, constantOf(plan, "ext"))))
    const added = namedBy.map(([element, records]) => ({
      element,
      records,
      texts: pathsBy(element, profiler.links.beyond(type, element)).filter((text) => !followed.has(plainly(text)))
    })).filter(({ texts }) => texts.length > 0)
    const listed = added.filter(({ element }) => lists.has(element))
    const plain = added.filter(({ element }) => !lists.has(element))
    if (added.length === 0 || !plan.visitTypes.has(type)) continue
    const line = (ones: typeof added): string =>
      `[${[...known, ...ones.flatMap(({ texts }) => texts)].map(quotedText).join(", ")}]`
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

/** A path in one spelling: without the functions of the base mapping that are names of elements, and without the type at its end. */
const plainly = (path: string, ext = ""): string =>
  path.replace(/^order\(\)/u, "basedOn.resolve()")
    .replaceAll(/extValue\('([^']*)'\)/gu, (_, name) => `extension('${ext}${name}').value`)
    .replace(/\.ofType\(Reference\)$/u, "")

/**
 * Returns the paths from a record to an encounter. They go over its own element, and then over those of the records that it names. Or they
 * go over the element of a record that names it.
 */
const pathsBy = (element: string, beyond: ReadonlyArray<string>): ReadonlyArray<string> =>
  beyond.length > 0
    ? beyond.map((other) => `${belowType(element)}.resolve().${belowType(other)}`)
    : [`reverseResolve('${element}')${element.startsWith("Encounter.") ? "" : ".encounter"}`]

const belowType = (path: string): string => path.slice(path.indexOf(".") + 1)

/** Types for which the base mapping has a window that is disabled. */
const windows: ReadonlySet<string> = new Set(
  ("Observation DiagnosticReport ServiceRequest ImagingStudy Condition Procedure MedicationRequest MedicationDispense "
    + "MedicationAdministration DocumentReference Composition Communication CarePlan Invoice Claim").split(" ")
)
