import { number, plural } from "../diagnostic/count.ts"
import { printable } from "../diagnostic/printable.ts"
import { lookUp } from "../mapping/ConceptMap.ts"
import { convertQuantity } from "../mapping/convertQuantity.ts"
import type { FieldPlan, LeafPlan, MappingPlan } from "../mapping/MappingPlan.ts"
import type { Codes, IdentifierSystem } from "./Codes.ts"
import { mayNameSystem } from "./Codes.ts"
import type { ElementNode } from "./elements.ts"
import type { LinksOfType } from "./Links.ts"
import { isKnownCode, isPlainAddress } from "./mayBeShown.ts"
import { OverlayWriter, quoted } from "./OverlayWriter.ts"
import type { Profiler } from "./Profiler.ts"
import { vitalSignOf } from "./vitalSigns.ts"

/** What a profile means for the mapping. */
export interface Suggestions {
  /** Lines for an overlay, in the mapping language; `""` when there is nothing to say. */
  readonly overlay: string
  /** Of these, values the data never has, which stand in until somebody decides. */
  readonly standIns: ReadonlyArray<string>
  /** Rows of code tables that say what a code means in another system: somebody who codes confirms each. */
  readonly proposals?: number
  /** What was guessed of how numbers are written: a wrong guess is wrong in every visit. */
  readonly guesses?: ReadonlyArray<string>
  /** What no line of a mapping can help with, and who can. */
  readonly notes: ReadonlyArray<string>
  /** Of tables: a page with a first case, in files with their headers. */
  readonly example?: string
}

/** What is looked at to make suggestions. */
export interface Findings {
  readonly profiler: Profiler
  /** The mapping as it is now. */
  readonly plan: MappingPlan
  readonly links: ReadonlyArray<LinksOfType>
  /** Codes of diagnoses that the program knows the ICD-10 code of. */
  readonly icd10: ReadonlyMap<string, string>
}

/** The lines that a mapping needs for what was found. */
export const suggestOverlay = (findings: Findings): Suggestions => {
  const writer = new OverlayWriter()
  const standIns: Array<string> = []
  const notes: Array<string> = []
  const out = { writer, standIns, notes }
  suggestPatientCode(findings, out)
  suggestEncounterCodes(findings, out)
  suggestVisitType(findings, out)
  suggestVitalSigns(findings, out)
  const proposals = suggestDiagnosisCode(findings, out)
  suggestEnds(findings, out)
  suggestAddress(findings, out)
  suggestWindows(findings, out)
  return {
    overlay: writer.isEmpty ? "" : `${String(writer)}\n`,
    standIns,
    notes,
    ...(proposals === 0 ? {} : { proposals })
  }
}

interface Out {
  readonly writer: OverlayWriter
  readonly standIns: Array<string>
  readonly notes: Array<string>
}

const standIn = ({ standIns, writer }: Out, path: ReadonlyArray<string>, yaml: string, why: string): void => {
  standIns.push(path[0] === "visit" ? path.slice(1).join(".") : path.join("."))
  writer.put(path, yaml, `stand-in: ${why}`)
}

const nodeAt = ({ profiler }: Findings, type: string, ...names: ReadonlyArray<string>): ElementNode | undefined => {
  let node = profiler.elements.types().get(type)
  for (const name of names) node = node?.children.get(name)
  return node
}

const identifiersOf = (findings: Findings, type: string): ReadonlyArray<IdentifierSystem> => {
  const node = nodeAt(findings, type, "identifier")
  return node === undefined ? [] : findings.profiler.identifiers.get(node)?.systems() ?? []
}

const codesAt = (findings: Findings, type: string, name: string): Codes | undefined => {
  const node = nodeAt(findings, type, name)
  return node === undefined ? undefined : findings.profiler.codes.get(node)
}

