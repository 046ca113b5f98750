/** Deliberate faults, each with the law that must catch it. Removed lines are made from the base mapping itself. */
export interface Mutant {
  readonly name: string
  readonly law: Law
  /** An overlay of the base mapping. */
  readonly overlay?: string
  /** What a faulty reader would make of the Bundle. */
  readonly reads?: (bundle: string) => string
  /** What a faulty program would write for the visit. */
  readonly writes?: (json: string) => string
}

export const laws = [
  "map(toFhir(v)) equals v",
  "an instant keeps its instant",
  "a date never shifts",
  "a decimal keeps its digits",
  "keys are in the specification's order",
  "the way records reach us changes nothing",
  "a visit in another zone is the same visit",
  "the mapping is invalid before any record is read"
] as const
export type Law = (typeof laws)[number]

const same = (name: string, overlay: string): Mutant => ({ name, law: "map(toFhir(v)) equals v", overlay })
const field = (section: string, line: string): string => {
  const names = section.split(".")
  const indent = (depth: number) => "  ".repeat(depth + 1)
  return [
    "visit:",
    ...names.map((name, n) => `${indent(n)}${name}:`),
    ...line.split("\n").map((one) => indent(names.length) + one)
  ]
    .join("\n")
}
/** A line of a field replaced by another. */
const line = (section: string, name: string, path: string): Mutant =>
  same(`${section}.${name}: ${path}`, field(section, `${name}: ${path}`))

const lists = ["outpatients", "surgeries"] as const

