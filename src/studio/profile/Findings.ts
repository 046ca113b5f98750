import { number, plural } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/render/printable.ts"
import type { BranchPlan, FieldPlan, LeafPlan, MappingPlan } from "../../mapping/MappingPlan.ts"
import type { Codes } from "./fhir/Codes.ts"
import type { ElementNode } from "./fhir/elements.ts"
import type { LinksOfType } from "./fhir/Links.ts"
import type { Profiler } from "./Profiler.ts"

/** The input for suggestions. */
export interface Findings {
  readonly profiler: Profiler
  /** The current mapping. */
  readonly plan: MappingPlan
  readonly links: ReadonlyArray<LinksOfType>
  /** Codes of diagnoses that the program knows the ICD-10 code of. */
  readonly icd10: ReadonlyMap<string, string>
}

export const nodeAt = (
  { profiler }: Findings,
  type: string,
  ...names: ReadonlyArray<string>
): ElementNode | undefined => {
  let node = profiler.elements.types().get(type)
  for (const name of names) node = node?.children.get(name)
  return node
}

export const codesAt = (findings: Findings, type: string, name: string): Codes | undefined => {
  const node = nodeAt(findings, type, name)
  return node === undefined ? undefined : findings.profiler.codes.get(node)
}

/** The leaf of a field, by its names from the visit on. */
export const leafAt = (plan: MappingPlan, path: ReadonlyArray<string>): LeafPlan | undefined => {
  const field = path.reduce<FieldPlan | undefined>(fieldIn, plan.visit)
  return field?.kind === "leaf" ? field : undefined
}

const fieldIn = (around: FieldPlan | undefined, name: string): FieldPlan | undefined =>
  around?.kind === "component"
    ? around.branches.flatMap(({ fields }) => fields).find((one) => one.name === name)
    : undefined

/** The branches of a section, by its name. */
export const branchesAt = (visit: FieldPlan, name: string): ReadonlyArray<BranchPlan> => {
  const section = fieldIn(visit, name)
  return section?.kind === "component" ? section.branches : []
}

/** The field has a value when its paths find none. */
export const isNeverEmpty = (plan: MappingPlan, path: ReadonlyArray<string>): boolean => {
  const leaf = leafAt(plan, path)
  return leaf === undefined || leaf.fallback !== undefined || leaf.literal !== undefined
}

export const constantOf = (plan: MappingPlan, name: string): string => {
  const value = plan.constants[name]
  return typeof value === "string" ? value : ""
}

/** Formats a part of a whole: `3 of 20 patients`. */
export const partOfWhole = (part: number, whole: number, noun: string): string =>
  `${number(part)} of ${plural(whole, noun)}`

/** Formats items with their counts, if these are known: `OPD 1,204`, `IPD 30`. */
export const countItems = (counts: PossibleCounts): ReadonlyArray<string> =>
  counts.map(([name, count]) => count === undefined ? printable(name) : `${printable(name)} ${number(count)}`)

/** Items with their counts, if these are known. */
export type PossibleCounts = ReadonlyArray<readonly [name: string, count: number | undefined]>