/** The leaf of a field, by its names from the visit on. */
const leafAt = (plan: MappingPlan, path: ReadonlyArray<string>): LeafPlan | undefined => {
  let field: FieldPlan | undefined = plan.visit
  for (const name of path) {
    field = field?.kind === "component"
      ? field.branches.flatMap(({ fields }) => fields).find((one) => one.name === name)
      : undefined
  }
  return field?.kind === "leaf" ? field : undefined
}

/** The field has a value when its paths find none. */
const isNeverEmpty = (plan: MappingPlan, path: ReadonlyArray<string>): boolean => {
  const leaf = leafAt(plan, path)
  return leaf === undefined || leaf.fallback !== undefined || leaf.literal !== undefined
}

const constantOf = (plan: MappingPlan, name: string): string => {
  const value = plan.constants[name]
  return typeof value === "string" ? value : ""
}

/** Numbers of the facility before numbers of a card, a passport or the state. */
const kindRank = ({ kinds }: IdentifierSystem): number => {
  const [kind] = kinds.sorted()[0] ?? []
  if (kind === undefined) return 2
  return kind === "MR" ?
    0 :
    kind === "PI" || kind === "PT" || kind === "PHN" ?
    1 :
    /^(?:SS|SB|DL|PPN|MC|MA|MI|TAX|NI|NNLKA)$/u.test(kind)
    ? 4
    : 3
}

const isDistinct = ({ full, owners, values }: IdentifierSystem): boolean => full || values.size >= owners.size

/** So many have the same that it tells nobody apart; a few who have the same may be one person twice. */
const isShared = ({ full, owners, values }: IdentifierSystem): boolean =>
  !full && owners.size >= 10 && values.size * 2 < owners.size

const bestFirst = (systems: ReadonlyArray<IdentifierSystem>): ReadonlyArray<IdentifierSystem> =>
  systems.filter((one) => one.system !== "" && mayNameSystem(one)).toSorted((a, b) =>
    Number(isShared(a)) - Number(isShared(b)) || kindRank(a) - kindRank(b) ||
    Number(isDistinct(b)) - Number(isDistinct(a)) ||
    b.records - a.records ||
    (a.system < b.system ? -1 : 1)
  )

const share = (part: number, whole: number, noun: string): string => `${number(part)} of ${plural(whole, noun)}`

const suggestPatientCode = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  if (records === 0) {
    if (profiler.facts.encounters.records > 0) {
      out.notes.push("the input has encounters and no Patient: add the patients to the export")
    }
    return
  }
  const systems = identifiersOf(findings, "Patient")
  const current = constantOf(plan, "patient_code_system")
  const isSet = systems.some(({ records: found, system }) => system === current && found * 2 > records)
  const candidates = bestFirst(systems)
  // What fewer than half the patients have is no patient code, whatever it is called.
  const best = candidates.find((one) => one.records * 2 >= records) ?? candidates[0]
  const code = isSet ? systems.find(({ system }) => system === current) : best
  if (!isSet) {
    if (best === undefined) {
      const nameless = systems.find(({ system }) => system === "")
      if (nameless !== undefined) {
        out.writer.put(
          ["key", "patient"],
          "{path: [identifierIn(%patient_code_system), identifier.value.first()]}",
          `${
            share(nameless.records, records, "patient")
          } have an identifier, and it has no system: make sure it is the patient code`
        )
      } else {
        standIn(
          out,
          ["key", "patient"],
          "{path: [identifierIn(%patient_code_system), id]}",
          "patients have no identifier; the record's id is sent as the patient code, which the service must know"
        )
      }
    } else {
      out.writer.put(["constant", "patient_code_system"], quoted(best.system), whyOf(best, records, "patient"))
      const alike = candidates.filter((one) => one !== best && one.records < records && kindOf(one) === kindOf(best))
      if (best.records * 2 < records) {
        standIn(
          out,
          ["key", "patient"],
          "{path: [identifierIn(%patient_code_system), id]}",
          `fewer than half the patients have one; of the others the record's id is sent, which the service must know`
        )
      } else if (best.records < records && alike.length > 0 && kindOf(best) !== undefined) {
        const paths = [
          "identifierIn(%patient_code_system)",
          ...alike.slice(0, 4).map(({ system }) => `identifierIn('${system.replaceAll("'", "\\'")}')`)
        ]
        out.writer.put(
          ["key", "patient"],
          `{path: [${paths.map(quoted).join(", ")}]}`,
          `other systems of kind ${kindOf(best)}, for patients that do not have the first`
        )
      }
      if (best.records * 2 < records) {
        out.notes.push("no identifier system is had by half the patients: ask which number is the patient code")
      }
      if (!isDistinct(best)) {
        out.notes.push(
          `\`${printable(best.system)}\` has ${plural(best.values.size, "value")} for ${
            plural(best.records, "patient record")
          }: several records are one patient, or it is no patient code`
        )
      }
    }
  }
  suggestSpid(findings, out, code, records)
  suggestPerson(findings, out)
}

