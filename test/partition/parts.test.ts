import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { loadMapping } from "../../src/mapping/loadMapping.ts"
import { cutParts, Role } from "../../src/partition/cutParts.ts"
import type { PutAside } from "../../src/partition/RecordStore.ts"
import { RecordStore } from "../../src/partition/RecordStore.ts"
import type { ConversionRequest, Room } from "../../src/pipeline/ConversionRequest.ts"
import { convertParts } from "../../src/pipeline/convertParts.ts"
import { convertRecords } from "../../src/pipeline/convertRecords.ts"
import { makePartConverter } from "../../src/pipeline/partConverter.ts"
import { readDocument } from "../../src/source/readDocument.ts"
import type { ReadItem } from "../../src/source/Reading.ts"
import { Reading } from "../../src/source/Reading.ts"
import { defaultReadLimits } from "../../src/source/ReadLimits.ts"
import { duplicatesOf, RecordCollector } from "../../src/source/RecordIndex.ts"
import { strictJoins } from "../../src/source/Servers.ts"
import { makeUniqueInRun } from "../../src/visit/rules/uniqueInRun.ts"
import { validateVisit } from "../../src/visit/validateVisit.ts"
import type { Converted } from "../pipeline/converted.ts"
import { addsUp, converted, present, temporaryFolder, written } from "../pipeline/converted.ts"
import { runs, timeout } from "../runs.ts"

const held: Partial<Room> = { heldBytes: Number.POSITIVE_INFINITY, workers: 0 }
const inParts = (partBytes: number, workers = 0): Partial<Room> => ({
  heldBytes: 0,
  partBytes,
  workers,
  helps: false
})

/** What comes of inputs, as a whole and in parts of each size, is the same: visits, problems, what became of every record. */
const isAlike = (
  inputs: ReadonlyArray<string>,
  settings: Partial<ConversionRequest>,
  rooms: ReadonlyArray<Partial<Room>>
) =>
  Effect.gen(function*() {
    const whole = yield* converted(inputs, { ...settings, room: held })
    for (const room of rooms) {
      const { groups: _, ...cut } = yield* converted(inputs, { ...settings, room })
      const { groups: __, ...all } = whole
      assert.deepStrictEqual(cut, all)
      assert.isTrue(addsUp({ groups: 0, ...cut }))
    }
    return whole
  })

const samples: ReadonlyArray<readonly [string, Partial<ConversionRequest>]> = [
  ["outpatient-fever", {}],
  ["inpatient-surgery-referral", {}],
  ["emergency-labs-imaging", {}],
  ["clinic-day", {}],
  ["district-tables", { mapping: "samples/district-tables/mapping.yaml" }]
]

