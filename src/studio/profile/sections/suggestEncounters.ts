import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { lookUp } from "../../../mapping/codes/ConceptMap.ts"
import { assumedPath, assumedValue } from "../draft/assumptions.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import {
  bestFirst,
  identifierPath,
  isDistinct,
  profiledIdentifiersOf,
  systemKindOf,
  whyOf
} from "../fhir/identifierSystems.ts"
import { codesAt, constantOf, type Findings, isNeverEmpty, nodeAt, partOfWhole } from "../Findings.ts"
import { isEmergency, isSide, sideOf } from "../tables/columns/guessColumn.ts"

/** Suggests which identifier is the visit code. */
export const suggestEncounterCodes = (findings: Findings, draft: Draft): void => {
  const { plan, profiler } = findings
  const { members, records } = profiler.facts.encounters
  if (records === 0) {
    draft.notes.push("the input has no Encounter, so it gives no visit: add the encounters to the export")
    return
  }
  const systems = profiledIdentifiersOf(findings, "Encounter")
  const known = new Set([constantOf(plan, "visit_code_system"), constantOf(plan, "encounter_code_system")])
  if (systems.some(({ system }) => known.has(system))) return
  const best = bestFirst(systems).find((one) =>
    isDistinct(one) && one.several === 0 && one.records * 2 >= records &&
    !["MR", "PI", "PT", "SS"].includes(systemKindOf(one) ?? "")
  )
  if (best === undefined) return
  const system = quotedText(best.system)
  const encounters = records - (findings.profiler.versions.get("Encounter") ?? 0)
  const why = whyOf(best, encounters, "encounter")
  // Encounters without a number of this system can have one of another: hospitals number stays apart from outpatient visits.
  const others = members > 0 ?
    [] :
    bestFirst(systems).filter((one) =>
      one !== best && isDistinct(one) && one.several === 0 && best.records + one.records <= encounters
    ).slice(0, 4)
  if (others.length === 0) draft.put(["constant", "visit_code_system"], system, why)
  else {
    const shown = others.map((one) => `\`${printable(one.system)}\` (${whyOf(one, encounters, "encounter")})`)
    const paths = [
      "identifierIn(%visit_code_system).first()",
      ...others.map((one) => `${identifierPath(one.system)}.first()`)
    ]
    draft.ask(
      ["constant", "visit_code_system"],
      system,
      `should visits without this number have a code that is made for them?  \`${
        printable(best.system)
      }\`: ${why}. Others: ${shown.join("; ")}. To send the others:  key: {visit: {path: [${
        paths.map(quotedText).join(", ")
      }]}}`
    )
  }
  if (members === 0) {
    draft.put(["constant", "encounter_code_system"], system, "each encounter is a visit of its own")
  }
}

/** Asks whether visits of several hospitals belong to the facility: all are sent as visits of the one in `facility.yaml`. */
export const suggestHospitals = ({ profiler }: Findings, draft: Draft): void => {
  const { providers } = profiler.facts
  if (providers.size < 2) return
  const known = [...providers.entries()].toSorted(([, a], [, b]) => b.count - a.count)
  const shown = known.filter(([, { met }]) => met.areEnough).slice(0, 4)
  const counts = [
    ...shown.map(([name, { count, display }]) => `${printable(display ?? name)} ${number(count)}`),
    ...(known.length > shown.length ? [plural(known.length - shown.length, "other")] : [])
  ].join(", ")
  const question = `${
    number(known.length)
  } organizations provide the encounters (\`serviceProvider\`): do all of them belong to this facility?  ${counts}`
  const [name = "Organization/ID", { path } = { path: "reference" }] = shown[0] ?? []
  draft.askWithoutLine(
    question,
    `To send only one:  grouping: {where: {hospital: "serviceProvider.${path} = '${printable(name)}'"}}`
  )
}

