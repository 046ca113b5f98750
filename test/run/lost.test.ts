import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { explainInputs } from "../../src/run/explainInputs.ts"
import { present } from "../present.ts"
import { addressed, bothWays, neutral, temporaryFolder, written } from "./converted.ts"
import { bundle, encounter, type Json, lines, patient } from "./smallRecords.ts"

/** The ready visits, and the problems of unreadable records. */
const made = (
  files: Readonly<Record<string, string | Uint8Array>>,
  validation: ConversionRequest["validation"] = {},
  mapping?: string
) =>
  Effect.gen(function*() {
    const { folder, visits } = yield* bothWays(files, validation, mapping)
    return visits.map(({ problems, ready, source }) => [
      source,
      ready,
      ...problems.filter(({ code }) => code === "incomplete-visit").map(({ origin, source, title }) =>
        `${origin?.file.slice(folder.length + 1)}:${origin?.line} ${source ?? ""} ${title}`
      )
    ])
  })

const observation = (of: string, more: Json = {}): Json => ({
  resourceType: "Observation",
  id: `o-${of}`,
  status: "final",
  subject: { reference: `Patient/${of}` },
  ...more
})
const inEncounter = (id: string): Json => ({ encounter: { reference: `Encounter/${id}` } })
const broken = (record: Json): string =>
  lines(record).replace("\"final\"", "final").replace("\"active\":true", "\"active\":yes")

const people = lines(patient("a"), encounter("e1", "a"), encounter("e2", "a"), patient("b"), encounter("e3", "b"))
const unreadToItsEnd = "a file could not be read, or not to its end: records of the visit may have been in it"
const unharmed = [["Encounter/e1", true], ["Encounter/e2", true], ["Encounter/e3", true]]

