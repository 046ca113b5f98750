import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../../draft/VisitDraft.ts"
import type { ValueRemark } from "../../MappingPlan.ts"
import type { FieldContext } from "../fields/FieldContext.ts"

/** An unmapped code of a visit, and the field that looked it up. */
export interface FoundUnmappedCode {
  readonly code: UnmappedCode
  readonly of?: Pick<FieldContext, "row" | "leaf">
}

/** What functions report while the fields of one visit are filled. */
export class VisitReports {
  /** Records that functions have reached since the last field was made. */
  readonly reads: Array<SourceRecord> = []
  readonly unmappedCodes: Array<FoundUnmappedCode> = []
  /** The assumptions that functions made in the latest evaluation. */
  readonly remarks: Array<ValueRemark> = []
  /** The codes that functions of the latest evaluation did not find in a concept map that rejects them. */
  readonly missing: Array<UnmappedCode> = []
  /** The warnings of the keys that the latest evaluation used. */
  readonly ofKeys: Array<Diagnostic> = []

  /** Whether functions have reported something in the latest evaluation that is not in a list of the visit. */
  get isEmpty(): boolean {
    return this.remarks.length === 0 && this.missing.length === 0 && this.ofKeys.length === 0
  }

  /** Discards the reports of the latest evaluation. It checks the length first, because setting it is slow even for an empty array. */
  forget(): void {
    if (this.remarks.length > 0) this.remarks.length = 0
    if (this.missing.length > 0) this.missing.length = 0
    if (this.ofKeys.length > 0) this.ofKeys.length = 0
  }

  /** Returns what ends a span of reports, and then returns what reports all of them again; nothing if there are none. */
  since(): () => (() => void) | undefined {
    const lists: ReadonlyArray<Array<unknown>> = [
      this.reads,
      this.unmappedCodes,
      this.remarks,
      this.missing,
      this.ofKeys
    ]
    const starts = lists.map(({ length }) => length)
    return () => {
      const added = lists.flatMap((list, index) => {
        const some = list.slice(starts[index])
        // Which records are read matters, not how often.
        return some.length === 0 ? [] : [{ list, some: list === this.reads ? [...new Set(some)] : some }]
      })
      return added.length === 0 ? undefined : () => {
        for (const { list, some } of added) for (const one of some) list.push(one)
      }
    }
  }

  /** Returns what discards all that is reported from now on. */
  begin(): () => void {
    const { missing, ofKeys, remarks, unmappedCodes } = this
    const [codes, sent, warnings, made] = [unmappedCodes.length, missing.length, ofKeys.length, remarks.length]
    return () => {
      unmappedCodes.length = codes
      missing.length = sent
      ofKeys.length = warnings
      remarks.length = made
    }
  }
}
