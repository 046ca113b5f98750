import { compareTexts } from "../../compareTexts.ts"
import { plural } from "../../diagnostic/count.ts"
import type { MappingPlan } from "../../mapping/MappingPlan.ts"
import { increment } from "../../maps.ts"
import { type Suggestions, suggestOverlay } from "./draft/suggest.ts"
import { dateForms } from "./fhir/dates.ts"
import type { ElementNode } from "./fhir/elements.ts"
import { zoneOf } from "./fhir/zoneOf.ts"
import type { Findings } from "./Findings.ts"
import { isPlainAddress } from "./mayBeShown.ts"
import type { ElementProfile, Frequencies, Profile } from "./Profile.ts"
import type { Profiler } from "./Profiler.ts"
import { countFiles } from "./tables/facts/alikeFiles.ts"
import { makeTables } from "./tables/facts/makeTables.ts"
import type { TableProfile } from "./tables/facts/TableProfile.ts"
import type { TableProfiler } from "./tables/facts/TableProfiler.ts"
import { suggestTables } from "./tables/suggestTables.ts"

/** Maximum number of codes listed per system. */
const topCodes = 20

/**
 * Returns the profile of the input, with suggestions for a mapping. `plan`: the current mapping; not needed if all input is tables.
 * `everything` shows codes and names that may be about one person.
 */
export const makeProfile = (
  profiler: Profiler,
  plan: MappingPlan | undefined,
  { everything, files, icd10, tables = [], year, zoneIsGuess = false }: {
    readonly everything: boolean
    readonly files: number
    readonly icd10: ReadonlyMap<string, string>
    readonly tables?: ReadonlyArray<TableProfiler>
    /** The present year. */
    readonly year: number
    /** The zone of times without an offset is neither configured nor given. */
    readonly zoneIsGuess?: boolean
  }
): Profile => {
  const offsets = summed([...profiler.dates.values()].map(({ offsets }) => offsets.sorted()))
  const links = profiler.links.count(profiler.references, {
    parents: profiler.facts.parents,
    zone: zoneOf(offsets)?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  })
  const tabled = makeTables(tables, { everything })
  const nesting = nestingOf(profiler.facts.parents)
  const parentsMissing =
    [...profiler.facts.parents.values()].filter((parent) => !profiler.references.isNamed(parent)).length
  const references = profiler.references.resolve()
  const { facts } = profiler
  const { encounters } = facts
  const types = [...profiler.elements.types()]
    .map(([type, node]) => ({ type, records: node.records, ...elementsOf(node, everything) }))
    .toSorted((a, b) => b.records - a.records || compareTexts(a.type, b.type))
  const shownPaths = new Set(types.flatMap(({ elements }) => elements.map(({ path }) => path)))
  return {
    files,
    records: profiler.records,
    unreadable: profiler.unreadable,
    problems: profiler.problems.all(),
    bundles: profiler.bundles.sorted(),
    contained: profiler.contained.sorted(),
    types,
    identifiers: [...profiler.identifiers].filter(([{ path }]) => shownPaths.has(path)).map(([{ path }, systems]) => ({
      element: path,
      systems: systems.profile(everything)
    })).toSorted(byElement),
    codes: [...profiler.codes].filter(([{ path }]) => shownPaths.has(path)).map(([{ path }, codes]) => ({
      element: path,
      systems: codes.profile(topCodes, everything),
      words: codes.words
    })).toSorted(byElement),
    dates: {
      forms: summed([...profiler.dates.values()].map(({ forms }) => forms.sorted())).toSorted(
        ([a], [b]) => dateForms.indexOf(a) - dateForms.indexOf(b)
      ),
      offsets,
      elements: [...profiler.dates].filter(([{ path }]) => shownPaths.has(path)).map(([{ path }, { forms }]) => ({
        element: path,
        forms: forms.sorted()
      }))
        .toSorted(byElement)
    },
    references: {
      styles: summed([...references.values()].map(({ styles }) => styles.sorted())),
      elements: [...references].filter(([element]) => shownPaths.has(element)).map(([element, counts]) => ({
        element,
        styles: counts.styles.sorted(),
        targets: counts.targets.sorted(),
        resolved: counts.resolved,
        unresolved: counts.unresolved,
        notFollowed: counts.notFollowed
      })).toSorted(byElement),
      servers: profiler.references.servers(),
      overflown: profiler.references.overflown
    },
    links: links.map((one) => ({
      ...one,
      paths: one.paths.filter(({ path }) => shownPaths.has(path))
    })),
    encounters: {
      ...encounters,
      ...nesting,
      depth: encounters.records === 0 ? 0 : nesting.depth,
      parentsMissing,
      sameStart: facts.sameStart
    },
    again: profiler.again,
    deletions: profiler.deletions,
    scripts: [...profiler.scripts].map(([place, scripts]) => ({ place, scripts: scripts.sorted() })),
    unseenSigns: profiler.unseenSigns,
    tables: tabled,
    suggestions: suggestionsOf(tabled, { profiler, plan, links, icd10 }, { year, zoneIsGuess })
  }
}