describe("A run that does not fit into memory is converted part by part", () => {
  for (const [sample, settings] of samples) {
    it.live(`what comes of it is what comes of the whole: ${sample}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* isAlike([`samples/${sample}/input`], settings, [inParts(1), inParts(4_000)])
        assert.isNotEmpty(visits)
      }), 30_000)
  }

  it.live(
    "worker threads change nothing of it",
    () =>
      isAlike(["samples/clinic-day/input", "samples/emergency-labs-imaging/input"], {}, [
        inParts(1, 1),
        inParts(4_000, 2),
        { ...inParts(4_000, 1), helps: true }
      ]),
    60_000
  )

  it.live(
    "when the newest record of a visit changed is known in memory, on disk and in workers; a visit that is not over, too",
    () =>
      Effect.gen(function*() {
        const subject = { reference: "Patient/p1" }
        const encounter = (id: string, more: object) => ({
          resourceType: "Encounter",
          id,
          class: { code: "AMB" },
          subject,
          period: { start: "2026-03-02T08:00:00+07:00" },
          ...more
        })
        const files = written(yield* temporaryFolder, {
          "in.ndjson": [
            { resourceType: "Patient", id: "p1", meta: { lastUpdated: "2026-03-09T00:00:00Z" } },
            encounter("e1", { status: "finished", meta: { lastUpdated: "2026-03-03T00:00:00Z" } }),
            encounter("e2", { status: "in-progress" }),
            {
              resourceType: "Condition",
              id: "c1",
              subject,
              encounter: { reference: "Encounter/e1" },
              meta: { lastUpdated: "2026-03-04T09:30:00.5+07:00" }
            }
          ].map((record) => `${JSON.stringify(record)}\n`).join("")
        })
        const { visits } = yield* isAlike(files, {}, [inParts(1), inParts(1, 2)])
        assert.deepStrictEqual(
          visits.map(({ newestAt, notOver, source }) => [source, newestAt, notOver]),
          [
            ["Encounter/e1", Date.parse("2026-03-04T02:30:00.500Z"), undefined],
            ["Encounter/e2", undefined, true]
          ]
        )
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "a part that is too large for a worker is converted all the same",
    () => isAlike(["samples/clinic-day/input"], {}, [{ ...inParts(4_000, 2), workerMegabytes: 4 }]),
    60_000
  )

  it("records that name each other in every way, or nobody, are found as they are in the whole", () => {
    fc.assert(
      fc.property(world, fc.constantFrom(1, 400, 2_000), (files, partBytes) => {
        assert.deepStrictEqual(cutUp(files, partBytes), asOne(files))
      }),
      { numRuns: runs(60) }
    )
  }, timeout)

  it("what stands in every Bundle word for word is in a part once", () => {
    const shared = [
      { resourceType: "Practitioner", id: "d1", name: [{ family: "Example", prefix: ["Dr"] }] },
      { resourceType: "PractitionerRole", id: "r1", practitioner: { reference: "Practitioner/d1" } },
      { resourceType: "Organization", id: "o1", name: "Sample Clinic" }
    ]
    const count = 60
    const bundles = Array.from({ length: count }, (_, at) => [
      {
        resourceType: "Patient",
        id: `p${at}`,
        name: [{ family: "Example" }],
        managingOrganization: { reference: "Organization/o1" }
      },
      {
        resourceType: "Encounter",
        id: `e${at}`,
        status: "finished",
        class: { code: "AMB" },
        subject: { reference: `Patient/p${at}` },
        participant: [{ individual: { reference: at % 2 === 0 ? "Practitioner/d1" : "PractitionerRole/r1" } }],
        serviceProvider: { reference: "Organization/o1" },
        period: { start: "2026-03-01T08:00:00+07:00" }
      },
      ...shared,
      // It says something else in each.
      { resourceType: "Practitioner", id: "d2", name: [{ family: `Example ${at % 3}` }] }
    ])
    const files = new Map(bundles.map((resources, at) => [
      `bundle-${at}.json`,
      JSON.stringify({
        resourceType: "Bundle",
        type: "transaction",
        entry: resources.map((resource) => ({
          fullUrl: `http://one.example/fhir/${resource.resourceType}/${resource.id}`,
          resource
        }))
      })
    ]))
    assert.deepStrictEqual(cutUp(files, 1), asOne(files))
    const { links, places } = putAside(files)
    const parts = [...cutParts({ links, partBytes: 1, sizeOf: (record) => places.lengthAt(record) })]
    assert.isAbove(parts.length, count)
    for (const { records, roles } of parts) {
      if (roles.some((role) => (role & Role.visit) !== 0)) assert.isAtMost(records.length, 5)
    }
  })

  it.live(
    "shards: each visit is in one of them, each record is accounted for in one of them, and together they are the run",
    () =>
      Effect.gen(function*() {
        const inputs = [
          "samples/clinic-day/input",
          "samples/emergency-labs-imaging/input",
          "samples/outpatient-fever/input"
        ]
        const whole = yield* converted(inputs)
        const shards = yield* Effect.forEach([1, 2, 3], (index) => converted(inputs, { shard: { index, count: 3 } }))
        const sources = (one: Converted) => one.visits.map(({ json, source }) => [source, json])
        assert.deepStrictEqual(shards.flatMap(sources).toSorted(), sources(whole).toSorted())
        assert.isAbove(shards.filter(({ visits }) => visits.length > 0).length, 1)
        const sum = (of: (one: Converted) => number) => shards.map(of).reduce((one, other) => one + other)
        assert.strictEqual(sum(({ totals }) => totals.records), whole.records)
        assert.strictEqual(sum(({ totals }) => totals.groups), whole.totals.groups)
        assert.deepStrictEqual(
          shards.flatMap(({ totals }) => totals.rejectedRecords.map(({ source }) => source)).toSorted(),
          whole.totals.rejectedRecords.map(({ source }) => source).toSorted()
        )
        const accounts = ({ totals }: Converted) =>
          [totals.usedRecords, ...totals.unused.values()].reduce((one, other) => one + other)
        assert.strictEqual(sum(({ totals }) => totals.usedRecords), whole.totals.usedRecords)
        assert.strictEqual(sum(accounts), accounts(whole))
        // A visit stays in its shard when others come to the input.
        const [first] = inputs
        const [alone] = yield* Effect.forEach([1], (index) => converted([first!], { shard: { index, count: 3 } }))
        for (const [source] of sources(alone!)) assert.include(sources(shards[0]!).map(([one]) => one), source)
      }),
    60_000
  )

  it.live("where there is no room for it, the run stops and says which folder it is", () =>
    Effect.gen(function*() {
      const before = process.env.TMPDIR
      process.env.TMPDIR = "/no/such/folder"
      const failed = yield* Effect.flip(converted(["samples/clinic-day/input"], { room: inParts(1) })).pipe(
        Effect.ensuring(Effect.sync(() => {
          if (before === undefined) delete process.env.TMPDIR
          else process.env.TMPDIR = before
        }))
      )
      assert.strictEqual(failed._tag, "SourceError")
      assert.match(failed.message, /^records cannot be put aside in \/no\/such\/folder \(ENOENT\)/u)
    }))

  it.live("nothing is left of what was put aside", () =>
    Effect.gen(function*() {
      const ours = () =>
        readdirSync(tmpdir()).filter((name) => name.startsWith("fhir2visit-") && name.endsWith(".aside"))
      yield* converted(["samples/clinic-day/input"], { room: inParts(1) })
      assert.deepStrictEqual(ours(), [])
    }), 30_000)
})

