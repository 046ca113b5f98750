import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import { jsonObjectsIn } from "../../src/json/JsonObject.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"
import { present } from "../present.ts"
import { bundle, danglingCounts, entry, index, resource, to } from "./indexFiles.ts"
import type { Json } from "./indexFiles.ts"

const name = (record: SourceRecord | undefined): string | undefined => record && record.origin.reference
/** The only record of a type. */
const the = (of: RecordIndex, type: string): SourceRecord => {
  assert.strictEqual(of.all(type).length, 1, type)
  return at(of.all(type), 0)
}
const subjectOf = (of: RecordIndex, record: SourceRecord): SourceRecord | undefined =>
  of.resolve(record.resource.subject, record)

describe("RecordIndex.resolve follows references in every style", () => {
  const patient = resource("Patient", "p1", { identifier: [{ system: "urn:id", value: "77" }] })
  const cases: ReadonlyArray<readonly [style: string, subject: Json, ...files: ReadonlyArray<Json>]> = [
    ["relative", to("Patient/p1"), patient],
    ["with spaces", to(" Patient/p1 "), patient],
    ["versioned", to("Patient/p1/_history/4"), patient],
    [
      "absolute, to a fullUrl",
      to("https://a.example/Patient/p1"),
      bundle("batch", entry(patient, "https://a.example/Patient/p1"))
    ],
    [
      "relative, to a fullUrl that is absolute",
      to("Patient/p1"),
      bundle("batch", entry(resource("Patient", undefined), "https://a.example/Patient/p1"))
    ],
    [
      "a fullUrl that is relative",
      to("Patient/p1"),
      bundle("batch", entry(resource("Patient", undefined), "Patient/p1"))
    ],
    [
      "urn:uuid, to a fullUrl",
      to("urn:uuid:01-2"),
      bundle("batch", entry(resource("Patient", undefined), "urn:uuid:01-2"))
    ],
    [
      "urn:uuid, to an id that is that UUID",
      to("urn:uuid:5ae0b1c2-0000-4000-8000-000000000001"),
      resource("Patient", "5ae0b1c2-0000-4000-8000-000000000001")
    ],
    ["urn:oid", to("urn:oid:1.2"), bundle("batch", entry(resource("Patient", undefined), "urn:oid:1.2"))],
    [
      "Type/urn:uuid",
      to("Patient/urn:uuid:01-2"),
      bundle("batch", entry(resource("Patient", undefined), "urn:uuid:01-2"))
    ],
    [
      "Type/<uuid>, to a fullUrl urn:uuid:<uuid>",
      to("Patient/01-2"),
      bundle("batch", entry(resource("Patient", undefined), "urn:uuid:01-2"))
    ],
    ["conditional by identifier", to("Patient?identifier=urn:id|77"), patient],
    ["conditional by identifier, without its system", to("Patient?identifier=77"), patient],
    ["conditional by id", to("Patient?_id=p1"), patient],
    ["only an id", to("p1"), patient],
    ["an id and its type", { reference: "p1", type: "Patient" }, patient],
    ["logical", { identifier: { system: "urn:id", value: "77" }, type: "Patient" }, patient],
    ["logical, when the link leads nowhere", {
      reference: "Patient/other",
      identifier: { system: "urn:id", value: "77" }
    }, patient],
    ["an id written as a number", to("Patient/17"), { resourceType: "Patient", id: 17 }]
  ]
  for (const [style, subject, ...files] of cases) {
    it.effect(style, () =>
      Effect.gen(function*() {
        const found = yield* index(resource("Observation", "o", { subject }), ...files)
        assert.strictEqual(subjectOf(found, the(found, "Observation")), the(found, "Patient"))
        assert.deepStrictEqual(danglingCounts(found), [])
      }))
  }

  it.effect("follows a text like an element", () =>
    Effect.gen(function*() {
      const found = yield* index(patient, resource("Observation", "o"))
      assert.strictEqual(name(found.resolve("Patient/p1", the(found, "Observation"))), "Patient/p1")
    }))

  it.effect("counts dangling references once for each target, by type", () =>
    Effect.gen(function*() {
      const found = yield* index(resource("Observation", "o", { contained: [] }), patient)
      const from = the(found, "Observation")
      const nowhere = [
        to("Patient/x"),
        to("Patient/x"),
        to("https://a.example/Patient/y"),
        to("Encounter?identifier=a|b"),
        to("#none"),
        to("urn:uuid:0"),
        { identifier: { value: "5" }, type: "Location" },
        { display: "nobody" },
        null
      ]
      for (const reference of nowhere) assert.isUndefined(found.resolve(reference, from))
      assert.deepStrictEqual(danglingCounts(found), [["", 2], ["Encounter", 1], ["Location", 1], ["Patient", 2]])
    }))

  it.effect("resolves no identifier or id of several records, unless one is in the referring Bundle", () =>
    Effect.gen(function*() {
      const identifier = [{ system: "urn:id", value: "same" }]
      const logical = { identifier: at(identifier, 0) }
      const document = (id: string) =>
        bundle(
          "document",
          entry(resource("Patient", id, { identifier })),
          entry(resource("Observation", `o-${id}`, { subject: logical }))
        )
      const found = yield* index(document("a"), document("b"), resource("Observation", "outside", { subject: logical }))
      assert.deepStrictEqual(found.all("Observation").map((record) => name(subjectOf(found, record))), [
        "Patient/a",
        "Patient/b",
        undefined
      ])
      const twice = yield* index(
        resource("Patient", "x"),
        resource("Group", "x"),
        resource("Observation", "o", { subject: to("x") })
      )
      assert.isUndefined(subjectOf(twice, the(twice, "Observation")))
    }))
})

