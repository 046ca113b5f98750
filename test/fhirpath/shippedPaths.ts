import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { functionsCalledIn, type PathEngine, type PathFunction } from "../../src/fhirpath/FhirPath.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { freezeMapping, type FrozenMapping, thawMapping } from "../../src/mapping/keptMapping.ts"
import { type LoadedMapping, loadMapping } from "../../src/mapping/load/loadMapping.ts"
import type { MappingPlan, PathPlan } from "../../src/mapping/MappingPlan.ts"
import { getOrMake } from "../../src/maps.ts"
import type { ReferenceLists } from "../../src/visit/values/ReferenceList.ts"
import { present } from "../present.ts"

/** Mappings by their files and texts, as the threads of a run receive them. */
const loaded = new WeakMap<ReferenceLists, Map<string, LoadedMapping & { readonly frozen: FrozenMapping }>>()

const noLists: ReferenceLists = new Map()

/** Loads a mapping for an engine. It is checked once for all engines, because that takes ten times as long as making a plan of its own for each. */
export const loadedFor = Effect.fnUntraced(function*(file: string, by: PathEngine, lists: ReferenceLists = noLists) {
  const ofLists = getOrMake(loaded, lists, () => new Map())
  const key = `${file}\n${readFileSync(file, "utf8")}`
  let known = ofLists.get(key)
  if (known === undefined) {
    const mapping = yield* loadMapping(file, "mappings", { lists })
    known = { ...mapping, frozen: freezeMapping(present(mapping.checked), lists) }
    ofLists.set(key, known)
  }
  const { frozen, problems, syntax, texts } = known
  // A copy: what is known about a part of a plan is only for one engine.
  const checked = thawMapping(structuredClone(frozen), by, lists)
  return { problems, texts, checked, ...(syntax === undefined ? {} : { syntax }) }
})

/** Loads a shipped mapping (`fhir-r4`), or another by its file, for an engine. */
export const loadFor = async (mapping: string, by: PathEngine, lists?: ReferenceLists): Promise<CheckedMapping> => {
  const file = mapping.endsWith(".yaml") ? mapping : `mappings/${mapping}/mapping.yaml`
  const { checked } = await Effect.runPromise(loadedFor(file, by, lists).pipe(Effect.provide(NodeServices.layer)))
  return checked
}

/** Only the expressions of a plan can be evaluated. */
const isPath = (value: object): value is PathPlan => "evaluate" in value

/** Every expression of a plan, in the order of the plan. */
export const pathsOf = (plan: MappingPlan): ReadonlyArray<PathPlan> => {
  const found: Array<PathPlan> = []
  const seen = new Set<object>()
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    if (isPath(value)) found.push(value)
    else if (value instanceof Map) { for (const inner of value.values()) look(inner) }
    else for (const inner of Object.values(value)) look(inner)
  }
  look([plan.grouping, plan.keys, plan.visit])
  return found
}

/** Returns what tells whether an expression is seen for the first time: no earlier one had its text and called the same functions. */
export const isFirst = () => {
  const seen = new Set<string>()
  return (text: string, functions: ReadonlyMap<string, PathFunction>): boolean => {
    const key = withBodies(text, functions)
    const isKnown = seen.has(key)
    seen.add(key)
    return !isKnown
  }
}

/** Returns an expression with the bodies of all functions of the mapping that it calls. */
const withBodies = (text: string, functions: ReadonlyMap<string, PathFunction>): string => {
  const bodies = new Map<string, string>()
  const add = (part: string): void => {
    for (const name of functionsCalledIn(part)) {
      const body = functions.get(name)?.body?.text
      if (body === undefined || bodies.has(name)) continue
      bodies.set(name, body)
      add(body)
    }
  }
  add(text)
  return JSON.stringify([text, ...bodies])
}