describe("A visit with an unreadable record is held", () => {
  it.effect("if an unreadable line refers to its encounter", () =>
    Effect.gen(function*() {
      const visits = yield* made({
        "a.ndjson": people,
        "b.ndjson": lines(observation("b", inEncounter("e3"))) + broken(observation("a", inEncounter("e2")))
      })
      assert.deepStrictEqual(visits, [
        ["Encounter/e1", true],
        ["Encounter/e2", false, "b.ndjson:2 Observation/o-a a record of the visit could not be read"],
        ["Encounter/e3", true]
      ])
    }))

  it.effect("if it refers to one by an element that no line follows, whatever was read of that record elsewhere", () =>
    Effect.gen(function*() {
      const focus = observation("b", { id: "o-focus" })
      const visits = yield* made({
        "a.ndjson": people +
          lines(observation("a", { ...inEncounter("e1"), device: { reference: "Observation/o-focus" } })),
        "b.ndjson": lines(focus) + broken({ ...focus, subject: undefined })
      })
      assert.deepStrictEqual(visits.map(([source, ready]) => [source, ready]), [
        ["Encounter/e1", false],
        ["Encounter/e2", true],
        ["Encounter/e3", true]
      ])
    }))

  it.effect("but not if only a record that no line reaches refers to it", () =>
    Effect.gen(function*() {
      const derived = (id: string, from: string) =>
        observation("b", { id, device: { reference: `Observation/${from}` } })
      const visits = yield* made({
        "a.ndjson": people +
          lines(observation("a", { ...inEncounter("e1"), device: { reference: "Observation/o-1" } })),
        "b.ndjson": lines(derived("o-1", "o-2")) + broken({ ...derived("o-2", "o-3"), subject: undefined })
      })
      assert.deepStrictEqual(visits.map(([source, ready]) => [source, ready]), [
        ["Encounter/e1", true],
        ["Encounter/e2", true],
        ["Encounter/e3", true]
      ])
    }))

  it.effect("if a deletion refers to no single record, and it has records of that type", () =>
    Effect.gen(function*() {
      const deletion = (url: string) =>
        JSON.stringify({ resourceType: "Bundle", type: "transaction", entry: [{ request: { method: "DELETE", url } }] })
      for (const [url, isReady] of [["Encounter?identifier=1", false], ["Goal?status=1", true]] as const) {
        const visits = yield* made({ "a.ndjson": people, "b.json": deletion(url) })
        assert.deepStrictEqual(visits.map(([, ready]) => ready), [isReady, isReady, isReady], url)
      }
    }))

  it.effect("if an entry changes a record of it by a patch, or any record of a type", () =>
    Effect.gen(function*() {
      const patch = (url: string) =>
        JSON.stringify({
          resourceType: "Bundle",
          type: "transaction",
          entry: [{ resource: { resourceType: "Parameters" }, request: { method: "PATCH", url } }]
        })
      const all = [false, false, false]
      for (
        const [url, ready] of [
          ["Encounter/e2", [true, false, true]],
          ["https://emr.example/fhir/Encounter/e2", [true, false, true]],
          ["Encounter?identifier=1", all],
          ["Goal/1", [true, true, true]]
        ] as const
      ) {
        const visits = yield* made({ "a.ndjson": people, "b.json": patch(url) })
        assert.deepStrictEqual(visits.map(([, isReady]) => isReady), [...ready], url)
      }
    }))

  it.effect("if a line names a part of it, also with a server's address or with escapes", () =>
    Effect.gen(function*() {
      for (const reference of ["https://emr.example/fhir/Encounter/e2", "Encounter\\/e2", "Encounter/e2/_history/1"]) {
        const visits = yield* made({
          "a.ndjson": lines(
            patient("a"),
            encounter("e1", "a"),
            encounter("e2", "a", { partOf: { reference: "Encounter/e1" } }),
            encounter("e3", "a")
          ),
          "b.ndjson": broken(observation("a", { encounter: { reference } })).replaceAll("\\\\/", "\\/")
        })
        assert.deepStrictEqual(visits, [
          ["Encounter/e1", false, "b.ndjson:1 Observation/o-a a record of the visit could not be read"],
          ["Encounter/e3", true]
        ], reference)
      }
    }))

  it.effect("if a line names only its patient", () =>
    Effect.gen(function*() {
      const stated =
        "b.ndjson:1 Observation/o-a a record that could not be read refers to the visit's patient and to no encounter: " +
        "it may belong to the visit"
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": broken(observation("a")) }), [
        ["Encounter/e1", false, stated],
        ["Encounter/e2", false, stated],
        ["Encounter/e3", true]
      ])
    }))

  it.effect("if a file is truncated, and it may have records of the file's types", () =>
    Effect.gen(function*() {
      const whole = lines(observation("b", inEncounter("e3")))
      const stated = (line: number) => `b.ndjson:${line} Observation ${unreadToItsEnd}`
      const every = (line: number) => ["e1", "e2", "e3"].map((id) => [`Encounter/${id}`, false, stated(line)])
      const cut = whole + lines(observation("a")).slice(0, 40)
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": cut }), every(2))
      const other = whole + lines({ resourceType: "AuditEvent", id: "x" }).slice(0, 20)
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": other }), every(2))
      const unread = lines({ resourceType: "AuditEvent", id: "x" }) + "{\"resourceType\":"
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": unread }), unharmed)
    }))

  it.effect("if a line ends before its record names a visit, also if a line feed or other lines follow", () =>
    Effect.gen(function*() {
      const whole = lines(observation("b", inEncounter("e3")))
      const all = (line: number) =>
        unharmed.map(([source]) => [source, false, `b.ndjson:${line} Observation ${unreadToItsEnd}`])
      const cut = `${lines(observation("a")).slice(0, 50)}\n`
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": whole + cut }), all(2))
      const amid = yield* made({ "a.ndjson": people, "b.ndjson": whole + cut + whole })
      assert.deepStrictEqual(amid.map(([, ready]) => ready), [false, false, false])
      const named = `${lines({ ...inEncounter("e3"), ...observation("a") }).slice(0, 90)}\n`
      assert.deepStrictEqual(
        (yield* made({ "a.ndjson": people, "b.ndjson": named + whole })).map(([, ready]) => ready),
        [
          true,
          true,
          false
        ]
      )
      const doctor = `${lines({ resourceType: "Practitioner", id: "d", active: true }).slice(0, 50)}\n`
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "d.ndjson": doctor }), unharmed)
    }))

  it.effect("not by a truncated reference: `Encounter/e1` may have been `Encounter/e17`", () =>
    Effect.gen(function*() {
      const line = lines(observation("b", { encounter: { reference: "Encounter/e1" }, note: [] }))
      const cut = line.slice(0, line.indexOf("e1\"") + 2)
      const [first, , third] = yield* made({ "a.ndjson": people, "b.ndjson": cut })
      assert.deepStrictEqual(first?.slice(2), [`b.ndjson:1 Observation ${unreadToItsEnd}`])
      assert.match(String(third?.[2]), /refers to the visit's patient and to no encounter/u)
    }))

  it.effect("not by another unreadable encounter of the patient", () =>
    Effect.gen(function*() {
      const other = lines(encounter("e4", "a")).replace("\"finished\"", "finished")
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": other }), unharmed)
    }))

  it.effect("not by a record of a type that the mapping does not read", () =>
    Effect.gen(function*() {
      const plan = broken({ ...observation("a", inEncounter("e1")), resourceType: "AuditEvent" })
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.ndjson": plan }), unharmed)
    }))

  it.effect("if one of its records refers to an unreadable one, directly or indirectly, that is not readable elsewhere", () =>
    Effect.gen(function*() {
      const reader = (id: string): Json => ({
        resourceType: "PractitionerRole",
        id,
        practitioner: { reference: "Practitioner/p" }
      })
      const practitioner = broken({ resourceType: "Practitioner", id: "p", active: true })
      const files = {
        "a.ndjson": people,
        "b.ndjson": lines(
          reader("r"),
          observation("a", { ...inEncounter("e1"), performer: [{ reference: "PractitionerRole/r" }] }),
          observation("b", { ...inEncounter("e3"), performer: [{ reference: "Practitioner/p" }] })
        ),
        "c.ndjson": lines(reader("q")) + practitioner
      }
      const stated = "c.ndjson:2 Practitioner/p a record that the visit refers to could not be read"
      assert.deepStrictEqual(yield* made(files), [
        ["Encounter/e1", false, stated],
        ["Encounter/e2", true],
        ["Encounter/e3", false, stated]
      ])
      const again = lines({ resourceType: "Practitioner", id: "p", active: true })
      assert.deepStrictEqual(yield* made({ ...files, "d.ndjson": again }), unharmed)
    }))

  it.effect("once, if a rejected Bundle names it", () =>
    Effect.gen(function*() {
      const cut = bundle(
        "collection",
        observation("a", inEncounter("e1")),
        observation("b", {
          id: "o-2",
          ...inEncounter("e1"),
          contained: [{ resourceType: "Basic" }],
          ...inEncounter("e1")
        }),
        observation("b", inEncounter("e3"))
      ).replace("\"final\"", "final")
      assert.deepStrictEqual(yield* made({ "a.ndjson": people, "b.json": cut }), [
        ["Encounter/e1", false, "b.json:1 Observation/o-a a record of the visit could not be read"],
        ["Encounter/e2", true],
        ["Encounter/e3", false, "b.json:1 Observation/o-b a record of the visit could not be read"]
      ])
    }))

  it.effect("if a Bundle of its patient, or a document, is truncated", () =>
    Effect.gen(function*() {
      const entries = [observation("b", inEncounter("e3")), observation("b", { id: "o-2" })]
      const of = (...records: ReadonlyArray<Json>) => bundle("collection", ...records).slice(0, -3)
      const ready = (content: string | Uint8Array) =>
        Effect.map(made({ "a.ndjson": people, "b.json": content }), (visits) => visits.map((visit) => visit[1]))
      assert.deepStrictEqual(yield* ready(of(patient("b"), ...entries)), [true, true, false])
      assert.deepStrictEqual(yield* ready(of(...entries)), [false, false, false])
      assert.deepStrictEqual(yield* ready(of(patient("a"), patient("b"), ...entries)), [false, false, false])
      assert.deepStrictEqual(yield* ready(JSON.stringify(entries, null, 1).slice(0, -90)), [false, false, false])
      const wide = Buffer.from(`\uFEFF${of(...entries)}`, "utf16le")
      for (const bytes of [wide, wide.subarray(0, -1), wide.subarray(2)]) {
        assert.deepStrictEqual(yield* ready(bytes), [false, false, false])
      }
    }))

  it.effect("if a compressed file is truncated, whatever its beginning names", () =>
    Effect.gen(function*() {
      const noise = Array.from(
        { length: 3000 },
        (_, at) => observation("b", { id: `n${Math.imul(at, 2654435761) >>> 0}` })
      )
      const whole = gzipSync(
        lines(observation("a", inEncounter("e2")), ...noise.map((record) => ({ ...record, ...inEncounter("e9") })))
      )
      const visits = yield* made({ "a.ndjson": people, "b.ndjson.gz": whole.subarray(0, whole.length / 2) })
      const stated = `b.ndjson.gz:1 Observation ${unreadToItsEnd}`
      assert.deepStrictEqual(visits, [
        ["Encounter/e1", false, stated],
        ["Encounter/e2", false, "b.ndjson.gz:1 Observation/o-a a record of the visit could not be read"],
        ["Encounter/e3", false, stated]
      ])
    }))

  it.effect("if a file of one type is truncated or unreadable", () =>
    Effect.gen(function*() {
      const whole = lines(observation("a", { ...inEncounter("e2"), valueString: "x".repeat(40) }), observation("b"))
      const stated = (file: string, line = 1) => [
        file,
        ...["e1", "e2", "e3"].map((id) => [
          `Encounter/${id}`,
          false,
          `${file}:${line} Observation a file could not be read, or not to its end: records of the visit may have been in it`
        ])
      ]
      for (
        const [file, content, line] of [
          [
            "Observation.ndjson",
            `${lines(observation("b", { encounter: { reference: "Encounter/gone" } }))}{"resourceType":"Obs`,
            2
          ],
          ["export-observation-3.ndjson", "{\"resourceType\":"],
          ["Observation.000.ndjson.gz", gzipSync(whole).subarray(0, 24)],
          ["Observation.ndjson", Buffer.from("PK\u0003\u0004nothing that can be read")]
        ] as const
      ) {
        const visits = yield* made({ "a.ndjson": people, [file]: content })
        assert.deepStrictEqual([file, ...visits], stated(file, line))
      }
    }))

  it.effect("not by an unreadable file of mixed types, patients, encounters or unused types", () =>
    Effect.gen(function*() {
      for (
        const file of [
          "day.ndjson",
          "Patient.000.ndjson",
          "Encounter.000.ndjson",
          "AuditEvent.ndjson",
          "Observations.ndjson"
        ]
      ) {
        const visits = yield* made({
          "a.ndjson": people,
          [file]: `${lines({ resourceType: "Basic", id: "b" })}{"resourceType":`
        })
        assert.deepStrictEqual(visits, unharmed, file)
      }
    }))

  it.effect("by references in any form, and with keys in any order", () =>
    Effect.gen(function*() {
      const identifier = { system: "urn:visits", value: "V-17" }
      const people = lines(patient("a"), encounter("e1", "a", { identifier: [identifier] }), encounter("e2", "a"))
      const sorted = (record: Json): Json =>
        Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      const contained = [{ resourceType: "AuditEvent", id: "x" }]
      for (
        const one of [
          { encounter: { type: "Encounter", identifier } },
          { encounter: { reference: "urn:uuid:e1", type: "Encounter" } },
          { contained, ...inEncounter("e1") }
        ]
      ) {
        const line = lines(sorted(observation("a", one))).replace("\"final\"", "final")
        const visits = yield* made({ "a.ndjson": people, "b.ndjson": lines(observation("z")) + line })
        assert.deepStrictEqual(visits.map(([source, ready]) => [source, ready]), [
          ["Encounter/e1", false],
          ["Encounter/e2", true]
        ], line)
      }
    }))

  it.effect("if others refer to the record by id, address or identifier", () =>
    Effect.gen(function*() {
      const identifier = { system: "urn:staff", value: "S-1" }
      const practitioner = { active: true, id: "p", identifier: [identifier], resourceType: "Practitioner" }
      for (const performer of [{ reference: "Practitioner/p" }, { identifier }]) {
        const visits = yield* made({
          "a.ndjson": people + lines(observation("a", { ...inEncounter("e1"), performer: [performer] })),
          "b.ndjson": broken(practitioner)
        })
        assert.deepStrictEqual(visits.map(([source, ready]) => [source, ready]), [
          ["Encounter/e1", false],
          ["Encounter/e2", true],
          ["Encounter/e3", true]
        ])
      }
    }))

  it.effect("and not others of the patient, if an entry refers to its encounter by address", () =>
    Effect.gen(function*() {
      const { id: _, ...nameless } = encounter("e1", "a", { subject: { reference: "urn:uuid:p" } })
      const entry = [
        { fullUrl: "urn:uuid:p", resource: patient("a") },
        { fullUrl: "urn:uuid:v1", resource: nameless },
        { fullUrl: "urn:uuid:v2", resource: encounter("e2", "a", { subject: { reference: "urn:uuid:p" } }) },
        {
          resource: {
            ...observation("a", { encounter: { reference: "urn:uuid:v1" }, subject: { reference: "urn:uuid:p" } }),
            status: "HALF"
          }
        }
      ]
      const text = JSON.stringify({ resourceType: "Bundle", type: "collection", entry }).replace("HALF", "\\ud800")
      const visits = yield* made({ "b.json": text })
      assert.deepStrictEqual(visits.map(([source, ready]) => [source, ready]), [
        ["urn:uuid:v1", false],
        ["Encounter/e2", true]
      ])
    }))

  it.effect("if an unreadable version of one of its records may be newer", () =>
    Effect.gen(function*() {
      const at = (day: number): Json => ({ meta: { lastUpdated: `2026-03-0${day}T00:00:00Z` } })
      const ready = (read: Json, unread: Json) =>
        Effect.map(
          made({
            "a.ndjson": lines(patient("a"), encounter("e1", "a", read), encounter("e2", "a")),
            "b.ndjson": lines(encounter("e1", "a", unread)).replace("\"finished\"", "finished")
          }),
          (visits) => visits.map((visit) => visit[1])
        )
      assert.deepStrictEqual(yield* ready(at(1), at(2)), [false, true])
      assert.deepStrictEqual(yield* ready({}, at(2)), [false, true])
      assert.deepStrictEqual(yield* ready({}, {}), [false, true])
      assert.deepStrictEqual(yield* ready(at(2), at(2)), [true, true])
      assert.deepStrictEqual(yield* ready(at(3), at(2)), [true, true])
    }))

  it.effect("not if the record was read elsewhere in a version as new", () =>
    Effect.gen(function*() {
      const one = (day: number): Json =>
        observation("b", { ...inEncounter("e3"), meta: { lastUpdated: `2026-03-0${day}T00:00:00Z` } })
      const ready = (day: number) =>
        Effect.map(
          made({ "a.ndjson": people + lines(one(day)), "b.ndjson": broken(one(2)) }),
          (visits) => visits.map((visit) => visit[1])
        )
      assert.deepStrictEqual(yield* ready(1), [true, true, false])
      assert.deepStrictEqual(yield* ready(2), [true, true, true])
    }))

  it.effect("if an entry of a Bundle names a record of it, or any record of a type, and does not hold it", () =>
    Effect.gen(function*() {
      const record = observation("b", inEncounter("e3"))
      const all = [false, false, false]
      for (
        const [entry, ready] of [
          [{ fullUrl: "urn:uuid:1", Resource: record }, [true, true, false]],
          [{ resource: [record] }, [true, true, false]],
          [{ fullUrl: "https://emr.example/fhir/Observation/o-b" }, all],
          [{ request: { method: "PUT", url: "Observation/o-b" } }, all],
          [{ fullUrl: "https://emr.example/fhir/Slot/1" }, [true, true, true]]
        ] as const
      ) {
        const text = JSON.stringify({ resourceType: "Bundle", type: "collection", entry: [entry] })
        const visits = yield* made({ "a.ndjson": people, "b.json": text })
        assert.deepStrictEqual(visits.map((visit) => visit[1]), [...ready], text)
      }
    }))

  it.effect("if an object with records holds it deeper than these", () =>
    Effect.gen(function*() {
      const text = JSON.stringify({ patient: patient("c"), found: { labs: [observation("b", inEncounter("e3"))] } })
      const visits = yield* made({ "a.ndjson": people, "b.json": text })
      assert.deepStrictEqual(visits.map((visit) => visit[1]), [true, true, false])
    }))

  it.effect("if a search page is missing from the input", () =>
    Effect.gen(function*() {
      const page = (number: number, links: Readonly<Record<string, string>>, of: string) =>
        JSON.stringify({
          resourceType: "Bundle",
          type: "searchset",
          link: Object.entries(links).map(([relation, url]) => ({ relation, url })),
          entry: [{ resource: observation(of, { id: `o-${number}`, ...inEncounter("e3") }) }]
        })
      const url = (number: number) => `https://emr.example/fhir/Observation?_count=1&page=${number}`
      const first = page(1, { self: url(1), next: url(2) }, "b")
      const second = page(2, { self: `http://inside/fhir/Observation?page=2&_count=1`, previous: url(1) }, "b")
      const unnamed = page(2, { self: "http://inside/fhir?_getpages=x", previous: url(1) }, "b")
      const stated = `1.json:1 Observation ${unreadToItsEnd}`
      assert.deepStrictEqual(
        yield* made({ "a.ndjson": people, "1.json": first }),
        unharmed.map(([source]) => [source, false, stated])
      )
      for (const other of [second, unnamed]) {
        assert.deepStrictEqual(yield* made({ "a.ndjson": people, "1.json": first, "2.json": other }), unharmed)
        assert.deepStrictEqual(
          yield* made({ "a.ndjson": people, "2.json": other }),
          unharmed.map(([source]) => [source, false, stated.replace("1.json", "2.json")])
        )
      }
    }))

  it.effect("if a record is too deep or has half a character, as if it were not JSON", () =>
    Effect.gen(function*() {
      const deep = lines(observation("a", inEncounter("e1"))).replace("{", `{"x":${"[".repeat(300)}${"]".repeat(300)},`)
      const half = lines(observation("b", inEncounter("e3"))).replace("final", "\\ud800")
      const visits = yield* made({ "a.ndjson": people, "b.ndjson": deep + half })
      assert.deepStrictEqual(visits.map(([source, ready]) => [source, ready]), [
        ["Encounter/e1", false],
        ["Encounter/e2", true],
        ["Encounter/e3", false]
      ])
    }))

  it.effect("if a line over the limit names it before or after its attachment", () =>
    Effect.gen(function*() {
      const reference = inEncounter("e2")
      const attachment = { text: { div: "A".repeat(17 * 1024 * 1024) } }
      for (const more of [{ ...reference, ...attachment }, { ...attachment, ...reference }]) {
        const visits = yield* made({
          "a.ndjson": people,
          "b.ndjson": lines(
            observation("b", inEncounter("e3")),
            observation("a", more),
            observation("b", inEncounter("e3"))
          )
        })
        assert.deepStrictEqual(visits, [
          ["Encounter/e1", true],
          ["Encounter/e2", false, "b.ndjson:2 Observation/o-a a record of the visit could not be read"],
          ["Encounter/e3", true]
        ])
      }
    }))

  it.effect("if a line over the limit is large without its texts, or is not JSON", () =>
    Effect.gen(function*() {
      const numbers = "1234567,".repeat(2_200_000)
      for (const line of [`{"a":[${numbers}0],"encounter":{"reference":"Encounter/e2"}}`, `{"a":"${numbers}`]) {
        const visits = yield* made({
          "a.ndjson": people,
          "b.ndjson": `${lines(observation("b", inEncounter("e3")))}${line}\n`
        })
        assert.deepStrictEqual(visits.map(([, ready]) => ready), [false, false, false])
      }
    }))

  it.effect("unless the facility lowers the level", () =>
    Effect.gen(function*() {
      const files = { "a.ndjson": people, "b.ndjson": broken(observation("b", inEncounter("e3"))) }
      const levels = (level: "warning" | "off") => ({ levels: new Map([["incomplete-visit", level] as const]) })
      assert.deepStrictEqual((yield* made(files, levels("warning"))).map((visit) => [visit[1], visit.length]), [
        [true, 2],
        [true, 2],
        [true, 3]
      ])
      assert.deepStrictEqual(yield* made(files, levels("off")), unharmed)
    }))

  it.effect("and `explain` shows it", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml": addressed,
        "a.ndjson": people,
        "b.ndjson": lines(observation("a", inEncounter("e1"))) + broken(observation("b", inEncounter("e3")))
      })
      const explained = yield* Effect.provide(
        explainInputs({ ...neutral, inputs, mapping }, "Encounter/e3"),
        NodeServices.layer
      )
      assert.deepStrictEqual(
        explained?.problems.filter(({ code }) => code === "incomplete-visit")
          .map(({ origin, source }) => [source, origin?.line]),
        [["Observation/o-b", 2]]
      )
    }))
})