const windows = `mapping: windows
extends: fhir-r4
grouping:
  window:
    Observation: {enabled: true}
    Condition: {enabled: true, before: 1 hour, several: nearest}
`

const checked = await Effect.runPromise(
  loadMapping("windows.yaml", "mappings", {
    // Records without an encounter are looked for by patient and time.
    given: new Map([["windows.yaml", windows]])
  }).pipe(Effect.map((loaded) => loaded.checked!), Effect.provide(NodeServices.layer))
)

const options = {
  checked,
  facility: null,
  system: null,
  zone: "Asia/Phnom_Penh",
  checkVisit: (visit: unknown) => validateVisit(visit, { now: present })
}

const itemsOf = (files: ReadonlyMap<string, string>): ReadonlyArray<ReadItem> =>
  [...files].flatMap(([file, text]) => {
    const reading = new Reading(file, true)
    readDocument(Buffer.from(text), reading, defaultReadLimits)
    reading.finish()
    return reading.take()
  })

const asOne = (files: ReadonlyMap<string, string>) => {
  const collector = new RecordCollector()
  for (const item of itemsOf(files)) collector.add(item)
  const records = collector.index()
  const { totals, visits } = convertRecords({ ...options, records, compareVisit: makeUniqueInRun() })
  return {
    visits: [...visits],
    problems: duplicatesOf(records, checked.plan.followed.types).map(({ problem }) => problem),
    totals: totals()
  }
}

const putAside = (files: ReadonlyMap<string, string>): PutAside => {
  const { constants, fhirPath, followed, grouping } = checked.plan
  const store = new RecordStore({
    linking: {
      constants,
      fhirPath,
      grouping,
      backwards: followed.backwards!,
      backwardsToVisit: followed.backwardsToVisit,
      followed: followed.elements,
      types: followed.types
    },
    heldBytes: -1,
    beginPuttingAside: () => undefined
  })
  for (const item of itemsOf(files)) store.add(item)
  const stored = store.finish()
  if (stored._tag === "Held") throw new Error("they are on disk")
  return stored.records
}

const cutUp = (files: ReadonlyMap<string, string>, partBytes: number) => {
  const records = putAside(files)
  const converter = makePartConverter({ ...options, where: records.where, joins: strictJoins })
  const { problems, take, tasks, totals } = convertParts({
    records,
    partBytes,
    converter: () => converter,
    compareVisit: makeUniqueInRun()
  })
  const visits = [...tasks()].flatMap((task) => take(converter.convert(task)))
  return { visits, problems: problems(), totals: totals() }
}

type Json = Readonly<Record<string, unknown>>

