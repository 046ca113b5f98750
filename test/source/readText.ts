import { Effect, Stream } from "effect"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { readInput } from "../../src/source/read/readInput.ts"
import type { ReadOptions } from "../../src/source/read/readInput.ts"
import type { ReadItem } from "../../src/source/read/ReadItem.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"

/** What was read, sorted by kind. */
export interface Read {
  readonly records: ReadonlyArray<SourceRecord>
  readonly problems: ReadonlyArray<Diagnostic>
  readonly items: ReadonlyArray<ReadItem>
}

export const sortedByKind = (items: ReadonlyArray<ReadItem>): Read => ({
  items,
  records: items.flatMap((item) => (item._tag === "Record" ? [item.record] : [])),
  problems: items.flatMap((item) => (item._tag === "Problem" ? [item.diagnostic] : []))
})

/** Reads a text or bytes as standard input, in chunks of `chunk` bytes. */
export const readText = (content: string | Uint8Array, options: ReadOptions = {}, chunk = 64 * 1024) => {
  const bytes = Buffer.from(content)
  const standardInput = async function*(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  }
  return readInput({ _tag: "StandardInput", name: "-", named: true }, { ...options, standardInput }).pipe(
    Stream.runCollect,
    Effect.map(sortedByKind)
  )
}

/** `Patient/1 :3`: what a record is called and its line. */
export const places = ({ records }: Read): ReadonlyArray<string> =>
  records.map(({ origin }) => `${origin.reference} :${origin.line}`)

/** `error not-a-resource :3`. */
export const faults = ({ problems }: Read): ReadonlyArray<string> =>
  problems.map(({ code, origin, severity }) => `${severity} ${code} :${origin?.line}`)