/** What the service asks of every person, and some records do not say. */
const suggestPerson = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const sexes = plan.conceptMaps.get("sex")
  let others = 0
  for (const { code, count } of codesAt(findings, "Patient", "gender")?.all() ?? []) {
    if (sexes !== undefined && lookUp(sexes, [{ system: null, code, display: null }]) === undefined) others += count
  }
  if (others > 0) {
    out.notes.push(
      `${
        share(others, profiler.facts.patients.records, "patient")
      } are neither female nor male: the service takes M or F`
    )
  }
  const born = nodeAt(findings, "Patient", "birthDate")
  const forms = born === undefined ? undefined : profiler.dates.get(born)?.forms
  const partial = (forms?.get("year") ?? 0) + (forms?.get("month") ?? 0)
  if (partial > 0 && plan.time.partialDate === "reject") {
    standIn(
      out,
      ["time", "partialDate"],
      "first-day",
      `${
        share(partial, profiler.facts.patients.records, "patient")
      } have a year or a month of birth alone: its first day is sent`
    )
  }
}

const kindOf = ({ kinds }: IdentifierSystem): string | undefined => kinds.sorted()[0]?.[0]

const whyOf = (one: IdentifierSystem, records: number, noun: string): string => {
  const kind = kindOf(one)
  return `${share(one.records, records, noun)} have one${one.several > 0 ? ", some several" : ""}${
    kind === undefined ? "" : `, said to be ${kind}`
  }${isDistinct(one) ? ", each another" : ""}`
}

const suggestSpid = (findings: Findings, out: Out, code: IdentifierSystem | undefined, records: number): void => {
  const { plan } = findings
  if (isNeverEmpty(plan, ["patient", "spid"])) return
  const systems = identifiersOf(findings, "Patient")
  const current = constantOf(plan, "spid_system")
  if (systems.some(({ records: found, system }) => system === current && found >= records)) return
  const leaf = leafAt(plan, ["patient", "spid"])
  if (leaf !== undefined && leaf.paths.length > 1) return
  const path = code === undefined ? "%patient.keyOf('patient')" : "keyOf('patient')"
  standIn(
    out,
    ["visit", "patient", "spid"],
    `[identifierIn(%spid_system), ${quoted(path)}]`,
    "the service's own patient id is not in this data; until it is, the patient code is sent"
  )
}

const suggestEncounterCodes = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { members, records } = profiler.facts.encounters
  if (records === 0) {
    out.notes.push("the input has no Encounter, so it gives no visit: add the encounters to the export")
    return
  }
  const systems = identifiersOf(findings, "Encounter")
  const known = new Set([constantOf(plan, "visit_code_system"), constantOf(plan, "encounter_code_system")])
  if (systems.some(({ system }) => known.has(system))) return
  const best = bestFirst(systems).find((one) =>
    isDistinct(one) && one.several === 0 && one.records * 2 >= records &&
    !["MR", "PI", "PT", "SS"].includes(kindOf(one) ?? "")
  )
  if (best === undefined) return
  out.writer.put(["constant", "visit_code_system"], quoted(best.system), whyOf(best, records, "encounter"))
  if (members === 0) {
    out.writer.put(["constant", "encounter_code_system"], quoted(best.system), "each encounter is a visit of its own")
  }
}

