import { LongLine } from "./LongLine.ts"

/** Whole lines of a text, or one that is longer than allowed. */
type LineBlock =
  | {
    readonly _tag: "Lines"
    readonly bytes: Buffer
    /** The number of the first line, from 1. */
    readonly line: number
    /** True for the last line, if no line feed follows it. */
    readonly isCut: boolean
  }
  | { readonly _tag: "TooLong"; readonly line: number; readonly gist: LongLine }

/**
 * Splits bytes into blocks of whole lines as they arrive. A line longer than `limit` bytes is returned without its long texts when its end
 * is reached. Memory is limited to one chunk and one line.
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Buffer>,
  limit: number
): AsyncGenerator<LineBlock> {
  let line = 1
  let carry: Array<Buffer> = []
  let carried = 0
  let long: LongLine | undefined
  for await (const chunk of chunks) {
    let from = 0
    if (long !== undefined) {
      const feed = chunk.indexOf(0x0a)
      long.take(feed === -1 ? chunk : chunk.subarray(0, feed))
      if (feed === -1) continue
      yield { _tag: "TooLong", line, gist: long }
      long = undefined
      line++
      from = feed + 1
    }
    if (carried > 0) {
      // Only the line that two chunks share is copied.
      const end = chunk.indexOf(0x0a, from) + 1
      if (end > 0) {
        yield { _tag: "Lines", bytes: Buffer.concat([...carry, chunk.subarray(from, end)]), line, isCut: false }
        carry = []
        carried = 0
        line++
        from = end
      }
    }
    const last = chunk.lastIndexOf(0x0a)
    if (last >= from) {
      const bytes = chunk.subarray(from, last + 1)
      yield { _tag: "Lines", bytes, line, isCut: false }
      line += lineFeedsIn(bytes)
      from = last + 1
    }
    if (from < chunk.length) {
      carry.push(chunk.subarray(from))
      carried += chunk.length - from
    }
    if (carried > limit) {
      long = new LongLine(limit)
      for (const piece of carry) long.take(piece)
      carry = []
      carried = 0
    }
  }
  if (long !== undefined) yield { _tag: "TooLong", line, gist: long }
  if (carried > 0) yield { _tag: "Lines", bytes: Buffer.concat(carry), line, isCut: true }
}

const lineFeedsIn = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++
  return count
}