/** Suggests lines for tables if there is no FHIR, and otherwise for FHIR: one mapping reads one kind of source. */
const suggestionsOf = (
  tables: ReadonlyArray<TableProfile>,
  { plan, ...found }: Omit<Findings, "plan"> & { readonly plan: MappingPlan | undefined },
  now: { readonly year: number; readonly zoneIsGuess: boolean }
): Suggestions => {
  if (plan === undefined || tables.length > 0 && found.profiler.records === 0) {
    const made = suggestTables(tables, found.icd10, now)
    return plan !== undefined && plan.tables.length > 0 || !tables.some(({ declared }) => declared)
      ? made
      : { ...made, notes: [...made.notes, "files of the canonical extract need no changes:  mapping: csv"] }
  }
  const suggestions = suggestOverlay({ plan, ...found })
  return tables.length === 0 ? suggestions : {
    ...suggestions,
    notes: [
      ...suggestions.notes,
      `${plural(countFiles(tables), "file")} of tables next to FHIR: profile them separately for their lines`
    ]
  }
}

const byElement = (one: { readonly element: string }, other: { readonly element: string }): number =>
  compareTexts(one.element, other.element)

/** Every element below a type, in the order of their paths. */
const elementsOf = (
  top: ElementNode,
  everything: boolean
): { readonly elements: ReadonlyArray<ElementProfile>; readonly withheld: number } => {
  const elements: Array<ElementProfile> = []
  let withheld = 0
  const walk = (node: ElementNode): void => {
    for (const child of node.children.values()) {
      if (!mayBeNamed(child, everything)) {
        withheld++
        continue
      }
      elements.push({
        path: child.path,
        records: child.records,
        share: top.records === 0 ? 0 : Math.round((child.records / top.records) * 1000) / 1000,
        ...(child.place === null ? { unknown: true as const } : {})
      })
      walk(child)
    }
  }
  walk(top)
  return { elements: elements.toSorted((a, b) => compareTexts(a.path, b.path)), withheld }
}

/** Whether an element may be named. Elements of FHIR and plain addresses of extensions may; any other name must be common. */
const mayBeNamed = (node: ElementNode, everything: boolean): boolean =>
  everything || (node.place === "Extension" && node.path.endsWith(`('${node.name}')`)
    ? node.met.areEnough || isPlainAddress(node.name) || /^[A-Za-z][A-Za-z-]{0,30}$/u.test(node.name)
    : node.place !== null || (node.met.areEnough && /^[A-Za-z_]\w{0,60}$/u.test(node.name)))

/** Returns the depth of `partOf`, and the number of encounters that it leads into a circle. */
const nestingOf = (parents: ReadonlyMap<number, number>): { readonly depth: number; readonly inCircle: number } => {
  let depth = 1
  let inCircle = 0
  for (const start of parents.keys()) {
    const seen = new Set([start])
    let parent = parents.get(start)
    while (parent !== undefined && !seen.has(parent)) {
      seen.add(parent)
      parent = parents.get(parent)
    }
    if (parent === undefined) depth = Math.max(depth, seen.size)
    else inCircle++
  }
  return { depth, inCircle }
}

const summed = <K extends string>(all: ReadonlyArray<Frequencies<K>>): Array<readonly [K, number]> => {
  const counts = new Map<K, number>()
  for (const one of all) for (const [name, count] of one) increment(counts, name, count)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}
