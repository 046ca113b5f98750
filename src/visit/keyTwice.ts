/**
 * Returns the position of the first repeated key of an object in a JSON text, in characters from its start; `undefined` if there is none.
 * `value` is the parsed text: it holds a repeated key only once. Counting keys therefore shows for most texts that none is repeated.
 */
export const keyTwice = (text: string, value: unknown): number | undefined =>
  text.includes("\\u0022") || keyEnds(text) !== keyEnds(JSON.stringify(value)) ? search(text) : undefined

const keyEnds = (text: string): number => {
  let count = 0
  for (const _ of text.matchAll(/"\s*:/g)) count++
  return count
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs

const search = (text: string): number | undefined => {
  /** The keys of the enclosing objects; `null` for an array. */
  const around: Array<Set<string> | null> = []
  let last: { readonly at: number; readonly text: string } | undefined
  for (const { 0: found, index: at } of text.matchAll(token)) {
    if (found === "{") around.push(new Set())
    else if (found === "[") around.push(null)
    else if (found === "}" || found === "]") around.pop()
    else if (found !== ":") last = { at, text: found }
    else if (last !== undefined) {
      // `last` is a text, because every other token is handled above.
      const key = JSON.parse(last.text) as string
      const keys = around.at(-1)
      if (keys?.has(key) === true) return last.at
      keys?.add(key)
    }
  }
  return undefined
}
