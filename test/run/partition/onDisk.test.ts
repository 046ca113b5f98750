import { afterAll, assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { at } from "../../../src/at.ts"
import { hashName, highOf, lowOf } from "../../../src/run/links/hashName.ts"
import type { PairRows } from "../../../src/run/links/joinReferences.ts"
import { bucketOfName, joinReferences, nameBuckets, sectionOf } from "../../../src/run/links/joinReferences.ts"
import { hasFlag, Link } from "../../../src/run/links/Links.ts"
import { Buckets } from "../../../src/run/records/Buckets.ts"
import {
  isUsual,
  lineOf,
  locationLists,
  markOf,
  mustBeScanned,
  RecordLocations
} from "../../../src/run/records/RecordLocations.ts"
import { SpillFile } from "../../../src/run/records/SpillFile.ts"
import { StoredNumbers } from "../../../src/run/records/StoredNumbers.ts"
import { OpenFiles } from "../../../src/source/read/OpenFiles.ts"
import { present } from "../../present.ts"
import { runs } from "../../runs.ts"

const place = fc.record({
  source: fc.integer({ min: 0, max: 4095 }),
  offset: fc.oneof(
    fc.nat(5_000),
    fc.integer({ min: 0, max: 2 ** 52 - 1 }),
    fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 40)
  ),
  length: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  mark: fc.tuple(fc.integer({ min: 0, max: 2 ** 29 }), fc.boolean(), fc.boolean()).map((of) => markOf(...of))
})

const files = new OpenFiles()

afterAll(() => files.closeAll())

describe("The index of a large run's records", () => {
  it("returns any location in a file of any size", () => {
    fc.assert(
      fc.property(fc.array(place), fc.array(place), (own, others) => {
        const places = new RecordLocations(new SpillFile(files))
        places.append(locationLists(own), 0)
        places.append(locationLists(others), 7)
        own.forEach((one, number) => assert.deepStrictEqual(places.at(number), one))
        others.forEach((one, number) => {
          const found = places.at(own.length + number)
          assert.deepStrictEqual({ ...found, mark: 0 }, { ...one, mark: 0 })
          assert.strictEqual(lineOf(found.mark), lineOf(one.mark) + 7)
          assert.strictEqual(mustBeScanned(found.mark), mustBeScanned(one.mark))
          assert.strictEqual(isUsual(found.mark), isUsual(one.mark))
        })
      }),
      { numRuns: runs(100) }
    )
  })

  it("returns numbers from disk in any order, more than memory holds", () => {
    const spool = new SpillFile(files)
    const [numbers, others] = [new StoredNumbers(spool), new StoredNumbers(spool)]
    const count = 300_001
    for (let number = 0; number < count; number++) {
      numbers.push(number)
      if (number % 3 === 0) others.push(4_294_967_295 - number)
    }
    assert.strictEqual(numbers.length, count)
    for (let step = 0, at = 0; step < 50_000; step++, at = (at + 123_457) % count) {
      if (numbers.at(at) !== at) assert.fail(`number ${at}`)
      const other = Math.floor(at / 3)
      if (others.at(other) !== 4_294_967_295 - other * 3) assert.fail(`other number ${other}`)
    }
  })

  it("keeps the order within each bucket", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ bucket: fc.nat(4), count: fc.nat(5_000) }), { maxLength: 20 }), (pushes) => {
        const buckets = new Buckets(files, 5)
        const expected: Array<Array<number>> = [[], [], [], [], []]
        let next = 0
        for (const { bucket, count } of pushes) {
          for (let pushed = 0; pushed < count; pushed++) {
            buckets.push(bucket, next)
            at(expected, bucket).push(next++)
          }
        }
        expected.forEach((numbers, bucket) => assert.deepStrictEqual([...buckets.read(bucket)], numbers))
        buckets.close()
      }),
      { numRuns: runs(20) }
    )
  })

  it("joins exactly the records that share a name", () => {
    const spool = new SpillFile(files)
    const links = new Buckets(files, nameBuckets)
    const count = 150_000
    type Tie = { readonly record: number; readonly links: number }
    const byName = new Map<number, Array<Tie>>()
    const put = (hash: number, record: number, found: number): void => {
      const bucket = bucketOfName(hash)
      for (const number of [lowOf(hash), highOf(hash), record, found]) links.push(bucket, number)
      const known = byName.get(hash)
      if (known === undefined) byName.set(hash, [{ record, links: found }])
      else known.push({ record, links: found })
    }
    const nameOf = (record: number): number => hashName(`Patient/${record}`)
    for (let record = 0; record < count; record++) {
      put(nameOf(record), record, Link.own)
      // One name of nearby records, one of all records, and one of none.
      put(nameOf(record - (record % 10)), record, Link.refers | Link.followed)
      if (record % 7 === 0) put(nameOf(70_001), record, Link.refers | Link.backwards)
      if (record % 1_000 === 0) put(hashName(`Patient/none-${record}`), record, Link.refers)
    }
    const { ofNames, ofRecords } = joinReferences({ files, links, count, spill: spool, isDeleted: () => false })
    const row = ({ ends, pairs }: PairRows, number: number): ReadonlyArray<readonly [number, number]> => {
      const from = number === 0 ? 0 : ends.at(number - 1)
      return Array.from(
        { length: ends.at(number) - from },
        (_, at) => [pairs.at((from + at) * 2), pairs.at((from + at) * 2 + 1)] as const
      )
    }
    const expectedNames = [...byName.values()].filter((ties) =>
      ties.length > 1 && ties.some(({ links: found }) => (found & hasFlag) !== 0)
    )
    assert.strictEqual(ofNames.ends.length, expectedNames.length)
    const recordsOf = new Map<number, number>()
    for (const ties of expectedNames) {
      for (const { record } of ties) recordsOf.set(record, (recordsOf.get(record) ?? 0) + 1)
    }
    let first = -1
    for (let name = 0; name < ofNames.ends.length; name++) {
      const ties = row(ofNames, name)
      const owners = ties.filter(([, found]) => (found & hasFlag) !== 0).map(([record]) => record)
      assert.isAtLeast(Math.min(...owners), first, "names are in the order of their records")
      first = Math.min(...owners)
      const sections = ties.map(([, found]) => sectionOf(found))
      assert.deepStrictEqual(sections, sections.toSorted((one, other) => one - other))
      const expected = present(byName.get(nameOf(first)))
      assert.sameDeepMembers([...ties], expected.map(({ record, links: found }) => [record, found]))
    }
    assert.strictEqual(ofRecords.ends.length, count)
    for (let record = 0; record < count; record++) {
      const names = row(ofRecords, record)
      if (names.length !== (recordsOf.get(record) ?? 0)) assert.fail(`record ${record}`)
      for (const [name, found] of record % 999 === 0 ? names : []) {
        assert.isTrue(row(ofNames, name).some(([other, links]) => other === record && links === found))
      }
    }
    links.close()
  })
})