/** What a class is called decides where it goes, where its code has no row. */
const kindOfVisit = (words: string): readonly [type: "IPD" | "OPD", kind: string] =>
  /in-?patient|\bIPD?\b|^I$|admi(?:t|ssion)|hospitali[sz]|ward|stationary/iu.test(words)
    ? ["IPD", "inpatient"]
    : /emerg|\bER\b|\bED\b|^E$|casualty|trauma/iu.test(words)
    ? ["OPD", "emergency"]
    : ["OPD", "outpatient"]

const suggestVisitType = (findings: Findings, out: Out): void => {
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
    const [type, kind] = kindOfVisit(`${code} ${shown.display ?? ""}`)
    const why = `${plural(shown.count, "encounter")}${shown.display === null ? "" : `, ${printable(shown.display)}`}`
    out.writer.put(["conceptMap", "visit_type", "table", code], type, why)
    if (encounterKind !== undefined && lookUp(encounterKind, source) === undefined) {
      out.writer.put(["conceptMap", "encounter_kind", "table", code], kind)
    }
  }
  if (withheld > 0) {
    out.notes.push(
      `${plural(withheld, "code")} of Encounter.class without a row are rare, and not shown: --show-values`
    )
  }
  if (noClass > 0 && !isNeverEmpty(plan, ["visit_type"])) {
    standIn(
      out,
      ["visit", "visit_type", "default"],
      "OPD",
      `${share(noClass, records - notVisits, "encounter")} have no class: taken for outpatient visits`
    )
  }
}

const suggestVitalSigns = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const names = plan.conceptMaps.get("vital_name")
  const spelling = plan.conceptMaps.get("unit_spelling")
  if (names === undefined) return
  for (const one of profiler.facts.measured.values()) {
    const sources = one.codings.map(({ code, system }) => ({
      system: system === "" ? null : system,
      code,
      display: null
    }))
    const isMapped = lookUp(names, sources) !== undefined
    const found = vitalSignOf(one)
    if (found === undefined) continue
    const { sign } = found
    if (!isMapped) {
      const coding = one.codings.find(({ code, system }) => isKnownCode(system, code)) ??
        (one.met.areEnough ? one.codings[0] : undefined)
      if (coding === undefined) continue
      const called = one.met.areEnough || isKnownCode(coding.system, coding.code) ? coding.display : undefined
      out.writer.put(
        ["conceptMap", "vital_name", "table", coding.code],
        sign.name,
        `${plural(one.count, "measurement")}${called === undefined ? "" : `, ${printable(called)}`}${
          found.by === "name" ? "; found by its name: look at it" : ""
        }`
      )
      out.writer.put(["conceptMap", "vital_unit", "table", coding.code], quoted(sign.unit))
    }
    for (const [unit] of one.units.sorted()) {
      const quantity = { value: 1, unit, code: unit }
      const plainUnit = { to: sign.unit, round: 2, ...(spelling === undefined ? {} : { spelling }), molarMass: 180.156 }
      if ("value" in convertQuantity(quantity, sign.unit, plainUnit)) continue
      const meant = unitMeant(unit, sign.unit)
      if (meant !== undefined && (one.met.areEnough || unit.length <= 20)) {
        out.writer.put(["conceptMap", "unit_spelling", "table", unit], quoted(meant), `of ${sign.name}`)
      } else {out.notes.push(
          `a unit of ${sign.name} is not known: --show-values shows it; it needs a row in unit_spelling`
        )}
    }
  }
}

