import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { apply } from "../../src/mapping/apply/apply.ts"
import { runScope } from "../../src/mapping/check/runScope.ts"
import type { VisitDraft } from "../../src/mapping/draft/VisitDraft.ts"
import { fieldText } from "../../src/mapping/draft/VisitDraft.ts"
import { groupByEncounter } from "../../src/mapping/grouping/groupByEncounter.ts"
import { loadMapping } from "../../src/mapping/language/loadMapping.ts"
import { readDocument } from "../../src/source/read/readDocument.ts"
import { defaultReadLimits } from "../../src/source/read/ReadLimits.ts"
import { RecordExtractor } from "../../src/source/read/RecordExtractor.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"

const indexOf = (text: string) => {
  const reading = new RecordExtractor("records.ndjson", true)
  readDocument(Buffer.from(text), reading, defaultReadLimits)
  reading.finish()
  const collector = new RecordCollector()
  for (const item of reading.take()) collector.add(item)
  return collector.index()
}

/** The visits of records; `once`: what is the same for all visits of a patient is made once. */
const draftsOf = async (text: string, overlay: string, once: boolean) => {
  const { checked, problems } = await Effect.runPromise(
    loadMapping("own.yaml", "mappings", {
      given: new Map([["own.yaml", `mapping: own\nextends: fhir-r4\n${overlay}`]])
    })
      .pipe(Effect.provide(NodeServices.layer))
  )
  if (checked === undefined) throw new Error(problems.map(({ title }) => title).join("\n"))
  const { enter, plan } = checked
  const records = indexOf(text)
  const scope = runScope(plan, records, { facility: null, system: null, zone: "UTC" })
  enter(scope)
  const zone = "Asia/Phnom_Penh"
  const grouping = groupByEncounter({
    source: records,
    plan: plan.grouping,
    fhirPath: plan.fhirPath,
    variables: plan.constants,
    zone,
    read: plan.followed.types
  })
  let requested = 0
  const context = {
    plan,
    enter,
    scope,
    ofPatient: grouping.ofPatient,
    zone,
    facility: null,
    system: null,
    hasMoreOf: () => {
      requested++
      return once
    }
  }
  const drafts = grouping.groups.map((group) => apply(context, group))
  assert.isAbove(requested, 0)
  const used = drafts.map((draft) => Array.from(draft.recordsIn(), ({ origin }) => origin.reference).toSorted())
  return { told: drafts.map(reported), used }
}

/** All that a draft says. */
const reported = (draft: VisitDraft) => {
  const paths: Array<ReadonlyArray<string | number>> = []
  const walk = (value: unknown, path: ReadonlyArray<string | number>): void => {
    if (path.length > 0) paths.push(path)
    if (Array.isArray(value)) value.forEach((one, index) => walk(one, [...path, index]))
    else if (typeof value === "object" && value !== null) {
      for (const [name, one] of Object.entries(value)) walk(one, [...path, name])
    }
  }
  walk(draft.visit, [])
  return {
    visit: draft.visit,
    problems: draft.problems,
    unmapped: draft.unmapped,
    homes: paths.map((path) => {
      const home = draft.provenanceOf(path)
      return [fieldText(path), home?.mapping, home?.path, home?.record?.origin]
    }),
    stories: paths.map((path) => draft.storyOf(path))
  }
}

const visits = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    resourceType: "Encounter",
    id: `e${at}`,
    status: "finished",
    class: { code: "AMB" },
    subject: { reference: `Patient/${at % 5 === 4 ? "p2" : "p1"}` },
    period: { start: `2026-03-0${at + 1}T08:00:00+07:00`, end: `2026-03-0${at + 1}T09:00:00+07:00` }
  }))

const patient = (id: string) => ({
  resourceType: "Patient",
  id,
  name: [{ use: "official", family: "Example", given: ["Ann"] }],
  gender: "sideways",
  birthDate: "1990",
  maritalStatus: { coding: [{ system: "urn:example:codes", code: "complicated" }] },
  address: [{ use: "home", line: ["1 Sample Street"], city: "Sampletown" }],
  identifier: [{ system: "urn:example:numbers", value: id }]
})

