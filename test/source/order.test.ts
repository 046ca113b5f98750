import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { at } from "../../src/at.ts"
import { jsonObjectsIn } from "../../src/json/JsonObject.ts"
import { contentOf } from "../../src/source/records/compareRecords.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"
import { bundle, danglingCounts, entry, index, resource, to } from "./indexFiles.ts"

describe("law: the order of files and entries does not matter", () => {
  const id = fc.constantFrom("1", "2", "10", undefined)
  const meta = fc.constantFrom({}, { meta: { versionId: "1" } }, { meta: { versionId: "2" } }, {
    meta: { lastUpdated: "2026-01-01T00:00:00Z" }
  })
  const reference = fc.constantFrom(
    "Patient/1",
    "Patient/2",
    "urn:uuid:1",
    "https://a.example/Patient/2",
    "Patient/10",
    "1",
    "Patient?identifier=x"
  )
  const one = fc.tuple(fc.constantFrom("Patient", "Observation"), id, meta, reference, fc.constantFrom("a", "b")).map((
    [type, id, meta, subject, text]
  ) =>
    resource(type, id, {
      ...meta,
      subject: to(subject),
      text,
      ...(text === "a" ? { identifier: [{ value: "x" }] } : {})
    })
  )
  const fullUrl = fc.constantFrom(
    undefined,
    "urn:uuid:1",
    "urn:uuid:2",
    "https://a.example/Patient/2",
    "https://b.example/Patient/2",
    "Patient/1"
  )
  const inBundle = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(one, fullUrl).map(([resource, fullUrl]) => entry(resource, fullUrl)) },
    { weight: 1, arbitrary: fc.constant({ request: { method: "DELETE", url: "Patient/2" } }) }
  )
  const file = fc.oneof(
    one,
    fc.tuple(fc.constantFrom("document", "batch", "history", "searchset"), fc.array(inBundle, { maxLength: 5 })).map((
      [type, entries]
    ) => bundle(type, ...entries))
  )
  /** All that an index says, without file names and lines. */
  const stated = (of: RecordIndex): unknown => [
    of.types.map((type) =>
      of.all(type).map((record) => {
        const say = (one: SourceRecord | undefined) =>
          one && `${one.origin.reference} ${contentOf(one.resource)} ${one.bundle?.key}`
        return [
          say(record),
          say(of.resolve(record.resource.subject, record)),
          of.reverse(record, "Observation.subject").map(say)
        ]
      })
    ),
    danglingCounts(of),
    of.obsolete,
    of.problems.map(({ code, source, title }) => [code, source, title])
  ]

  it("gives the same index, order, links and counts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), fc.infiniteStream(fc.nat()), async (files, random) => {
        const shuffled = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => {
          const ranks = [...random.take(list.length)]
          return list.map((value, n) => [at(ranks, n), value] as const).toSorted(([a], [b]) => a - b)
            .map(([, value]) => value)
        }
        const again = shuffled(files).map((file) =>
          file.resourceType === "Bundle"
            ? bundle(String(file.type), ...shuffled(jsonObjectsIn(file.entry)))
            : file
        )
        const [first, second] = await Effect.runPromise(Effect.all([index(...files), index(...again)]))
        assert.deepStrictEqual(stated(second), stated(first))
        const kept = first.types.reduce((sum, type) => sum + first.all(type).length, 0)
        const { deleted, identical, superseded } = first.obsolete
        const read = files.flatMap((file) =>
          file.resourceType === "Bundle" ? jsonObjectsIn(file.entry) : [{ resource: file }]
        )
        assert.strictEqual(kept, first.size)
        assert.strictEqual(
          first.size + deleted + identical + superseded,
          read.filter((one) => "resource" in one).length
        )
      }),
      { numRuns: 400 }
    )
  })
})
