import { Effect, Option } from "effect"
import type { Input } from "../../../source/read/findInputs.ts"
import type { CaseView } from "../../viewer/bench/Wire.ts"
import { describeVisit } from "../describeVisit.ts"
import type { MappedVisits } from "../MappedVisits.ts"
import { caseOfVisit, recordsOfCase } from "./caseOfVisit.ts"
import { readRowsOf } from "./caseRows.ts"

/** A case whose expected results were filled in. `why` is why it cannot be a case, if it cannot. */
export interface FilledCase {
  readonly text: string
  readonly problems: ReadonlyArray<string>
  readonly why: string | null
}

/** Makes a case of a visit, with identities replaced, and compares its problems with those of the visit. `undefined` if no such visit is made. */
export const describeCase = Effect.fnUntraced(function*<R>(
  visits: MappedVisits,
  { key, name }: { readonly key: string; readonly name: string },
  inputs: ReadonlyArray<Input>,
  fillCase: (page: string) => Effect.Effect<FilledCase, never, R>
) {
  const { applied, made, read } = visits
  const group = applied?.groups.get(key)
  if (applied === undefined || group === undefined) return undefined
  const records = recordsOfCase(applied, group)
  const files = yield* Effect.option(readRowsOf(inputs, records, applied.mapping.checked.plan.tables))
  if (Option.isNone(files)) return { text: "", differing: [], why: "A file of its rows cannot be read." }
  const { problems, text, why } = yield* fillCase(caseOfVisit(applied, group, { name, records, files: files.value }))
  const lines = new Set(records.map(({ origin: { file, line } }) => `${file}:${line}`))
  const ofRecords = (read?.problems ?? []).filter(({ origin }) => lines.has(`${origin?.file}:${origin?.line}`))
  const inVisit = new Set(
    [...describeVisit(applied, key, made)?.problems ?? [], ...ofRecords].map(({ code, field, source }) =>
      withoutId(`${code} ${field ?? source ?? ""}`.trimEnd())
    )
  )
  const inCase = new Set(problems.map(withoutId))
  // A case has no records that could not be read.
  const differing = [...inCase.symmetricDifference(inVisit)].filter((line) =>
    !line.startsWith("null-field") && !line.startsWith("incomplete-visit")
  )
  const view: CaseView = { text, differing, why }
  return view
})

/** Ids are replaced, so a problem of a record is compared without its id. */
const withoutId = (line: string): string => line.replace(/^(\S+ [^\s/.[]+)\/.*$/u, "$1")