export const mutants: ReadonlyArray<Mutant> = [
  // two fields swapped
  line("patient", "surname", "\"name.where(use = 'official').given.join(' ')\""),
  line("patient", "name", "\"name.where(use = 'official').family\""),
  line(
    "patient.address",
    "house_number",
    "line.extensionText('http://hl7.org/fhir/StructureDefinition/iso21090-ADXP-streetName').first()"
  ),
  line("patient.address.district", "code", "division('commune').code"),
  same("admitted and discharged swapped", "visit:\n  admitted_at: period.end\n  discharged_at: period.start"),
  same(
    "created and updated swapped",
    "visit:\n  created_at: extValue('updated-at')\n  updated_at: extValue('created-at')"
  ),
  ...lists.map((list) => line(list, "created_at", "extValue('updated-at')")),
  line("outpatients", "name", "serviceType.conceptText()"),
  line("outpatients", "started_at", "period.end"),
  line("triages", "height", "{path: \"where(code.hasCode('29463-7')).value.ofType(Quantity)\", unit: m, take: first}"),
  line("triages", "recorded_by", "{path: performer.whoTitle(), take: first}"),
  line("vital_signs", "title", "{path: performer.who(), take: first}"),
  line("soaps", "subjective", "{path: \"section.where(code.hasCode('61149-1')).text.`div`.plainText()\"}"),
  line("surgeries", "surgeon_name", "{path: performer.where(function.hasCode('158970007')).actor.who(), take: first}"),
  line("laboratories", "requested_at", "{path: specimen.resolve().collection.collected.ofType(dateTime), take: first}"),
  line("laboratories", "collected_by", "{path: order().requester.who(), take: first}"),
  line("laboratories.results", "verified_at", "{path: effective.ofType(dateTime), take: first}"),
  line(
    "laboratories.results",
    "recorded_by",
    "{path: \"reverseResolve('DiagnosticReport.result').resultsInterpreter.who()\", take: first}"
  ),
  line("imageries.results.unionAll.report", "result", "conclusion"),
  line("diagnosis", "diagnosis_name", "{path: note.text}"),
  line("prescriptions.medications", "morning", "dosageInstruction.slot('evening')"),
  line("prescriptions.medications", "method", "{path: dosageInstruction.timing.code.conceptText(), take: first}"),
  line("referrals.referred_to", "referred_by", "\"reverseResolve('Task.focus').owner.who()\""),
  line("referrals.referred_to", "caretaker_phone", "requester.whoPhone()"),
  line("invoices.unionAll.invoice.services", "price", "\"extValue('payment').value\""),
  line("invoices.unionAll.invoice", "invoice_date", "extValue('created-at')"),

  // a unit, a factor, a table row
  same("height in metres", field("triages", "height: {unit: {to: m}}")),
  same("weight in grams", field("triages", "weight: {unit: {to: g}}")),
  same("days in hours", field("prescriptions.unionAll.prescription.medications", "days: {unit: {to: h}}")),
  same("blood pressure in kPa", "conceptMap:\n  vital_unit:\n    table: {Systolic Blood Pressure: \"kPa\"}"),
  same("temperature in Fahrenheit", "conceptMap:\n  vital_unit:\n    table: {Temperature: \"[degF]\"}"),
  same("glucose in mmol/L", "conceptMap:\n  vital_unit:\n    table: {Random Blood Glucose: \"mmol/L\"}"),
  same(
    "systolic and diastolic swapped",
    "conceptMap:\n  vital_name:\n    table: {\"8480-6\": Diastolic Blood Pressure, \"8462-4\": Systolic Blood Pressure}"
  ),
  same("heart rate not known", "conceptMap:\n  vital_name:\n    table: {\"8867-4\": null}"),
  same("male and female swapped", "conceptMap:\n  sex:\n    table: {male: F, female: M}"),
  same("inpatient is outpatient", "conceptMap:\n  visit_type:\n    table: {IMP: OPD}"),
  same("emergency is outpatient", "conceptMap:\n  encounter_kind:\n    table: {EMER: outpatient}"),
  same("primary is secondary", "conceptMap:\n  diagnosis_type:\n    table: {Primary: Secondary}"),
  same("refer out is authorized", "conceptMap:\n  discharge_type:\n    table: {other-hcf: Authorized}"),
  same("palpation is percussion", "conceptMap:\n  exam_part:\n    table: {\"113011001\": percussion}"),

  // the first taken where a list is meant
  line("outpatients", "symptoms", "reasonCode.first().conceptText()"),
  line("surgeries", "complications", "complication.first().conceptText()"),
  line("surgeries", "specimens", "extension.where(url = %ext + 'specimen').value.first().conceptText()"),
  line("surgeries", "assistant_names", "performer.where(function.hasCode('405277009')).first().actor.who()"),
  line("imageries.results.unionAll.report", "images", "presentedForm.first().url"),
  line("consultations.unionAll.instruction", "value", "payload.first().content.ofType(string)"),
  same("only the first card", field("patient.identifications", "take: first")),
  same("only the first triage", field("triages", "take: first")),
  same(
    "only the first result of a report",
    field("laboratories.results.unionAll.result", "forEach: labResults().first()")
  ),
  same("only the first finding", field("physical_examinations.unionAll.complex.value", "forEach: component.first()")),
  same("only the first line of an invoice", field("invoices.unionAll.invoice.services", "forEach: lineItem.first()")),

  // which rows there are, and how they come together
  same("observations are not grouped", field("vital_signs", "groupBy: [id]")),
  same("reports of one order are not grouped", field("laboratories", "groupBy: [id]")),
  same(
    "prescriptions are grouped by prescriber",
    field("prescriptions.unionAll.prescription", "groupBy: [requester.reference]")
  ),
  same("vital signs are grouped only by encounter", field("vital_signs", "groupBy: [encounter.encounterCode()]")),
  same("final observations are excluded", field("vital_signs", "where: {status: \"status = 'amended'\"}")),
  same("services are medicines too", field("invoices.unionAll.invoice.medications", "where: {kind: \"true\"}")),
  same("imaging is laboratory too", field("laboratories", "where: {category: \"true\", imaging: \"true\"}")),
  same("the root is a row too", "grouping:\n  rootIsEncounter: always\nstated: null"),
  same("members are visits of their own", "grouping:\n  partOf: \"{}\""),
  same("what is stated is not heard", "stated: null"),
  same("codes are minted", "key:\n  record: {path: extension.value.ofType(code)}"),
  { ...same("rows in no order", field("surgeries", "orderBy: []")), law: "the way records reach us changes nothing" },
  {
    ...same("diagnoses in no order", field("diagnosis", "orderBy: []")),
    law: "the way records reach us changes nothing"
  },
  {
    ...same("signs in no order", field("vital_signs.observations", "orderBy: []")),
    law: "the way records reach us changes nothing"
  },
  {
    ...same("invoices in no order", field("invoices", "orderBy: []")),
    law: "the way records reach us changes nothing"
  },

  // what a faulty reader or writer does
  {
    name: "offsets are dropped on reading",
    law: "an instant keeps its instant",
    reads: (bundle) => bundle.replace(/("\d{4}-\d\d-\d\dT[\d:.]+)[+-]\d\d:\d\d"/g, "$1\"")
  },
  {
    name: "offsets are dropped on writing",
    law: "an instant keeps its instant",
    writes: (json) => json.replace(/(T\d\d:\d\d:\d\d\.\d{3})[+-]\d\d:\d\d"/g, "$1+00:00\"")
  },
  {
    name: "milliseconds are dropped",
    law: "an instant keeps its instant",
    writes: (json) => json.replace(/(T\d\d:\d\d:\d\d)\.\d{3}/g, "$1.000")
  },
  {
    name: "birth dates pass through a time zone",
    law: "a date never shifts",
    writes: (json) =>
      json.replace(
        /"birthdate":"(\d{4}-\d\d-\d\d)"/,
        (_, date: string) =>
          `"birthdate":"${new Date(Date.parse(`${date}T00:00:00+07:00`)).toISOString().slice(0, 10)}"`
      )
  },
  {
    name: "numbers pass through doubles",
    law: "a decimal keeps its digits",
    reads: (bundle) => JSON.stringify(JSON.parse(bundle))
  },
  {
    name: "amounts are rounded to whole units",
    law: "map(toFhir(v)) equals v",
    writes: (json) => json.replace(/"(price|payment|total)":(\d+)\.\d+/g, "\"$1\":$2")
  },
  {
    name: "keys come in the order of the alphabet",
    law: "keys are in the specification's order",
    writes: (json) =>
      JSON.stringify(
        JSON.parse(json, (_, inner: unknown) =>
          typeof inner === "object" && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
            : inner)
      )
  },
  {
    name: "zero-width spaces are removed",
    law: "map(toFhir(v)) equals v",
    writes: (json) => json.replaceAll("\u200B", "")
  },
  {
    name: "texts are trimmed",
    law: "map(toFhir(v)) equals v",
    reads: (bundle) => bundle.replace(/"valueString":" +/g, "\"valueString\":\"")
  },
  {
    name: "empty lists are null",
    law: "map(toFhir(v)) equals v",
    writes: (json) => json.replaceAll(":[]", ":null")
  },
  {
    name: "an entry of the Bundle is lost",
    law: "map(toFhir(v)) equals v",
    reads: (bundle) => {
      const read: { entry: Array<{ resource: { resourceType: string } }> } = JSON.parse(bundle)
      const lost = read.entry.findIndex(({ resource }) => resource.resourceType === "Observation")
      return JSON.stringify({ ...read, entry: read.entry.filter((_, index) => index !== lost) })
    }
  },
  {
    name: "a zone is taken for another",
    law: "an instant keeps its instant",
    writes: (json) => json.replaceAll("+07:00\"", "+08:00\"")
  },
  {
    name: "half hours of a zone are forgotten",
    law: "a visit in another zone is the same visit",
    writes: (json) => json.replaceAll(/(-0\d):30"/g, "$1:00\"")
  }
]