const folder = "samples/district-tables"
const tables = Object.fromEntries(
  readdirSync(`${folder}/input`).map((name) => [name, readFileSync(`${folder}/input/${name}`, "utf8")])
)
const tableOf = (file: string): string => present(tables[file])
const mapping = readFileSync(`${folder}/mapping.yaml`, "utf8")

describe("A visit with an unreadable CSV row is held", () => {
  const incomplete = (place: string, code = "690302-01") => [[`visit/${code}`, place]]
  /** The last invoice line of this visit is incomplete in the sample itself. */
  const always = incomplete("bill_lines.csv:9 bill_line a record of the visit could not be read", "690302-03")
  const changed = (file: string, from: string, to: string) =>
    Effect.gen(function*() {
      const text = tableOf(file)
      assert.include(text, from)
      const visits = yield* made({ ...tables, [file]: text.replace(from, to) }, {}, mapping)
      return visits.flatMap((visit) => visit.slice(2).map((stated) => [visit[0], stated]))
    })

  it.effect("if the row reaches it through another row, as an invoice line through its invoice", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* changed("bills.csv", "", ""), always)
    }))

  it.effect("if a delimiter in a text shifted the cells, to either side", () =>
    Effect.gen(function*() {
      const stated = "a record of the visit could not be read"
      assert.deepStrictEqual(yield* changed("bills.csv", "B-31;", "B-31;;"), [
        ...incomplete(`bills.csv:2 bill/B-31 ${stated}`),
        ...always
      ])
      assert.deepStrictEqual(yield* changed("icd.csv", "A90,", ""), [
        ...incomplete(`icd.csv:2 diagnosis ${stated}`),
        ...always
      ])
    }))

  it.effect("if day and month are swapped in a file, because some dates are read as other days", () =>
    Effect.gen(function*() {
      const exchanged = mapping.replace("timestamp: DD/MM/YYYY HH:mm", "timestamp: MM/DD/YYYY HH:mm")
      const labs = tableOf("lis_results.csv")
      const visits = yield* made(
        { ...tables, "lis_results.csv": labs.replaceAll("02/03/2569", "22/03/2569") },
        {},
        exchanged
      )
      assert.isNotEmpty(visits)
      const stated = "cells of a table do not match its format or encoding: values of the visit may be missing or wrong"
      for (const visit of visits) assert.include(visit, `lis_results.csv:2  ${stated}`)
    }))

  it.effect("if a table is truncated within a row, or its file is not a table", () =>
    Effect.gen(function*() {
      const { "icd.csv": diagnoses = "", ...others } = tables
      const stated = "a file could not be read, or not to its end: records of the visit may have been in it"
      for (
        const [line, content] of [
          [4, diagnoses.slice(0, diagnoses.indexOf("690302-02") + 5)],
          [3, diagnoses.slice(0, diagnoses.indexOf(",E86"))],
          [3, diagnoses.slice(0, diagnoses.indexOf(",E86")).concat(",\"E8")],
          [1, "<html><body>Session expired</body></html>\n"],
          [1, "{\"error\":\"x\"}"],
          [1, "690302-01,1,A90,Dengue fever"]
        ] as const
      ) {
        const visits = yield* made({ ...others, "icd.csv": content }, {}, mapping)
        // The visit of the row reports it.
        const silent = visits.filter((visit) => !visit.includes(`icd.csv:${line} diagnosis ${stated}`))
        assert.isAtMost(silent.length, line === 3 ? 1 : 0, content)
        for (const visit of visits) assert.isFalse(visit[1], content)
      }
      // A complete last row needs no line break.
      const whole = yield* made({ ...others, "icd.csv": diagnoses.trimEnd() }, {}, mapping)
      assert.isFalse(whole.some((visit) => visit.includes("icd.csv")))
    }))

  it.effect("if a compressed table is truncated", () =>
    Effect.gen(function*() {
      const { "icd.csv": _, ...others } = tables
      const cut = gzipSync(tableOf("icd.csv")).subarray(0, -1)
      const visits = yield* made({ ...others, "icd.csv.gz": cut }, {}, mapping)
      const stated = "a file could not be read, or not to its end: records of the visit may have been in it"
      for (const visit of visits) assert.include(visit, `icd.csv.gz:1 diagnosis ${stated}`)
    }))

  it.effect("if a quote is never closed, or a row has no key", () =>
    Effect.gen(function*() {
      const stated = "a record of the visit could not be read"
      assert.deepStrictEqual(yield* changed("icd.csv", "E86,Volume", "E86,\"Volume"), [
        ...incomplete(`icd.csv:3 diagnosis ${stated}`),
        ...always
      ])
      assert.deepStrictEqual(yield* changed("bills.csv", "B-31;", ";"), [
        ...incomplete(`bills.csv:2 bill ${stated}`),
        ...always
      ])
    }))

  it.effect("if a stray quote turned rows, or a part of one, into the text of a cell", () =>
    Effect.gen(function*() {
      const stated = "icd.csv:3 diagnosis a record of the visit could not be read"
      const swallowed = ["690302-01", "690302-02", "690302-03"].flatMap((code) => incomplete(stated, code))
      const [from, cells] = present(/E86,(Volume depletion\n[^\n]*\n[^\n]*finger\(s\))/u.exec(tableOf("icd.csv")))
      const found = yield* changed("icd.csv", from, `E86,"${cells}"`)
      assert.includeDeepMembers([...found], swallowed)
      assert.strictEqual(found.length, swallowed.length + always.length)
      const part = yield* changed("icd.csv", from, from.replace("E86", "\"E86").replace("S61.0,", "S61.0\","))
      assert.includeDeepMembers([...part], swallowed)
    }))

  it.effect("if a spreadsheet changed the link of a row, and nothing else refers to the row", () =>
    Effect.gen(function*() {
      const content = tableOf("icd.csv").replace("690302-01,2", "6.90302E+05,2")
      const visits = yield* made({ ...tables, "icd.csv": content }, {}, mapping)
      for (const visit of visits) assert.include(visit, `icd.csv:3 diagnosis ${unreadToItsEnd}`)
    }))

  it.effect("if the link of a row is not a text, and nothing else refers to the row", () =>
    Effect.gen(function*() {
      const { "icd.csv": diagnoses = "", ...others } = tables
      const content = Buffer.from(diagnoses.replace("690302-01,2", "690302-0?,2"), "latin1")
      content[content.indexOf("?")] = 0xff
      const visits = yield* made({ ...others, "icd.csv": content }, {}, mapping)
      for (const visit of visits) assert.include(visit, `icd.csv:3 diagnosis ${unreadToItsEnd}`)
    }))

  it.effect("if a file lacks a column, by the remaining link columns", () =>
    Effect.gen(function*() {
      const [header = ""] = tableOf("bills.csv").split("\n", 1)
      const last = header.slice(header.lastIndexOf(";") + 1)
      const stated = "bills.csv:1 bill a record of the visit could not be read"
      const rejected = yield* changed("bills.csv", last, "Other")
      assert.includeDeepMembers([...rejected], [...incomplete(stated), ...incomplete(stated, "690302-03")])
      assert.isFalse(rejected.some(([visit]) => visit === "visit/690303-01"))
    }))

  it.effect("if a row refers to its patient but no visit", () =>
    Effect.gen(function*() {
      const stated =
        "lis_results.csv:2 lab a record that could not be read refers to the visit's patient and to no encounter: " +
        "it may belong to the visit"
      assert.deepStrictEqual(yield* changed("lis_results.csv", "|Platelets|96|", "|Platelets|"), [
        ...incomplete(stated),
        ...incomplete(stated, "690303-01"),
        ...always
      ])
    }))
})
