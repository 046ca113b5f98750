import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import { findInputs } from "../../src/source/read/findInputs.ts"
import { readInputs } from "../../src/source/read/readInput.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import type { Resource as SourceResource } from "../../src/source/records/SourceRecord.ts"
import { present } from "../present.ts"
import { addressed, converted, temporaryFolder, written } from "../run/converted.ts"
import { encounter, lines, patient } from "../run/smallRecords.ts"
import { runs, timeout } from "../runs.ts"
import { fetchFrom, noSecrets, withServer } from "./fetching.ts"
import { type FhirServer, type Resource, stored } from "./fhirServer.ts"

const day = 86_400_000

/** The same numbers for the same seed, below 1. */
const randomOf = (seed: number): () => number => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** A hospital at work: its server's records change. */
class Hospital {
  readonly #server: FhirServer
  readonly #random: () => number
  #versions = 0

  constructor(server: FhirServer, random: () => number) {
    this.#server = server
    this.#random = random
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  put(record: SourceResource, at: number): void {
    const meta = { versionId: String(++this.#versions), lastUpdated: new Date(at).toISOString() }
    const key = `${record.resourceType}/${record.id}`
    this.#server.gone.delete(key)
    this.#server.records.set(key, stored(record, meta))
  }

  visit(number: number, at: number): void {
    const [of, id] = [`p${number % 7}`, `e${number}`]
    const started = new Date(Date.parse("2026-03-01T01:00:00Z") + number * 3_600_000).toISOString()
    this.put(patient(of), at)
    this.put(encounter(id, of, { period: { start: started, end: started.replace("00:00.000Z", "40:00.000Z") } }), at)
    for (let index = 0; index <= number % 3; index++) {
      this.put(this.#observation(`o${number}-${index}`, of, id, started), at)
    }
  }

  #observation(id: string, of: string, encounter: string, time: string) {
    return {
      resourceType: "Observation",
      id,
      status: "final",
      code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
      valueQuantity: { value: 60 + this.below(60), system: "http://unitsofmeasure.org", code: "/min" },
      effectiveDateTime: time,
      subject: { reference: `Patient/${of}` },
      encounter: { reference: `Encounter/${encounter}` }
    }
  }

  /** Changes, deletions, re-creations and new visits of one day, each at its time. */
  work(today: number, from: number, deleted: Map<string, Resource>): void {
    for (let times = 4 + this.below(6); times > 0; times--) {
      const at = from + this.below(day - 60_000)
      const keys = [...this.#server.records.keys()]
      const key = present(keys[this.below(keys.length)])
      const record = present(this.#server.records.get(key))
      const what = this.below(10)
      if (what < 4) {
        this.put(
          record.resourceType === "Observation"
            ? { ...record, valueQuantity: { ...jsonObjectOf(record["valueQuantity"]), value: 60 + this.below(60) } }
            : record.resourceType === "Patient"
            ? { ...record, name: [{ family: `Example${this.below(9)}`, given: ["Ann"] }] }
            : record,
          at
        )
      } else if (what < 6 && record.resourceType !== "Patient") {
        deleted.set(key, record)
        this.#server.records.delete(key)
        this.#server.gone.set(key, new Date(at).toISOString())
      } else if (what < 8) {
        const [again] = [...deleted.values()]
        if (again === undefined) continue
        deleted.delete(`${again.resourceType}/${again.id}`)
        this.put(again, at)
      } else this.visit(100 + today * 10 + times, at)
    }
  }
}

/** The visits of files, by the reader and the index of a run. */
const visitsIn = (checked: CheckedMapping, inputs: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const collector = new RecordCollector({ sameServer: [], copies: checked.plan.grouping.copies })
    const found = yield* findInputs(inputs)
    yield* Stream.runForEach(readInputs(found.inputs), (item) =>
      Effect.sync(() => {
        if (item._tag !== "Problem") collector.add(item)
      }))
    const { visits } = convertRecords({
      checked,
      records: collector.index(),
      facility: null,
      system: null,
      zone: "Asia/Phnom_Penh",
      checkVisit: () => [],
      compareVisit: () => []
    })
    return [...visits].map(({ json }) => json).toSorted()
  })

describe("Thirty days of a mirror", () => {
  it.live(
    "its visits are, after each day, those of one conversion of what the server holds; whatever interrupts a fetch",
    () =>
      Effect.gen(function*() {
        const checked = present((yield* loadMapping("mappings/fhir-r4/mapping.yaml", "mappings")).checked)
        let interrupted = 0
        for (let seed = 1; seed <= runs(1); seed++) {
          yield* withServer([], { polls: 1, filesPerType: 2 }, (server, mirror) =>
            Effect.gen(function*() {
              const hospital = new Hospital(server, randomOf(seed))
              const deleted = new Map<string, Resource>()
              for (let number = 1; number <= 20; number++) hospital.visit(number, server.now - day)
              for (let today = 1; today <= 30; today++) {
                // What a search does not list as deleted, a complete export shows.
                const isSearch = today % 9 === 5
                server.options = { ...server.options, bulk: !isSearch, polls: today % 10 === 0 ? 1 : 0 }
                while (hospital.below(3) === 0) {
                  interrupted += yield* interruptedFetch(server, mirror, 1 + hospital.below(12), isSearch)
                }
                yield* fetchFrom(server, mirror, {}, noSecrets, isSearch || today % 7 === 0)
                const folder = yield* temporaryFolder
                const state = written(folder, { "all.ndjson": lines(...server.records.values()) })
                const expected = yield* visitsIn(checked, state)
                assert.isAbove(expected.length, 10)
                assert.deepStrictEqual(yield* visitsIn(checked, [mirror]), expected, `seed ${seed}, day ${today}`)
                hospital.work(today, server.now, deleted)
                server.now += day
              }
              const mapping = join(yield* temporaryFolder, "mapping.yaml")
              writeFileSync(mapping, addressed)
              const { totals, visits } = yield* converted([mirror], { mapping })
              const held = visits.filter(({ problems }) => problems.some(({ code }) => code === "incomplete-visit"))
              assert.deepStrictEqual(held, [])
              assert.deepStrictEqual(totals.problems.filter(({ code }) => code === "incomplete-export"), [])
            }))
        }
        assert.isAbove(interrupted, 5)
      }).pipe(Effect.provide(NodeServices.layer)),
    timeout
  )
})

/** A fetch that is interrupted at its n-th request; 1 if it was. */
const interruptedFetch = (server: FhirServer, mirror: string, at: number, full: boolean) =>
  Effect.gen(function*() {
    const reached = yield* Deferred.make<number>()
    let requests = 0
    const { options } = server
    server.options = {
      ...options,
      instead: () => {
        if (++requests === at) Deferred.doneUnsafe(reached, Effect.succeed(1))
        return undefined
      }
    }
    const fetching = Effect.as(fetchFrom(server, mirror, {}, noSecrets, full), 0)
    const stopped = yield* Effect.raceFirst(fetching, Deferred.await(reached))
    server.options = options
    return stopped
  })
