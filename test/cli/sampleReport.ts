import { at } from "../../src/at.ts"
import { noCounts, type Report } from "../../src/cli/report/Report.ts"
import type { Collated } from "../../src/diagnostic/collate.ts"

const hostile = "<script>alert(\"x\")</script>' onload='x'"

const problem = (first: Collated["first"], count: number, visits: number): Collated => ({ first, count, visits })

const span = (file: string, line: number) => ({ file, line, column: 13, endColumn: 20 })

/** A value such as a patient's name, which only `--show-values` shows. */
export const value = "Sok Invented-Canary"

/** A place that so few patients were in that it may be about one of them. */
export const rarePlace = "Rare-Canary-Ward"

/** A run with something of everything, and with names that would do harm if they were not escaped. */
const report: Report = {
  command: "run",
  purpose: "send",
  facility: "HF0001",
  counts: {
    ...noCounts,
    records: 1_300,
    usedRecords: 1_041,
    unusedRecords: 203,
    rejectedRecords: 56,
    unreadable: 3,
    groups: 120,
    visits: 120,
    ready: 97,
    rejected: 23,
    sent: 61,
    stored: 44,
    partial: 5,
    refused: 4,
    duplicate: 1,
    conflict: 2,
    doubt: 1,
    unknown: 3,
    skipped: 30,
    left: 7
  },
  problems: [
    problem(
      {
        code: "referral-required",
        severity: "error",
        title: "the patient was transferred and `referrals` is empty",
        mapping: span("mappings/fhir-r4/medication-and-money.yaml", 68),
        visit: "V000007",
        field: "referrals",
        source: "Encounter/7",
        origin: { file: "export/Encounter.ndjson", line: 7, reference: "Encounter/7" },
        help: ["give the referral in the source", "or correct `discharge_type`"]
      },
      21,
      21
    ),
    problem(
      {
        code: "required-field",
        severity: "error",
        title: `no value for \`patient.surname\` in ${hostile}`,
        mapping: span(`mappings/${hostile}.yaml`, 12),
        path: "name.family & 'x' < \"y\"",
        visit: hostile,
        field: "patient.surname",
        source: `Patient/${hostile}`,
        value
      },
      19,
      5
    ),
    problem({ code: "no-encounter", severity: "error", title: "this Observation refers to no encounter" }, 53, 0),
    problem(
      {
        code: "field-refused",
        severity: "error",
        title: "the service refused `triages[].title`",
        field: "triages[2].title",
        facts: [["service", "status 400"]]
      },
      4,
      4
    ),
    problem(
      {
        code: "unmapped-code",
        severity: "warning",
        title: "the concept map `discharge_type` does not contain a code of the source",
        mapping: span("visit.yaml", 17),
        field: "discharge_type"
      },
      1_234,
      88
    )
  ],
  assumptions: [
    {
      name: "unconfirmed-diagnosis-is-differential",
      means: "A diagnosis that is not confirmed is sent as Differential.",
      ask: "hospital",
      visits: 12,
      accepted: false,
      mapping: "mappings/fhir-r4/orders.yaml:352:9"
    },
    {
      name: "nationality-unknown",
      means: "Without a nationality, Unknown is sent.",
      ask: "operator",
      visits: 40,
      accepted: true,
      mapping: "mappings/fhir-r4/visit.yaml:60:9"
    }
  ],
  unmapped: [
    {
      table: "discharge_type",
      system: "urn:example:discharge",
      code: "home<b>",
      display: hostile,
      count: 1_201,
      visits: 80,
      blocked: 6
    },
    { table: "discharge_type", system: null, code: "x", display: null, count: 33, visits: 9, blocked: 0 }
  ],
  used: new Map([["Observation", 900], ["Encounter", 120], ["Patient", 21]]),
  unused: new Map([["Practitioner", 199], ["", 4]]),
  unresolved: new Map([["Encounter", 11]]),
  placedByTime: new Map([["Observation", 17]]),
  started: "2026-03-09T01:00:00.000Z",
  ended: "2026-03-09T01:02:05.000Z",
  version: "0.1.0",
  mapping: "4d0f3c2b1a0987654321",
  days: new Map([
    ["2026-03-02", { ready: 50, rejected: 3 }],
    ["2026-03-03", { ready: 47, rejected: 0 }],
    ["", { ready: 0, rejected: 20 }]
  ]),
  zone: "Asia/Phnom_Penh",
  places: new Map([
    ["Emergency", { ready: 40, rejected: 20, common: true }],
    [`Surgery ${hostile}`, { ready: 50, rejected: 2, common: true }],
    [rarePlace, { ready: 1, rejected: 1, common: false }],
    ["", { ready: 6, rejected: 0, common: true }]
  ]),
  blockers: [["referral-required", 21], ["required-field", 5]],
  runs: [
    {
      id: 1,
      startedAt: "2026-03-08T01:00:00.000Z",
      endedAt: "2026-03-08T01:02:00.000Z",
      ending: "stopped",
      counts: { visits: 40, sent: 32, stored: 30, partial: 2, refused: 0, unknown: 1, left: 7, skipped: 0 },
      summary: {
        records: 900,
        rejectedRecords: 80,
        visits: 100,
        ready: 40,
        rejected: 60,
        blockers: [["referral-required", 50], ["missing-offset", 12]]
      }
    },
    {
      id: 2,
      startedAt: "2026-03-09T01:00:00.000Z",
      endedAt: "2026-03-09T01:02:05.000Z",
      ending: "done",
      counts: {
        visits: 97,
        sent: 61,
        stored: 44,
        partial: 5,
        refused: 4,
        duplicate: 1,
        conflict: 2,
        doubt: 1,
        unknown: 3,
        skipped: 30,
        left: 7
      }
    }
  ]
}