describe("contained resources", () => {
  const request = resource("MedicationRequest", "r", {
    contained: [
      resource("Medication", "m", { ingredient: [{ itemReference: to("#s") }] }),
      resource("Substance", "#s", { subject: to("#") })
    ],
    medicationReference: to("#m")
  })

  it.effect("returns a contained resource as a record with the location of its container, the same each time", () =>
    Effect.gen(function*() {
      const found = yield* index(request, resource("Medication", "m"))
      const container = the(found, "MedicationRequest")
      const medication = present(found.resolve(to("#m"), container))
      assert.strictEqual(medication.resource.resourceType, "Medication")
      assert.deepStrictEqual(medication.origin, container.origin)
      assert.strictEqual(found.resolve("#m", container), medication)
      assert.deepStrictEqual(found.reverse(medication, "MedicationRequest.medication"), [container])
    }))

  it.effect("resolves `#id` inside it as its neighbour and `#` as the container", () =>
    Effect.gen(function*() {
      const found = yield* index(request)
      const container = the(found, "MedicationRequest")
      const substance = present(found.resolve("#s", present(found.resolve("#m", container))))
      assert.strictEqual(substance.resource.resourceType, "Substance")
      assert.strictEqual(subjectOf(found, substance), container)
    }))
})

describe("records of one name", () => {
  const newer = { meta: { lastUpdated: "2026-03-01T10:00:00+07:00" } }
  const older = { meta: { lastUpdated: "2026-03-01T02:00:00Z" } }

  it.effect("keeps one of several identical records, in any order of keys", () =>
    Effect.gen(function*() {
      const found = yield* index(
        [resource("Patient", "p", { active: true, gender: "male" }), {
          gender: "male",
          active: true,
          id: "p",
          resourceType: "Patient"
        }],
        bundle("batch", entry(resource("Patient", "p", { active: true, gender: "male" }), "urn:uuid:1")),
        resource("Observation", "o", { subject: to("urn:uuid:1") })
      )
      assert.strictEqual(subjectOf(found, the(found, "Observation")), the(found, "Patient"))
      assert.deepStrictEqual(found.obsolete, {
        identical: 2,
        superseded: 0,
        deleted: 0,
        byType: new Map([["Patient", 2]])
      })
      assert.deepStrictEqual(found.problems, [])
    }))

  it.effect("uses the newest version, by time or number, and reports both locations", () =>
    Effect.gen(function*() {
      for (
        const [one, other] of [[older, newer], [{ meta: { versionId: "9" } }, { meta: { versionId: "10" } }]] as const
      ) {
        const files = [
          resource("Patient", "p", { ...one, gender: "male" }),
          resource("Patient", "p", { ...other, gender: "female" })
        ]
        for (const order of [files, files.toReversed()]) {
          const found = yield* index(...order)
          assert.strictEqual(the(found, "Patient").resource.gender, "female")
          assert.strictEqual(found.obsolete.superseded, 1)
          const [problem] = found.problems
          assert.strictEqual(
            `${problem?.severity} ${problem?.code} ${problem?.source}`,
            "warning duplicate-record Patient/p"
          )
          const loser = order === files ? "file0" : "file1"
          assert.strictEqual(problem?.origin?.file, loser)
          assert.deepStrictEqual(problem?.facts, [["used", `${loser === "file0" ? "file1" : "file0"}:1`]])
          assert.match(present(problem).title, /the newer version is used/)
        }
      }
    }))

  it.effect("decides by content, not by the order of files, if the age is unknown", () =>
    Effect.gen(function*() {
      const files = [resource("Patient", "p", { gender: "male" }), resource("Patient", "p", { gender: "female" })]
      const [one, other] = [yield* index(...files), yield* index(...files.toReversed())]
      assert.strictEqual(the(one, "Patient").resource.gender, the(other, "Patient").resource.gender)
      assert.match(at(one.problems, 0).title, /with different contents and no version/)
    }))

  it.effect("treats two patients with contradictory identifiers as no versions of each other", () =>
    Effect.gen(function*() {
      const of = (value: string, time: string, more: object = {}) =>
        resource("Patient", "p", { identifier: [{ system: "urn:codes", value }], meta: { lastUpdated: time }, ...more })
      const [one, other] = [of("P-1", "2026-03-01T02:00:00Z"), of("P-2", "2026-03-02T02:00:00Z")]
      const found = yield* index(one, other)
      assert.strictEqual(found.rivals(the(found, "Patient")).length, 1)
      const corrected = yield* index(one, of("P-1", "2026-03-02T02:00:00Z", { birthDate: "1990-04-12" }))
      assert.deepStrictEqual(corrected.rivals(the(corrected, "Patient")), [])
      // Each Bundle has its own.
      const bundles = yield* index(bundle("collection", entry(one)), bundle("collection", entry(other)))
      assert.strictEqual(bundles.all("Patient").length, 2)
    }))

  it.effect("treats two versions of unknown age that differ only in a label as different contents", () =>
    Effect.gen(function*() {
      const plain = resource("Patient", "p", { meta: { source: "urn:export" } })
      const labelled = (code: string, more: object = {}) =>
        resource("Patient", "p", { meta: { security: [{ code }], ...more } })
      for (const files of [[plain, labelled("HTEST")], [labelled("HTEST"), plain]]) {
        const found = yield* index(...files)
        assert.strictEqual(found.rivals(the(found, "Patient")).length, 1)
      }
      // Other labels do not limit who may use it.
      const other = yield* index(plain, labelled("OTHER"))
      assert.deepStrictEqual(other.rivals(the(other, "Patient")), [])
      // The newer one counts: a label can be removed.
      const dated = yield* index(
        labelled("HTEST", { lastUpdated: "2026-03-01T02:00:00Z" }),
        resource("Patient", "p", { meta: { lastUpdated: "2026-03-02T02:00:00Z" } })
      )
      assert.deepStrictEqual(dated.rivals(the(dated, "Patient")), [])
    }))

  it.effect("reports a deletion in another Bundle if the order of both is unknown", () =>
    Effect.gen(function*() {
      const deletes = (at?: string) =>
        bundle("batch", {
          request: { method: "DELETE", url: "Patient/p" },
          ...(at === undefined ? {} : { response: { lastModified: at } })
        })
      const undated = yield* index(resource("Patient", "p"), deletes())
      assert.strictEqual(undated.obsolete.deleted, 1)
      const [problem] = undated.problems
      assert.strictEqual(`${problem?.severity} ${problem?.code}`, "error duplicate-record")
      assert.strictEqual(problem?.facts?.[0]?.[0], "deleted")
      const known = { meta: { lastUpdated: "2026-03-01T02:00:00Z" } }
      const dated = yield* index(resource("Patient", "p", known), deletes("2026-03-02T02:00:00Z"))
      assert.deepStrictEqual([dated.obsolete.deleted, dated.problems], [1, []])
    }))

  it.effect("compares no time without an offset with one that has an offset, in any time zone of the machine", () =>
    Effect.gen(function*() {
      const of = (lastUpdated: string, gender: string) => resource("Patient", "p", { meta: { lastUpdated }, gender })
      const mixed = yield* index(of("2026-03-01T10:00:00", "male"), of("2026-03-01T08:00:00Z", "female"))
      assert.match(at(mixed.problems, 0).title, /with different contents and no version/)
      const local = yield* index(of("2026-03-01T10:00:00", "male"), of("2026-03-01T08:00:00", "female"))
      assert.strictEqual(the(local, "Patient").resource.gender, "male")
    }))

  it.effect("keeps records of different Bundles whose age is unknown; each Bundle uses its own", () =>
    Effect.gen(function*() {
      const message = (gender: string) =>
        bundle(
          "batch",
          entry(resource("Patient", "p", { gender })),
          entry(resource("Observation", gender, { subject: to("Patient/p") }))
        )
      const found = yield* index(
        message("male"),
        message("female"),
        resource("Observation", "other", { subject: to("Patient/p") })
      )
      assert.strictEqual(found.all("Patient").length, 2)
      assert.deepStrictEqual(
        found.all("Observation").map((record) => [record.resource.id, subjectOf(found, record)?.resource.gender]).slice(
          0,
          2
        ),
        [["female", "female"], ["male", "male"]]
      )
      assert.isDefined(subjectOf(found, at(found.all("Observation"), 2)))
      assert.strictEqual(found.problems.length, 1)
      assert.match(at(found.problems, 0).title, /each place uses its own/)
    }))

  it.effect("keeps the records of one name in two documents, however new one is", () =>
    Effect.gen(function*() {
      const document = (gender: string, meta: Json) =>
        bundle(
          "document",
          entry(resource("Composition", undefined), "urn:uuid:c"),
          entry(resource("Patient", "1", { gender, ...meta })),
          entry(resource("Encounter", "1", { subject: to("Patient/1"), ...meta, reasonCode: [{ text: gender }] }))
        )
      const found = yield* index(document("male", older), document("female", newer))
      assert.deepStrictEqual(
        found.all("Encounter").map((record) => subjectOf(found, record)?.resource.gender).toSorted(),
        ["female", "male"]
      )
      assert.deepStrictEqual(
        found.all("Encounter").map(({ resource }) => jsonObjectsIn(resource.reasonCode)[0]?.text).toSorted(),
        ["female", "male"]
      )
    }))

  it.effect("keeps identical records of documents for their visits, in each visit once", () =>
    Effect.gen(function*() {
      const document = (visit: string, composition: string) =>
        bundle(
          "document",
          entry(resource("Composition", composition, { encounter: to(`Encounter/${visit}`) })),
          entry(resource("Encounter", visit)),
          entry(resource("Condition", "c"))
        )
      const found = yield* index(
        document("e1", "k1"),
        document("e2", "k2"),
        document("e2", "k3"),
        resource("Observation", "o", { focus: to("Condition/c") })
      )
      assert.strictEqual(found.all("Condition").length, 1)
      const copies = present(
        found.copiesInBundles(new Map([["document", true]]))
          .find(([record]) => record?.resource.resourceType === "Condition")
      )
      assert.strictEqual(copies.length, 3)
      assert.deepStrictEqual(found.copiesInBundles(new Map([["message", true]])), [])
      const visitOf = (record: SourceRecord) =>
        present(found.resolve(
          found.all("Composition").find(({ bundle }) => bundle?.key === record.bundle?.key)?.resource.encounter,
          record
        ))
      const apart = found.withVisitsOfCopies(new Map(copies.map((copy) => [copy, visitOf(copy)])))
      assert.strictEqual(apart.all("Condition").length, 2)
      assert.strictEqual(apart.obsolete.identical, found.obsolete.identical - 1)
      assert.deepStrictEqual(apart.problems, [])
      // A document means its own copy, or the one in the same visit.
      for (const composition of apart.all("Composition")) {
        const condition = present(apart.resolve("Condition/c", composition))
        assert.strictEqual(visitOf(condition), visitOf(composition))
      }
      assert.include(apart.all("Condition"), apart.resolve("Condition/c", the(apart, "Observation")))
    }))

  it.effect("keeps the records of two servers, and resolves relative references on their own server", () =>
    Effect.gen(function*() {
      const server = (base: string, gender: string) =>
        bundle(
          "searchset",
          entry(resource("Patient", "1", { gender, ...newer }), `${base}/Patient/1`),
          entry(resource("Observation", `o-${gender}`, { subject: to("Patient/1") }), `${base}/Observation/o-${gender}`)
        )
      const found = yield* index(server("https://a.example", "male"), server("https://b.example", "female"))
      assert.deepStrictEqual(found.all("Observation").map((record) => subjectOf(found, record)?.resource.gender), [
        "female",
        "male"
      ])
    }))

  it.effect("uses the newest version of a history without a warning", () =>
    Effect.gen(function*() {
      const history = bundle(
        "history",
        entry(resource("Patient", "p", { meta: { versionId: "2" }, gender: "female" }), "https://a.example/Patient/p"),
        entry(resource("Patient", "p", { meta: { versionId: "1" }, gender: "male" }), "https://a.example/Patient/p")
      )
      const found = yield* index(history)
      assert.strictEqual(the(found, "Patient").resource.gender, "female")
      assert.deepStrictEqual(found.problems, [])
    }))

  it.effect("drops what the source deleted, unless it is newer than the deletion", () =>
    Effect.gen(function*() {
      const deletion = (at?: string) =>
        bundle("transaction", {
          request: { method: "DELETE", url: "Encounter/e" },
          ...(at === undefined ? {} : { response: { lastModified: at } })
        })
      const encounter = resource("Encounter", "e", newer)
      const observation = resource("Observation", "o", { encounter: to("Encounter/e") })
      for (const [at, left] of [["2026-03-02T00:00:00Z", 0], ["2026-02-01T00:00:00Z", 1], [undefined, 0]] as const) {
        const found = yield* index(encounter, deletion(at), observation)
        assert.strictEqual(found.all("Encounter").length, left)
        assert.strictEqual(found.obsolete.deleted, 1 - left)
        assert.strictEqual(found.resolve(to("Encounter/e"), the(found, "Observation")) !== undefined, left === 1)
      }
      const history = bundle(
        "history",
        { request: { method: "DELETE", url: "Encounter/e" } },
        entry(resource("Encounter", "e"))
      )
      assert.deepStrictEqual((yield* index(history)).types, [])
      const replaced = bundle("transaction", { request: { method: "DELETE", url: "Encounter/e" } }, entry(encounter))
      assert.strictEqual((yield* index(replaced)).all("Encounter").length, 1)
    }))

  it.effect("adds nothing for a copy of a file, and keeps equal records without a name in one file", () =>
    Effect.gen(function*() {
      const charge = resource("ChargeItem", undefined, { code: { text: "dressing" } })
      const file = [charge, charge, resource("ChargeItem", undefined, { code: { text: "bed" } })]
      const found = yield* index(file, file)
      assert.strictEqual(found.size, 3)
      assert.strictEqual(found.obsolete.identical, 3)
    }))

  it.effect("prefers a fullUrl to the type and id of another record", () =>
    Effect.gen(function*() {
      const found = yield* index(
        bundle("batch", entry(resource("Patient", "1")), entry(resource("Patient", "2"), "Patient/1")),
        resource("Observation", "o", { subject: to("Patient/1") })
      )
      assert.strictEqual(name(subjectOf(found, the(found, "Observation"))), "Patient/2")
    }))

  it.effect("resolves the fullUrl of a dropped copy to the record", () =>
    Effect.gen(function*() {
      const found = yield* index(
        bundle("batch", entry(resource("Patient", "1"), "urn:uuid:a"), entry(resource("Patient", "1"), "urn:uuid:b")),
        [
          resource("Observation", "o1", { subject: to("urn:uuid:a") }),
          resource("Observation", "o2", { subject: to("urn:uuid:b") })
        ]
      )
      const patient = the(found, "Patient")
      assert.deepStrictEqual(found.all("Observation").map((record) => subjectOf(found, record)), [patient, patient])
    }))

  it.effect("keeps two resources with one fullUrl", () =>
    Effect.gen(function*() {
      const found = yield* index(
        bundle(
          "transaction",
          entry(resource("Patient", "a"), "urn:uuid:1"),
          entry(resource("Patient", "b"), "urn:uuid:1")
        )
      )
      assert.deepStrictEqual(found.all("Patient").map(name), ["Patient/a", "Patient/b"])
    }))
})