/** The UCUM unit that a spelling means, among the units a vital sign is measured in. */
const unitMeant = (spelling: string, sent: string): string | undefined => {
  const plain = spelling.toLowerCase().replaceAll(/[^a-z0-9%]/gu, "")
  const meanings: Readonly<Record<string, ReadonlyArray<readonly [RegExp, string]>>> = {
    "mm[Hg]": [[/^mm(?:of)?hg$|^millimet(?:er|re)s?(?:of)?mercury$/u, "mm[Hg]"], [/^kpa$/u, "kPa"]],
    "/min": [[
      /^(?:beats?|breaths?|pulse|resp(?:irations?)?|count|x)?(?:per|p|a)?(?:m|min|mins|minute)$|^[br]pm$/u,
      "/min"
    ]],
    Cel: [[/^(?:deg(?:rees?)?)?c(?:el|elsius|elcius|entigrade)?$/u, "Cel"], [
      /^(?:deg(?:rees?)?)?f(?:ahrenheit)?$/u,
      "[degF]"
    ]],
    "%": [[/^%.*$|^percent.*$|^pct$/u, "%"]],
    "mg/dL": [[/^mg(?:per|p)?dl$/u, "mg/dL"], [/^mmol(?:per|p)?l$/u, "mmol/L"]]
  }
  return meanings[sent]?.find(([words]) => words.test(plain))?.[1]
}

/** Addresses of ICD-10 that differ from the one the base mapping asks for. */
const otherIcd10 = /^urn:oid:2\.16\.840\.1\.113883\.6\.(?:3|90)$|icd-?10/iu

/** Gives how many rows it proposes. */
const suggestDiagnosisCode = (findings: Findings, out: Out): number => {
  const { plan, profiler } = findings
  const icd10 = constantOf(plan, "icd10")
  const leaf = leafAt(plan, ["diagnosis", "diagnosis_code"])
  if (leaf === undefined || leaf.conceptMap !== undefined || isNeverEmpty(plan, ["diagnosis", "diagnosis_code"])) {
    return 0
  }
  let all = 0
  let coded = 0
  const others = new Map<string, number>()
  const icd = new Map<string, number>()
  for (const [key, { records }] of profiler.facts.conditionSystems.entries()) {
    all += records
    const systems = key.startsWith("(") ? [] : key.split("\n")
    if (icd10 !== "" && systems.some((system) => system.startsWith(icd10))) {
      coded += records
      continue
    }
    const own = systems.find((system) => otherIcd10.test(system) && isPlainAddress(system))
    if (own !== undefined) icd.set(own, (icd.get(own) ?? 0) + records)
    else for (const system of systems) others.set(system, (others.get(system) ?? 0) + records)
  }
  if (all === 0 || coded === all) return 0
  const [spelt] = [...icd].toSorted(([, a], [, b]) => b - a)
  if (spelt !== undefined && coded === 0) {
    out.writer.put(["constant", "icd10"], quoted(spelt[0]), `${share(spelt[1], all, "condition")} have a code of it`)
    if (spelt[1] === all) return 0
  }
  const map = ["conceptMap", "diagnosis_code"]
  out.writer.put(
    [...map, "list"],
    "diagnoses",
    "the service takes ICD-10: `codes unmapped` lists the codes without a row; until they have one they are sent as they are"
  )
  out.writer.put([...map, "unmapped"], "provided")
  let rows = 0
  let missing = 0
  for (const { code, shown } of codesAt(findings, "Condition", "code")?.all() ?? []) {
    const known = findings.icd10.get(code)
    if (known === undefined || shown === undefined) {
      missing++
      continue
    }
    out.writer.put(
      [...map, "table", code],
      quoted(known),
      `${shown.display === null ? "" : `${printable(shown.display)}; `}a proposal of \`us-synthetic\`: confirm it`
    )
    rows++
  }
  if (rows === 0) {
    out.writer.put(
      [...map, "table", "Z00"],
      quoted("Z00"),
      "a map without any row counts nothing: this one is for a start"
    )
  }
  const paths = coded > 0 || spelt !== undefined ? "[code.conceptCode(%icd10 + '*'), code]" : "code"
  const field = ["visit", "diagnosis", "diagnosis_code"]
  const yaml = `{path: ${paths}, conceptMap: diagnosis_code}`
  const why = `${share(all - coded - (spelt?.[1] ?? 0), all, "condition")} have no code of ICD-10${mostOf(others)}`
  if (missing > 0 || rows === 0) standIn(out, field, yaml, why)
  else out.writer.put(field, yaml, `${why}; each has a row above`)
  return rows
}