const coverage = (id: string, beneficiary: string) => ({
  resourceType: "Coverage",
  id,
  status: "active",
  subscriberId: `card-${id}`,
  type: { text: "Scheme of nobody" },
  beneficiary: { reference: `Patient/${beneficiary}` },
  period: { start: "2026-03-02", end: "2026-03-03" }
})

const world = [
  ...visits(7),
  patient("p1"),
  patient("p2"),
  coverage("c1", "p1"),
  coverage("c2", "p1"),
  coverage("c3", "p2"),
  ...["a", "b"].map((id) => ({
    resourceType: "AllergyIntolerance",
    id,
    patient: { reference: "Patient/p1" },
    recordedDate: "2026-03-03",
    code: { text: `dust ${id}` }
  }))
].map((record) => JSON.stringify(record)).join("\n")

/** What a visit itself holds must not be taken for the patient's. */
const ofVisits = visits(7).map(({ id, subject }) =>
  JSON.stringify({
    resourceType: "Condition",
    id: `c-${id}`,
    subject,
    encounter: { reference: `Encounter/${id}` },
    code: { text: `cough of ${id}` }
  })
).join("\n")

const all = `${world}\n${ofVisits}`

const overlays: ReadonlyArray<readonly [string, string]> = [
  ["as it is", ""],
  [
    "with fields of the patient that ask for the visit, in every way",
    `visit:
  patient:
    occupation: "'visit of ' & %visit.period.start.toString()"
    disabilities: "%encounters.count().toString()"
    phone: "%main.id"
    spid: "%rowIndex.toString()"
    address:
      house_number: "%visit.id"
      street_number: "%parent.gender"
      location: "reverseResolve('Coverage.beneficiary').subscriberId.join(' ')"
`
  ],
  [
    "with conditions and fields of the patient's records that ask for the visit",
    `visit:
  patient:
    identifications:
      unionAll:
        coverage:
          where:
            current: "iif(period.start > %visit.period.end, false, true)"
  medical_histories:
    unionAll:
      own:
        resource: AllergyIntolerance
        scope: patient
        name: {value: Allergies}
        encounter_code: "%main.keyOf('encounter')"
        value: "code.text & ' ' & %rowIndex.toString()"
      single:
        resource: AllergyIntolerance
        scope: patient
        where:
          later: "iif(recordedDate > %visit.period.end, false, true)"
        name: {value: Social History}
        value: code.text
`
  ],
  [
    "with rows of the patient that are made of the visit's records",
    `visit:
  patient:
    identifications:
      unionAll:
        own:
          resource: Condition
          card_code: code.text
          card_type: "'ID'"
`
  ],
  [
    "with a path that fails",
    `visit:
  patient:
    surname: "(name.family | name.given).single()"
`
  ]
]

describe("What is the same for all visits of a patient is made once", () => {
  for (const [what, overlay] of overlays) {
    it(`${what}: each visit says what it says when it is made alone`, async () => {
      const [once, each] = [await draftsOf(all, overlay, true), await draftsOf(all, overlay, false)]
      assert.strictEqual(each.told.length, 7)
      assert.deepStrictEqual(once.told, each.told)
      assert.deepStrictEqual(once.used, each.used)
      assert.isTrue(each.told.every(({ problems, unmapped }) => problems.length > 0 && unmapped.length > 0))
    })
  }

  it("of the samples too", async () => {
    const text = ["Encounter", "Patient", "Observation", "Condition", "Invoice"]
      .map((file) => readFileSync(`samples/clinic-day/input/${file}.000.ndjson`, "utf8"))
      .join("")
    assert.deepStrictEqual(await draftsOf(text, "", true), await draftsOf(text, "", false))
  })

  it("values of the patient are shared, and those that ask for the visit are not", async () => {
    const { told: all } = await draftsOf(world, overlays[1]![1], true)
    const [first, second] = all.map(({ visit }) => visit.patient as Readonly<Record<string, unknown>>)
    assert.notStrictEqual(first!.occupation, second!.occupation)
    const plain = await draftsOf(world, "", true)
    const [one, other] = plain.told.map(({ visit }) => visit.patient as Readonly<Record<string, unknown>>)
    assert.strictEqual(one!.address, other!.address)
    assert.notStrictEqual(one, other)
  })
})