const ids = fc.constantFrom("1", "2", "3", "17")
const days = fc.constantFrom(
  "2026-03-01T08:00:00+07:00",
  "2026-03-01T11:30:00+07:00",
  "2026-03-02",
  "2026-03-04T09:00:00Z"
)
const maybe = <A>(of: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(of, { nil: undefined })

/** A reference to one of a few records, written in one of many ways; sometimes to nobody. */
const reference = (...types: ReadonlyArray<string>): fc.Arbitrary<Json> =>
  fc.tuple(fc.constantFrom(...types), fc.oneof(ids, ids, fc.constant("nobody")), fc.nat(6)).map(([type, id, way]) => {
    switch (way) {
      case 0:
        return { reference: `urn:uuid:${type.toLowerCase()}-${id}` }
      case 1:
        return { reference: `http://one.example/fhir/${type}/${id}` }
      case 2:
        return { type, identifier: { system: "urn:example:numbers", value: `${type}-${id}` } }
      case 3:
        return { reference: `${type}?identifier=urn:example:numbers|${type}-${id}` }
      case 4:
        return { reference: `${type}/${id}/_history/2` }
      default:
        return { reference: `${type}/${id}` }
    }
  })

const record = (type: string, elements: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> =>
  fc.tuple(fc.record(elements), maybe(ids), fc.boolean(), maybe(fc.constantFrom("1", "2"))).map((
    [rest, id, named, versionId]
  ) => ({
    resourceType: type,
    ...(id === undefined ? {} : { id }),
    ...(versionId === undefined ? {} : { meta: { versionId } }),
    ...(named && id !== undefined ? { identifier: [{ system: "urn:example:numbers", value: `${type}-${id}` }] } : {}),
    ...rest
  }))

const period = days.map((start) => ({ start }))
const anyRecord: fc.Arbitrary<Json> = fc.oneof(
  record("Patient", {
    name: fc.constant([{ family: "Example", given: ["Ann"] }]),
    generalPractitioner: maybe(fc.tuple(reference("Practitioner")))
  }),
  record("Practitioner", { name: fc.constant([{ family: "Example", prefix: ["Dr"] }]) }),
  record("PractitionerRole", { practitioner: reference("Practitioner"), code: fc.constant([{ text: "Nurse" }]) }),
  record("Encounter", {
    status: fc.constantFrom("finished", "finished", "cancelled"),
    class: fc.constant({ code: "AMB" }),
    subject: reference("Patient"),
    period,
    partOf: maybe(reference("Encounter")),
    account: maybe(fc.tuple(reference("Account"))),
    diagnosis: maybe(fc.tuple(fc.record({ condition: reference("Condition") })))
  }),
  record("Encounter", {
    status: fc.constant("finished"),
    class: fc.constant({ code: "AMB" }),
    subject: reference("Patient"),
    period
  }),
  record("Observation", {
    status: fc.constant("final"),
    code: fc.constant({ coding: [{ system: "http://loinc.org", code: "8867-4" }] }),
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    effectiveDateTime: days,
    performer: maybe(fc.tuple(reference("Practitioner", "PractitionerRole"))),
    hasMember: maybe(fc.tuple(reference("Observation"))),
    valueQuantity: fc.constantFrom({ value: 70, code: "/min" }, { value: 71.5, code: "/min" })
  }),
  record("Condition", {
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    recordedDate: days,
    code: fc.constant({ text: "cough" })
  }),
  record("DiagnosticReport", {
    status: fc.constant("final"),
    code: fc.constant({ text: "blood count" }),
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    result: fc.array(reference("Observation"), { maxLength: 2 })
  }),
  record("AllergyIntolerance", { patient: reference("Patient"), code: fc.constant({ text: "dust" }) }),
  record("Provenance", {
    target: fc.array(reference("Observation", "Encounter"), { minLength: 1, maxLength: 3 }),
    agent: fc.tuple(fc.record({ who: reference("Practitioner") }))
  }),
  record("Account", { subject: fc.tuple(reference("Patient")), coverage: fc.constant([]) }),
  record("Composition", { encounter: reference("Encounter"), subject: reference("Patient") })
)

const json = (value: unknown): string =>
  // Some numbers are kept by their digits.
  JSON.stringify(value).replaceAll("71.5", "71.50")

const entry = (resource: Json, way: number): Json => {
  const name = typeof resource.id === "string" ? resource.id : "x"
  const type = String(resource.resourceType)
  if (way === 0 && typeof resource.id === "string") {
    return { request: { method: "DELETE", url: `${type}/${name}` } }
  }
  return way < 3
    ? { fullUrl: `urn:uuid:${type.toLowerCase()}-${name}`, resource }
    : way < 5
    ? { fullUrl: `http://${way === 3 ? "one" : "other"}.example/fhir/${type}/${name}`, resource }
    : { resource }
}

const lines = fc.array(anyRecord, { minLength: 1, maxLength: 30 }).map((records) => records.map(json).join("\n"))
const bundle = fc.tuple(
  fc.constantFrom("document", "transaction", "history", "searchset"),
  fc.array(fc.tuple(anyRecord, fc.nat(8)), { minLength: 1, maxLength: 12 })
).map(([type, entries]) =>
  json({ resourceType: "Bundle", type, entry: entries.map(([resource, way]) => entry(resource, way)) })
)

/** A few files of records, some of them twice. */
const world: fc.Arbitrary<ReadonlyMap<string, string>> = fc.tuple(
  fc.array(lines, { minLength: 1, maxLength: 2 }),
  fc.array(bundle, { maxLength: 3 }),
  fc.boolean()
).map(([plain, bundles, twice]) =>
  new Map([
    ...plain.map((text, index) => [`records-${index}.ndjson`, `${text}\n`] as const),
    ...bundles.map((text, index) => [`bundle-${index}.json`, text] as const),
    ...(twice ? [["again.ndjson", `${plain[0]!}\n`] as const] : [])
  ])
)
