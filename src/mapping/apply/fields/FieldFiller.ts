import { isNode } from "../../../fhirpath/evaluate/Node.ts"
import type { Element, Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import { recordOf } from "../../../fhirpath/FhirPath.ts"
import { Variants } from "../../../fhirpath/generate/Variants.ts"
import { getOrMake } from "../../../maps.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { EvaluationScope } from "../../functions/EvaluationScope.ts"
import type { BranchPlan, ComponentPlan, LeafPlan, PathPlan } from "../../MappingPlan.ts"
import type { PendingProblem, RowProvenance, SectionRow, VisitContext } from "../scope/VisitContext.ts"
import { applyLeaf, foundValue, remarkOn, remarkOnFound, valueWithoutPath } from "./applyLeaf.ts"
import type { FieldContext } from "./FieldContext.ts"
import { taskOfFields, writeFields } from "./writeFields.ts"

/** A component of a branch, or consecutive fields with one value. */
export type BranchPart = { readonly component: ComponentPlan } | { readonly fields: FieldGroup }

/** Fields that follow each other in a row, and the code that fills them. */
interface FieldGroup {
  readonly leaves: ReadonlyArray<LeafPlan>
  readonly variants: Variants<FillFields> | undefined
}

type FillFields = (
  focus: Element | Elements,
  variables: Variables,
  scope: EvaluationScope,
  row: SectionRow,
  filler: FieldFiller
) => true | null

const none: ReadonlyArray<never> = []

const partsOfBranches = new WeakMap<BranchPlan, ReadonlyArray<BranchPart>>()

/** Returns the parts of a branch, in the order of the specification. */
export const partsOf = ({ plan: { fhirPath } }: VisitContext, branch: BranchPlan): ReadonlyArray<BranchPart> =>
  getOrMake(partsOfBranches, branch, () => {
    const { units } = fhirPath
    const parts: Array<BranchPart> = []
    let leaves: Array<LeafPlan> = []
    const end = (): void => {
      const group = leaves
      leaves = []
      if (group.length === 0) return
      const variants = units === undefined
        ? undefined
        : new Variants<FillFields>(
          units,
          taskOfFields(group),
          "v, s, r, h",
          (writer) => writeFields(writer, group),
          "readsInParts"
        )
      parts.push({ fields: { leaves: group, variants } })
    }
    for (const field of branch.fields) {
      if (field.kind === "leaf") leaves.push(field)
      else {
        end()
        parts.push({ component: field })
      }
    }
    end()
    return parts
  })

/** Fills consecutive fields of a row. */
export const fillFields = (
  context: VisitContext,
  { leaves, variants }: FieldGroup,
  made: RowProvenance,
  stated: ReadonlyMap<string, ReadonlyArray<unknown>> | undefined
): void => {
  const { focus, row, variables } = made
  const filler = new FieldFiller(context, leaves, made)
  const run = stated === undefined ? variants?.find(focus, variables) : undefined
  if (run !== undefined) {
    const { pending, reportedKeys, unmappedCodes } = context
    const problems = pending.length
    const codes = unmappedCodes.length
    try {
      if (run(focus.length === 1 ? focus[0] : focus, variables, context.scope, row, filler) !== null) return
      context.plan.fhirPath.units?.left.set()
    } catch {
      // The definition evaluates all of them again, and reports what failed. It notes the same lookups again, which changes nothing.
      context.plan.fhirPath.units?.left.set()
      for (const { diagnostic } of pending.splice(problems)) reportedKeys.delete(diagnostic)
      unmappedCodes.length = codes
    }
  }
  if (stated !== undefined) context.plan.fhirPath.units?.left.set()
  for (const [at, leaf] of leaves.entries()) filler.leaf(at, stated?.get(leaf.name))
}

/** What generated code leaves to the definition while it fills fields. */
export class FieldFiller {
  readonly #context: VisitContext
  readonly #leaves: ReadonlyArray<LeafPlan>
  readonly #made: RowProvenance
  readonly reads: Array<SourceRecord>
  readonly pending: Array<PendingProblem>
  readonly timestamps: Map<string, string>
  /** The focus has several elements: each field that has a choice of paths is noted. */
  readonly isSeveral: boolean

  constructor(context: VisitContext, leaves: ReadonlyArray<LeafPlan>, made: RowProvenance) {
    this.#context = context
    this.#leaves = leaves
    this.#made = made
    this.reads = context.reads
    this.pending = context.pending
    this.timestamps = context.timestamps
    this.isSeveral = made.focus.length > 1
  }

  #filling(at: number): FieldContext {
    const { focus, row, variables } = this.#made
    return { leaf: this.#leafAt(at), focus, variables, row, context: this.#context }
  }

  #leafAt(at: number): LeafPlan {
    const leaf = this.#leaves[at]
    if (leaf === undefined) throw new RangeError("no such field")
    return leaf
  }

  /** Returns whether some elements of the focus are written as the model says. */
  canRead(elements: ReadonlySet<string>): boolean {
    const { units } = this.#context.plan.fhirPath
    if (units === undefined) return false
    for (const one of this.#made.focus) {
      if (isNode(one) && units.canRead(one, elements)) continue
      units.left.set()
      return false
    }
    return true
  }

  /** Fills a field. */
  leaf(at: number, stated?: ReadonlyArray<unknown>): void {
    // Discard the records that the row's conditions have read: they are not the origin of a value.
    if (this.reads.length > 0) this.reads.length = 0
    const filling = this.#filling(at)
    const value = applyLeaf(filling, stated)
    const { path } = filling
    if (path !== undefined && (this.isSeveral || this.reads.length > 0)) this.#note(at, path)
    if (value !== undefined) filling.row[filling.leaf.name] = value
  }

  /** Notes which path filled a field, and the records that its paths have read. */
  filled(at: number, index: number): void {
    const path = this.#leafAt(at).paths[index]
    if (path !== undefined) this.#note(at, path)
  }

  #note(at: number, path: PathPlan): void {
    const made = this.#made
    const { focus } = made
    const own = focus.length === 1 ? recordOf(focus[0]) : undefined
    const hasLooked = this.reads.some((record) => record !== own)
    if (!hasLooked && !this.isSeveral) return
    const records = hasLooked ? this.reads.splice(0) : none
    const one = { made, leaf: this.#leafAt(at), path, records }
    made.filled ??= []
    made.filled.push(one)
    if (!hasLooked) return
    const { farLookups, lookups, near } = this.#context
    lookups.push(one)
    if (records.some((record) => record !== own && !near.includes(record))) farLookups.push(one)
  }

  /** Returns the values that a path of a field finds. */
  values(at: number, index: number): Elements {
    const { context, focus, leaf: { name, paths }, row, variables } = this.#filling(at)
    const path = paths[index]
    this.#context.plan.fhirPath.units?.left.set()
    return path === undefined ? [] : context.values(path, focus, variables, row, name)
  }

  /** Discards what functions have reported in the latest evaluation. */
  forget(): void {
    this.#context.forget()
  }

  /** Returns whether functions have reported something since. */
  hasReports(): boolean {
    return this.#context.hasReports()
  }

  /** Reports it for a path of a field, and what the path found. */
  report(at: number, index: number, found: Elements): void {
    const { context: _, focus, leaf: { name, paths }, row } = this.#filling(at)
    const path = paths[index]
    if (path !== undefined) this.#context.report(path, found, focus, row, name)
  }

  /** Returns the value of a field for the values that one of its paths found. */
  found(at: number, index: number, values: Elements): unknown {
    const filling = this.#filling(at)
    const path = filling.leaf.paths[index]
    return path === undefined ? undefined : foundValue(filling, values, path)
  }

  /** Reports what the mapping says about a path that found the value of a field. */
  remark(at: number, index: number, values: Elements): void {
    const filling = this.#filling(at)
    const path = filling.leaf.paths[index]
    if (path !== undefined) remarkOnFound(filling, values, path)
  }

  /** Reports what the mapping says about the value that it states for a field. */
  remarkOnLiteral(at: number): void {
    const filling = this.#filling(at)
    remarkOn(filling, filling.leaf.literalRemark)
  }

  /** Returns the value of a field for which no path found one. */
  none(at: number, before: number): unknown {
    return valueWithoutPath(this.#filling(at), before)
  }
}
