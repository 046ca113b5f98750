import type { Collated } from "../collate.ts"
import type { Diagnostic } from "../Diagnostic.ts"
import { originText } from "../Origin.ts"
import { spanText } from "../Span.ts"
import { printable } from "./printable.ts"

/**
 * Renders one kind of problem on one line, for editors and `grep`: `file:line:col: severity[code]: text (412×, first Observation/9f2c1a
 * in.ndjson:12, V1 › soaps[0].plan)`. The location is the mapping's, or the record's if there is none.
 */
export const renderLine = ({ count, first }: Collated): string => {
  const what = `${first.severity}[${first.code}]: ${printable(first.title)}`
  const notes = [
    ...(first.label === undefined ? [] : [printable(first.label)]),
    ...(count > 1 ? [`${count}×`] : []),
    ...recordIn(first, count),
    ...whereIn(first)
  ]
  const place = placeOf(first)
  return `${place === undefined ? "" : `${printable(place)}: `}${what}${
    notes.length === 0 ? "" : ` (${notes.join(", ")})`
  }`
}

/** Formats the first record, with its line if the line shows a place in the mapping. */
const recordIn = ({ mapping, origin, source }: Diagnostic, count: number): ReadonlyArray<string> => {
  const place = mapping === undefined || origin === undefined ? [] : [originText(origin)]
  const words = [...(source === undefined ? [] : [source]), ...place].map(printable)
  return words.length === 0 ? [] : [[...(count > 1 ? ["first"] : []), ...words].join(" ")]
}

/** Formats the visit and its field. */
const whereIn = ({ field, visit }: Diagnostic): ReadonlyArray<string> => {
  // The text already names a field of the visit itself.
  const isNamed = visit === undefined && field?.includes(".") !== true
  return isNamed ? [] : [[visit ?? [], field ?? []].flat().map(printable).join(" › ")]
}

/** Formats the `file:line:col` of the mapping or setting, or of the record if there is none. */
const placeOf = ({ mapping, origin }: Diagnostic): string | undefined => {
  if (mapping !== undefined) return spanText(mapping)
  return origin === undefined ? undefined : `${origin.file}:${origin.line}:1`
}
