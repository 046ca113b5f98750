import { type Collated, withoutIndexes } from "../collate.ts"
import type { Diagnostic } from "../Diagnostic.ts"
import { originText } from "../Origin.ts"
import { shownFile, spanText } from "../Span.ts"
import { helpOf } from "./helpOf.ts"
import { jsonLine } from "./jsonLine.ts"
import { renderLine } from "./renderLine.ts"

/** One occurrence of a problem in a machine-readable file. An unknown member is `null`. Never holds a value. */
interface ProblemJson {
  readonly code: string
  readonly severity: string
  readonly field: string | null
  readonly message: string
  /** `file:line:col`. */
  readonly mapping: string | null
  readonly source: string | null
  /** `file:line`. */
  readonly origin: string | null
  readonly help: string
}

/** Returns one occurrence in the form of the rejected file. */
export const problemJson = (diagnostic: Diagnostic): ProblemJson => ({
  code: diagnostic.code,
  severity: diagnostic.severity,
  field: diagnostic.field ?? null,
  message: diagnostic.title,
  mapping: mappingOf(diagnostic),
  source: sourceOf(diagnostic),
  origin: diagnostic.origin === undefined ? null : originText(diagnostic.origin),
  help: helpOf(diagnostic).join("\n")
})

/** One kind of problem in the form of the report. */
export interface CollatedJson {
  readonly code: string
  readonly severity: string
  readonly count: number
  readonly visits: number
  /** Without indexes: `vital_signs[].recorded_by`. */
  readonly field: string | null
  readonly mapping: string | null
  readonly first: ProblemJson & {
    readonly visit: string | null
    readonly path: string | null
    readonly facts?: ReadonlyArray<readonly [name: string, text: string]>
    /** A source value and the service's own text, only if values are shown. */
    readonly value?: string
    readonly said?: string
  }
}

export const collatedJson = ({ count, first, visits }: Collated, showValues = false): CollatedJson => ({
  code: first.code,
  severity: first.severity,
  count,
  visits,
  field: first.field === undefined ? null : withoutIndexes(first.field),
  mapping: mappingOf(first),
  first: {
    visit: first.visit ?? null,
    ...problemJson(first),
    path: first.path ?? null,
    ...(first.facts === undefined ? {} : { facts: first.facts }),
    ...(showValues && first.value !== undefined ? { value: first.value } : {}),
    ...(showValues && first.said !== undefined ? { said: first.said } : {})
  }
})

/** Renders one kind of problem as a line of JSON, for `--format json`. `text` is the line that editors can parse. */
export const renderJson = (collated: Collated, time: number): string => {
  const { count, first, visits } = collated
  return jsonLine({
    time,
    level: first.severity,
    code: first.code,
    message: first.title,
    text: renderLine(collated),
    facts: {
      severity: first.severity,
      file: first.mapping === undefined ? null : shownFile(first.mapping.file),
      line: first.mapping?.line ?? null,
      column: first.mapping?.column ?? null,
      visit: first.visit ?? null,
      field: first.field === undefined ? null : count === 1 ? first.field : withoutIndexes(first.field),
      path: first.path ?? null,
      source: sourceOf(first),
      origin: first.origin === undefined ? null : originText(first.origin),
      help: helpOf(first),
      count,
      visits
    }
  })
}

const mappingOf = ({ mapping }: Diagnostic): string | null => mapping === undefined ? null : spanText(mapping)

const sourceOf = ({ origin, source }: Diagnostic): string | null => source ?? (origin?.reference || null)