describe("RecordIndex.reverse", () => {
  it.effect("finds records by type and element, through lists and choices, in order", () =>
    Effect.gen(function*() {
      const found = yield* index([
        resource("Encounter", "visit"),
        resource("Encounter", "10", { partOf: to("Encounter/visit") }),
        resource("Encounter", "9", {
          partOf: to("Encounter/visit/_history/2"),
          diagnosis: [{ condition: to("Condition/c") }]
        }),
        resource("Condition", "c", { encounter: to("Encounter/9") }),
        resource("DiagnosticReport", "d", { result: [to("Observation/o"), to("Observation/x")] }),
        resource("Observation", "o"),
        resource("Provenance", "v", { target: [to("Encounter/visit"), to("Encounter/visit")] }),
        resource("MedicationRequest", "r", { medicationReference: to("Medication/m") }),
        resource("Medication", "m")
      ])
      const by = (type: string, id: string) => present(found.all(type).find((record) => record.resource.id === id))
      const reverse = (type: string, id: string, element: string) => found.reverse(by(type, id), element).map(name)
      assert.deepStrictEqual(reverse("Encounter", "visit", "Encounter.partOf"), ["Encounter/9", "Encounter/10"])
      assert.deepStrictEqual(reverse("Condition", "c", "Encounter.diagnosis.condition"), ["Encounter/9"])
      assert.deepStrictEqual(reverse("Observation", "o", "DiagnosticReport.result"), ["DiagnosticReport/d"])
      assert.deepStrictEqual(reverse("Encounter", "visit", "Provenance.target"), ["Provenance/v"])
      assert.deepStrictEqual(reverse("Medication", "m", "MedicationRequest.medication"), ["MedicationRequest/r"])
      assert.deepStrictEqual(reverse("Medication", "m", "Claim.nothing"), [])
      // Looking for what names a record asks for nothing else.
      assert.deepStrictEqual(danglingCounts(found), [])
    }))
})