/** Suggests the visit type of classes that the mapping does not know. */
export const suggestVisitType = (findings: Findings, draft: Draft): void => {
  const { plan, profiler } = findings
  const { noClass, notVisits, records } = profiler.facts.encounters
  const visitType = plan.conceptMaps.get("visit_type")
  const encounterKind = plan.conceptMaps.get("encounter_kind")
  let withheld = 0
  for (const { code, shown, system } of codesAt(findings, "Encounter", "class")?.all() ?? []) {
    const source = [{ system: system === "" ? null : system, code, display: null }]
    if (visitType === undefined || lookUp(visitType, source) !== undefined) continue
    if (shown === undefined) {
      withheld++
      continue
    }
    const words = [shown.display ?? "", code]
    const known = words.find(isSide) ?? words.find((word) => sideOf(word) !== undefined)
    const kind = known === undefined
      ? "outpatient"
      : isEmergency(known)
      ? "emergency"
      : sideOf(known)?.[0] === "IPD"
      ? "inpatient"
      : "outpatient"
    const why = `${plural(shown.count, "encounter")}${shown.display === null ? "" : `, ${printable(shown.display)}`}`
    const row = ["conceptMap", "visit_type", "table", code]
    const type = kind === "inpatient" ? "IPD" : "OPD"
    if (known === undefined) draft.doubt(row, type, `${why}; ${stayIsUnknown}`)
    else draft.put(row, type, why)
    if (encounterKind !== undefined && lookUp(encounterKind, source) === undefined) {
      draft.put(["conceptMap", "encounter_kind", "table", code], kind)
    }
  }
  if (withheld > 0) {
    draft.notes.push(`${plural(withheld, "rare unmapped code")} of Encounter.class not shown: --show-values`)
  }
  if (noClass > 0 && !isNeverEmpty(plan, ["visit_type"])) {
    draft.substitute(
      ["visit", "visit_type", "default"],
      assumedValue(draft, "OPD", "visit-without-type-is-outpatient"),
      `${partOfWhole(noClass, records - notVisits, "encounter")} have no class: outpatient assumed`
    )
  }
}

/** Suggests lines for encounters whose beginning or end is missing or is a day. */
export const suggestEnds = (findings: Findings, draft: Draft): void => {
  const { finished, finishedWithoutEnd, noStart, notVisits, records, unknownWithoutEnd } =
    findings.profiler.facts.encounters
  const end = nodeAt(findings, "Encounter", "period", "end")
  const days = end === undefined ? 0 : findings.profiler.dates.get(end)?.forms.get("day") ?? 0
  if (days > 0) {
    draft.ask(
      ["time", "partialEnd"],
      "end-of-day",
      `${partOfWhole(days, records, "encounter")} end on a day without a time: is the end of that day right?`
    )
  }
  if (finishedWithoutEnd > 0) {
    const why = `${
      partOfWhole(finishedWithoutEnd, finished, "finished encounter")
    } have no end: their beginning is sent`
    const beginning = assumedPath(
      draft,
      "iif(record().status = 'finished' and record().period.end.empty(), period.start, {})",
      "beginning-is-end"
    )
    const path = `{after: [${beginning}]}`
    if (!isNeverEmpty(findings.plan, ["discharged_at"])) draft.substitute(["visit", "discharged_at"], path, why)
    if (!isNeverEmpty(findings.plan, ["outpatients", "ended_at"])) {
      draft.substitute(
        ["visit", "outpatients", "ended_at"],
        path,
        "as above; inpatients and emergencies inherit it from outpatients"
      )
    }
  }
  const visits = records - notVisits
  if (noStart > 0) {
    draft.notes.push(`${partOfWhole(noStart, visits, "encounter")} have no beginning: only the source system has it`)
  }
  const { sameStart } = findings.profiler.facts
  if (sameStart > 0) {
    draft.notes.push(
      `visits that begin when another of the same patient does: ${
        number(sameStart)
      }; the service accepts only one (same-admission-time)`
    )
  }
  if (unknownWithoutEnd > 0) {
    draft.askWithoutLine(
      `${partOfWhole(unknownWithoutEnd, visits, "encounter")} have the status unknown and no end: when did they end?`,
      "If each ended when it began:  visit: {discharged_at: {after: [{path: \"iif(status = 'unknown', period.start, {})\", assume: NAME}]}}, and outpatients: {ended_at: …} alike"
    )
  }
  const unfinished = visits - finished - unknownWithoutEnd
  if (unfinished > 0) {
    draft.notes.push(
      `${partOfWhole(unfinished, visits, "encounter")} are not finished: they are ready when they have ended`
    )
  }
}

/** Why a visit without evidence of a stay is a doubtful outpatient visit. */
const stayIsUnknown = "the data does not show whether they stayed"
