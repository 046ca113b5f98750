import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readFileSync } from "node:fs"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { isOneThing, watchRecords } from "../../src/run/accounts/coverage.ts"
import { runSettings, visitChecks } from "../../src/run/checks/visitChecks.ts"
import type { RunRecords } from "../../src/run/convertPartition.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import { findInputs } from "../../src/source/read/findInputs.ts"
import { readInputs } from "../../src/source/read/readInput.ts"
import type { ReadItem } from "../../src/source/read/ReadItem.ts"
import { isTree, ReadTracker } from "../../src/source/read/ReadTracker.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import { isResource, type Resource } from "../../src/source/records/SourceRecord.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { assertGolden } from "../golden.ts"
import { present } from "../present.ts"
import { now, temporaryFolder, written } from "./converted.ts"

/** A different value of the same kind. */
const changed = (value: unknown): unknown =>
  typeof value === "number"
    ? value + 1
    : typeof value === "boolean"
    ? !value
    : /^\d{4}-\d\d-\d\d/u.test(String(value))
    ? String(value).replace(/^(.{9})(.)/u, (_, day: string, last: string) => `${day}${last === "1" ? 2 : 1}`)
    : `${String(value)}x`

/** Elements without data: metadata and narrative. The `display` of a Coding or a Reference counts as such, too. */
const notData = new Set(["resourceType", "id", "meta", "text", "language", "implicitRules"])

/** An additional element of a list, with the same system, use or type, so that a mapping line can choose it. */
const another = (value: unknown, key = ""): unknown =>
  Array.isArray(value)
    ? value.map((one) => another(one))
    : isTree(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, another(inner, name)]))
    : ["system", "url", "use", "type"].includes(key)
    ? value
    : changed(value)

interface Leaf {
  readonly path: string
  readonly parent: object
  readonly key: string
  /** A part of a Coding, Quantity, Identifier …, whose other parts may decide. */
  readonly isPart: boolean
  readonly replaced: (value: unknown) => unknown
}

interface List extends Pick<Leaf, "path" | "replaced"> {
  readonly list: ReadonlyArray<unknown>
}

function* leavesOf(resource: Resource): Generator<Leaf | List> {
  function* below(
    tree: object,
    path: string,
    isPart: boolean,
    replaced: (value: object) => object
  ): Generator<Leaf | List> {
    for (const [key, value] of Object.entries(tree)) {
      const at = Array.isArray(tree) ? path : `${path}.${key}`
      if (value === null || key === "display" || (path === resource.resourceType && notData.has(key))) continue
      const put = (next: unknown) =>
        replaced(Array.isArray(tree) ? tree.with(Number(key), next) : { ...tree, [key]: next })
      if (Array.isArray(value)) yield { path: at, list: value, replaced: put }
      if (isTree(value)) yield* below(value, at, Array.isArray(value) ? isPart : isOneThing(value), put)
      else yield { path: at, parent: tree, key, isPart, replaced: put }
    }
  }
  yield* below(resource, resource.resourceType, false, (value) => value)
}

/** Changes each value that a line reads, and adds to each list. Returns the elements whose change has no effect. */
const unseen = Effect.fnUntraced(function*(mapping: string, inputs: ReadonlyArray<string>) {
  const { checked } = yield* loadMapping(mapping, "mappings")
  assert.isDefined(checked)
  const { inputs: found } = yield* findInputs(inputs)
  const items = [...yield* Stream.runCollect(readInputs(found, { tables: checked.plan.tables }))]
  const settings = { facility: FacilityCode("HF0001"), system: SystemCode("SYS-1"), zone: "Asia/Phnom_Penh" }
  const checks = visitChecks(runSettings({}, { now, facility: settings.facility }))
  const indexOf = (all: ReadonlyArray<ReadItem>) => {
    const collector = new RecordCollector({ sameServer: [], copies: "reject" })
    for (const item of all) if (item._tag !== "Problem") collector.add(item)
    return collector.index()
  }
  const shown = (records: RunRecords): string => {
    const { totals, visits } = convertRecords({ ...settings, checked, records, ...checks, compareVisit: () => [] })
    const made = [...visits].map(({ json, problems, ready }) => [json, problems, ready])
    const { rejectedRecords, unmapped, unresolved, unused, used } = totals()
    return JSON.stringify([made, rejectedRecords, unmapped, [...unresolved], [...unused], [...used]])
  }
  const tracker = new ReadTracker()
  shown(watchRecords(indexOf(items), tracker).records)
  const plain = shown(indexOf(items))
  const tried = new Set<string>()
  const parts = new Set<string>()
  const elements = new Set<string>()
  const added = new Set<string>()
  const lists = new Set<string>()
  let values = 0
  const isRead = (tree: unknown): boolean =>
    isTree(tree) && Object.keys(tree).some((key) => tracker.hasRead(tree, key) || isRead(Reflect.get(tree, key)))
  for (const [at, item] of items.entries()) {
    if (item._tag !== "Record") continue
    const { record } = item
    const seen: Array<Leaf> = []
    const hidden: Array<Leaf> = []
    const shows = (resource: unknown): boolean => {
      assert(isResource(resource))
      return shown(indexOf(items.with(at, { _tag: "Record", record: { ...record, resource } }))) !== plain
    }
    for (const leaf of leavesOf(record.resource)) {
      if ("list" in leaf) {
        if (!isRead(leaf.list)) continue
        added.add(leaf.path)
        if (!shows(leaf.replaced([...leaf.list, another(leaf.list[0])]))) lists.add(leaf.path)
        continue
      }
      const { key, parent, path, replaced } = leaf
      if (!tracker.hasRead(parent, key)) continue
      tried.add(path)
      values++
      const isSeen = shows(replaced(changed(Reflect.get(parent, key))))
      const list = isSeen ? seen : hidden
      list.push(leaf)
    }
    for (const { isPart, parent, path } of hidden) {
      const list = isPart && seen.some((other) => other.parent === parent) ? parts : elements
      list.add(path)
    }
  }
  return [
    `${values} values of ${tried.size} elements read`,
    `${parts.size} parts of a value of which another part shows a change: ${[...parts].toSorted().join(", ")}`,
    `${elements.size} second choices, and what only selects or orders: ${[...elements].toSorted().join(", ")}`,
    `${lists.size} of ${added.size} lists in which another element is a second choice: ${
      [...lists].toSorted().join(", ")
    }`
  ].join("\n  ")
})

/** The first source of a page of cases. */
const sourceOf = (page: string): string => {
  const [, source] = /```json source\n([^]*?)```/u.exec(readFileSync(page, "utf8")) ?? []
  return present(source)
}

describe("A change of a value that a mapping line reads, or an added list element,", () => {
  it.effect("changes a visit, a message or the report, except for the listed elements", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const american = written(folder, { "a.json": sourceOf("mappings/us-synthetic/cases/visit.md") })
      const lists = [
        ["fhir-r4", "mappings/fhir-r4/mapping.yaml", ["samples/outpatient-fever/input"]],
        ["csv", "samples/district-tables/mapping.yaml", ["samples/district-tables/input"]],
        ["us-synthetic", "mappings/us-synthetic/mapping.yaml", american]
      ] as const
      const texts: Array<string> = []
      for (const [name, mapping, inputs] of lists) texts.push(`${name}\n  ${yield* unseen(mapping, inputs)}`)
      assertGolden("test/run/everyValue.txt", texts.join("\n\n"))
    }).pipe(Effect.provide(NodeServices.layer)))
})