/** The first problem of a kind. */
const kind = (index: number) => at(report.problems, index).first

/** With lists of the first visits and records, as a run counts them. */
export const sampleReport: Report = {
  ...report,
  rejectedVisits: Array.from({ length: 23 }, (_, at) => ({
    name: at === 4 ? hostile : `V0001${String(at).padStart(2, "0")}`,
    origin: `export/Encounter.ndjson:${at + 1}`,
    day: at < 20 ? "" : "2026-03-02",
    place: at < 20 ? "Emergency" : at < 22 ? `Surgery ${hostile}` : rarePlace,
    kinds: at < 18 ? [kind(0)] : [kind(0), kind(1)]
  })),
  readyVisits: Array.from({ length: 97 }, (_, at) => ({
    name: at === 60 ? `ready ${hostile}` : `V0002${String(at).padStart(2, "0")}`,
    origin: `export/Encounter.ndjson:${at + 24}`,
    day: at < 50 ? "2026-03-02" : "2026-03-03",
    place: at < 40 ? "Emergency" : at < 90 ? `Surgery ${hostile}` : at < 91 ? rarePlace : "",
    kinds: at < 88 ? [kind(4)] : []
  })),
  outcomes: new Map(
    Array.from({ length: 97 }, (_, at) => [
      at === 60 ? `ready ${hostile}` : `V0002${String(at).padStart(2, "0")}`,
      at < 44 ? "stored" : at < 49 ? "partial" : at < 53 ? "refused" : at < 83 ? "skipped" : "left"
    ])
  ),
  rejectedRecords: Array.from({ length: 56 }, (_, at) => ({
    name: at < 53 ? `Observation/o${at + 1}` : "",
    origin: `export/Observation.ndjson:${at + 1}`,
    kinds: [kind(2)]
  })),
  outcomeKinds: new Map(
    [49, 50, 51, 52].map((at) => [`V0002${String(at).padStart(2, "0")}`, [kind(3)]])
  )
}