const mostOf = (systems: ReadonlyMap<string, number>): string => {
  const [most] = [...systems].filter(([system]) => isPlainAddress(system)).toSorted(([, a], [, b]) => b - a)
  return most === undefined ? "" : `, most are of ${printable(most[0])}`
}

const suggestEnds = (findings: Findings, out: Out): void => {
  const { finished, finishedWithoutEnd, noStart, notVisits, records } = findings.profiler.facts.encounters
  if (finishedWithoutEnd > 0) {
    const why = `${
      share(finishedWithoutEnd, finished, "finished encounter")
    } do not say when they ended: their beginning is sent`
    const path = "[period.end, \"iif(status = 'finished', period.start, {})\"]"
    if (!isNeverEmpty(findings.plan, ["discharged_at"])) standIn(out, ["visit", "discharged_at"], path, why)
    if (!isNeverEmpty(findings.plan, ["outpatients", "ended_at"])) {
      standIn(
        out,
        ["visit", "outpatients", "ended_at"],
        path,
        "as above; inpatients and emergencies do as outpatients do"
      )
    }
  }
  if (noStart > 0) {
    out.notes.push(
      `${
        share(noStart, records - notVisits, "encounter")
      } have no beginning: only the source system knows when they were`
    )
  }
  const { sameStart } = findings.profiler.facts
  if (sameStart > 0) {
    out.notes.push(
      `visits that begin when another of the same patient does: ${
        number(sameStart)
      }; the service takes one (same-admission-time)`
    )
  }
  const open = records - notVisits - finished
  if (open > 0) {
    out.notes.push(
      `${share(open, records - notVisits, "encounter")} are not finished: they are ready when they have ended`
    )
  }
}

const levels = [["province", "00"], ["district", "0000"], ["commune", "000000"], ["village", "00000000"]] as const

const suggestAddress = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  if (records === 0) return
  const address = nodeAt(findings, "Patient", "address")
  const division = address?.children.get(`extension ${constantOf(plan, "ext")}administrative-division`)
  if (division !== undefined && division.records >= records) return
  for (const [level, code] of levels) {
    if (isNeverEmpty(plan, ["patient", "address", level, "code"])) continue
    standIn(
      out,
      ["visit", "patient", "address", level, "code"],
      `{default: ${quoted(code)}}`,
      level === "province"
        ? "addresses have no codes of the national gazetteer; nobody lives at this one: write the facility's own, or map them"
        : "as above"
    )
  }
}

const suggestWindows = ({ links, plan }: Findings, out: Out): void => {
  for (const { none, paths, records, type, withPatientAndTime } of links) {
    if (none === 0 || !windows.has(type) || plan.grouping.windows.has(type)) continue
    const why = `${share(none, records, `${type} record`)} reach no encounter`
    if (withPatientAndTime === 0) out.notes.push(`${why}, and do not name a patient and a time`)
    else if (paths.length > 0) {
      out.notes.push(
        `${why}; ${number(withPatientAndTime)} could be placed by patient and time: grouping: window: ${type}`
      )
    } else {
      out.writer.put(
        ["grouping", "window", type],
        "{enabled: true}",
        `${why}, and none names one: they are placed by patient and time`
      )
    }
  }
}

/** Types for which the base mapping has a window, closed. */
const windows: ReadonlySet<string> = new Set(
  ("Observation DiagnosticReport ServiceRequest ImagingStudy Condition Procedure MedicationRequest MedicationDispense "
    + "MedicationAdministration DocumentReference Composition Communication CarePlan Invoice Claim").split(" ")
)
