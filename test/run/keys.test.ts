import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { jsonObjectsIn } from "../../src/json/JsonObject.ts"
import { only, present } from "../present.ts"
import { addressed, bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

const order = (more: Json): Json => ({
  resourceType: "ServiceRequest",
  id: "s1",
  status: "active",
  intent: "order",
  subject: { reference: "Patient/1" },
  identifier: [{ value: "ORDER" }],
  ...more
})

/** The code of a visit whose key is a path to its order, and the problems about the order and about several codes. */
const numbered = (ordered: Json, path = "basedOn.resolve().identifier.value") =>
  Effect.map(
    bothWays(
      {
        "a.ndjson": lines(
          patient("1"),
          patient("2"),
          { resourceType: "Organization", id: "o1", name: "Example Hospital" },
          encounter("e1", "1", {
            basedOn: [{ reference: "ServiceRequest/s1" }],
            serviceProvider: { reference: "Organization/o1" }
          }),
          ordered
        )
      },
      {},
      `${addressed}key:\n  note: {path: [id]}\n  visit: {path: ["${path}", id]}\n`
    ),
    ({ visits }) =>
      visits.map(({ json, problems }) => [
        JSON.parse(json).code,
        problems.flatMap(({ code, severity, source }) =>
          source === "ServiceRequest/s1" || code === "too-many-values" ? [`${severity} ${code}`] : []
        )
      ])
  )

describe("A code that is made of another record", () => {
  it.effect("is that of a record that may be used", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* numbered(order({})), [["ORDER", []]])
    }))

  it.effect("is the first that is not blank, and a second one is reported", () =>
    Effect.gen(function*() {
      const [blank, one, other] = [" ", "ORDER", "OTHER"].map((value) => ({ value }))
      assert.deepStrictEqual(yield* numbered(order({ identifier: [blank, one] })), [["ORDER", []]])
      assert.deepStrictEqual(yield* numbered(order({ identifier: [one, one] })), [["ORDER", []]])
      assert.deepStrictEqual(yield* numbered(order({ identifier: [one, other] })), [[
        "ORDER",
        ["warning too-many-values"]
      ]])
    }))

  it.effect("is a value of that record in the visit, also if the code of another record is made of it", () =>
    Effect.gen(function*() {
      /** The code of a visit whose key is a path to its account, and whether the account is in the visit. */
      const counted = (path: string) =>
        Effect.map(
          bothWays(
            {
              "a.ndjson": lines(
                patient("1"),
                { resourceType: "Organization", id: "o1", name: "Example Hospital" },
                { resourceType: "Account", id: "a1", status: "active", identifier: [{ value: "A-1" }] },
                encounter("e1", "1", {
                  account: [{ reference: "Account/a1" }],
                  serviceProvider: { reference: "Organization/o1" }
                })
              )
            },
            {},
            `${addressed}key:\n  note: {path: ["${path}"]}\n  visit: {path: ["keyOf('note')", id]}\n`
          ),
          ({ totals, visits }) => [JSON.parse(only(visits).json).code, totals.used.has("Account")]
        )
      const [number, name] = ["account.resolve().identifier.value", "serviceProvider.resolve().name"]
      assert.deepStrictEqual(yield* counted(number), ["A-1", true])
      assert.deepStrictEqual(yield* counted(`${name} & ${number}`), ["Example HospitalA-1", true])
      assert.deepStrictEqual(yield* counted(`iif(${number}.exists(), ${name}, {})`), ["Example Hospital", false])
      assert.deepStrictEqual(yield* counted(`${name} | ${number}`), ["Example Hospital", false])
    }))

  for (
    const [what, more, problem] of [
      ["entered in error", { status: "entered-in-error" }, "warning dropped-record"],
      ["of another patient", { subject: { reference: "Patient/2" } }, "error other-patient"],
      ["about a group", { subject: { reference: "Group/g1" } }, "warning dropped-record"]
    ] as const
  ) {
    it.effect(`is not that of a record ${what}, which is reported`, () =>
      Effect.gen(function*() {
        const [[code, problems] = []] = yield* numbered(order(more))
        assert.strictEqual(code, "e1")
        assert.include(problems, problem)
      }))

    it.effect(`is not that of a record ${what}, after the code of another record in the same path`, () =>
      Effect.gen(function*() {
        const path = "serviceProvider.resolve().keyOf('note') & basedOn.resolve().identifier.value"
        const [[code, problems] = []] = yield* numbered(order(more), path)
        assert.strictEqual(code, "o1")
        assert.include(problems, problem)
      }))

    it.effect(`is not that of a record ${what} that refers to it`, () =>
      Effect.gen(function*() {
        const path = "reverseResolve('ServiceRequest.encounter').identifier.value"
        const encounter = { reference: "Encounter/e1" }
        assert.deepStrictEqual((yield* numbered(order({ encounter }), path)).map(([code]) => code), ["ORDER"])
        const [[code, problems] = []] = yield* numbered(order({ encounter, ...more }), path)
        assert.strictEqual(code, "e1")
        assert.include(problems, problem)
      }))
  }
})

