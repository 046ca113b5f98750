import { type Collated, withoutIndexes } from "./collate.ts"
import type { Diagnostic } from "./Diagnostic.ts"
import { helpOf } from "./helpOf.ts"
import { renderLine } from "./renderLine.ts"

/** One occurrence of a problem in a file that machines read. A member that is not known is `null`. Never holds a value. */
export interface ProblemJson {
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

/** One occurrence, as the rejected file has it. */
export const problemJson = (diagnostic: Diagnostic): ProblemJson => ({
  code: diagnostic.code,
  severity: diagnostic.severity,
  field: diagnostic.field ?? null,
  message: diagnostic.title,
  mapping: mappingOf(diagnostic),
  source: sourceOf(diagnostic),
  origin: diagnostic.origin === undefined ? null : `${diagnostic.origin.file}:${diagnostic.origin.line}`,
  help: helpOf(diagnostic).join("\n")
})

/** One fault, as the report has it. */
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
    /** A value of the source, and the service's own words: only where values are shown. */
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

/** One fault as a line of JSON, for `--format json`. `text` is the line an editor understands. */
export const renderJson = (collated: Collated): string => {
  const { count, first, visits } = collated
  return JSON.stringify({
    text: renderLine(collated),
    code: first.code,
    severity: first.severity,
    message: first.title,
    file: first.mapping?.file ?? null,
    line: first.mapping?.line ?? null,
    column: first.mapping?.column ?? null,
    visit: first.visit ?? null,
    field: first.field === undefined ? null : count === 1 ? first.field : withoutIndexes(first.field),
    path: first.path ?? null,
    source: sourceOf(first),
    origin: first.origin === undefined ? null : `${first.origin.file}:${first.origin.line}`,
    help: helpOf(first),
    count,
    visits
  })
}

const mappingOf = ({ mapping }: Diagnostic): string | null =>
  mapping === undefined ? null : `${mapping.file}:${mapping.line}:${mapping.column}`

const sourceOf = ({ origin, source }: Diagnostic): string | null => source ?? (origin?.reference || null)