describe("An assumption about a code", () => {
  const assuming = `${addressed}assumption:
  kind-is-sent: {means: A kind is sent unchanged., instead: Fill in the table.}
conceptMap:
  kinds: {table: {IMP: I}, unmapped: {policy: provided, assume: kind-is-sent}}
key:
  visit: {path: ["class.code.translated('kinds')"]}
`
  it.effect("is one of each visit and of each field that has the code", () =>
    Effect.gen(function*() {
      const records = { "a.ndjson": lines(patient("1"), encounter("e1", "1")) }
      const { totals, visits } = yield* bothWays(records, {}, assuming)
      const { assumed, json, problems } = only(visits)
      assert.include(present(assumed), "kind-is-sent")
      const fields = problems.filter(({ assumption }) => assumption === "kind-is-sent").map(({ field }) => field)
      assert.include(fields, "code")
      assert.strictEqual(JSON.parse(json).code, "AMB")
      assert.deepStrictEqual(totals.unmapped.map(({ code, table, visits }) => [table, code, visits]), [[
        "kinds",
        "AMB",
        1
      ]])
    }))
})

/** A document with names that are unique only in it. */
const document = (start: string, more: Json = {}): string =>
  JSON.stringify({
    resourceType: "Bundle",
    type: "document",
    ...more,
    entry: [
      {
        fullUrl: "urn:uuid:transient-0",
        resource: {
          resourceType: "Composition",
          status: "final",
          date: start,
          subject: { reference: "urn:uuid:transient-1" },
          encounter: { reference: "urn:uuid:transient-2" }
        }
      },
      { fullUrl: "urn:uuid:transient-1", resource: { ...patient("1"), id: undefined } },
      {
        fullUrl: "urn:uuid:transient-2",
        resource: {
          ...encounter("", "1"),
          id: undefined,
          subject: { reference: "urn:uuid:transient-1" },
          period: { start }
        }
      }
    ]
  })

describe("A code that is made of a record's name", () => {
  const codesOf = (files: Readonly<Record<string, string>>) =>
    Effect.map(bothWays(files), ({ visits }) => visits.map(({ json }) => String(JSON.parse(json).code)))
  const [morning, evening] = ["2026-03-02T08:00:00+07:00", "2026-03-02T19:00:00+07:00"]

  const identified = (value: string): Json => ({ identifier: { system: "urn:example:documents", value } })

  it.effect("differs between Bundles whose names are unique only in each of them, also in different runs", () =>
    Effect.gen(function*() {
      const files = { "a.json": document(morning, identified("D-1")), "b.json": document(evening, identified("D-2")) }
      const first = yield* codesOf({ "a.json": files["a.json"] })
      const second = yield* codesOf({ "b.json": files["b.json"] })
      assert.deepStrictEqual([first.length, second.length], [1, 1])
      assert.notDeepEqual(first, second)
      assert.sameMembers(yield* codesOf(files), [...first, ...second])
    }).pipe(Effect.scoped))

  /** The code of the only visit, whether it is ready, and the problems of codes. */
  const rejected = (files: Readonly<Record<string, string>>, mapping = addressed) =>
    Effect.map(bothWays(files, {}, mapping), ({ visits }) => {
      const { json, problems, ready } = only(visits)
      const titles = problems.flatMap(({ code, severity, title }) =>
        code === "no-value" && severity === "error" ? [title] : []
      )
      return { code: JSON.parse(json).code, ready, titles }
    })
  const lacking = (record: string, key: string): string =>
    `the ${record}: no code \`${key}\` can be made that stays the same after a correction`

  it.effect("is not made of a name in a Bundle without an identifier: a corrected Bundle would be a second visit", () =>
    Effect.gen(function*() {
      const inBundle = "Encounter has no id, and its `fullUrl` is unique only in its Bundle"
      assert.deepStrictEqual(yield* rejected({ "a.json": document(morning) }), {
        code: null,
        ready: false,
        titles: [lacking(inBundle, "visit"), lacking(inBundle, "encounter")]
      })
    }).pipe(Effect.scoped))

  const { id: _, ...nameless } = encounter("e1", "1")

  it.effect("is not made for an encounter without a name", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rejected({ "a.ndjson": lines(patient("1"), nameless) }), {
        code: null,
        ready: false,
        titles: [lacking("Encounter has no id", "visit"), lacking("Encounter has no id", "encounter")]
      })
      const path = `${addressed}key: {visit: {path: period.start}, encounter: {path: period.start}}\n`
      assert.deepInclude(yield* rejected({ "a.ndjson": lines(patient("1"), nameless) }, path), {
        ready: true,
        titles: []
      })
    }).pipe(Effect.scoped))

  it.effect("is made of the content of another record without a name", () =>
    Effect.gen(function*() {
      const prescribed = (at: string): Json => ({
        resourceType: "MedicationRequest",
        status: "active",
        intent: "order",
        subject: { reference: "Patient/1" },
        encounter: { reference: "Encounter/e1" },
        authoredOn: at,
        medicationCodeableConcept: { text: "Paracetamol 500 mg" }
      })
      const { visits } = yield* bothWays({
        "a.ndjson": lines(patient("1"), encounter("e1", "1"), prescribed(morning), prescribed(evening))
      })
      const codes = jsonObjectsIn(JSON.parse(only(visits).json).prescriptions).map(({ code }) => code)
      assert.deepStrictEqual([codes.length, new Set(codes).size], [2, 2])
    }).pipe(Effect.scoped))

  it.effect("stays the same in a corrected Bundle with the same identifier", () =>
    Effect.gen(function*() {
      const first = yield* codesOf({ "a.json": document(morning, identified("D-1")) })
      assert.deepStrictEqual(yield* codesOf({ "a.json": document(evening, identified("D-1")) }), first)
      const other = yield* codesOf({ "a.json": document(morning, identified("D-2")) })
      assert.notDeepEqual(other, first)
    }).pipe(Effect.scoped))
})
