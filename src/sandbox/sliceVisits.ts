/**
 * The text of each element of the top-level `visits` array, exactly as it was received. The text must be JSON that parses; of a key
 * that occurs twice the last one counts, as it does in `JSON.parse`.
 */
export const sliceVisits = (json: string): ReadonlyArray<string> => {
  let at = 0

  const skipSpace = (): void => {
    while (at < json.length && json.charCodeAt(at) <= 32) at++
  }
  const skipString = (): void => {
    at++
    while (json[at] !== "\"") at += json[at] === "\\" ? 2 : 1
    at++
  }
  /** Moves past one value; nesting is counted, not recursed into. */
  const skipValue = (): void => {
    let depth = 0
    do {
      skipSpace()
      const character = json[at]
      if (character === "\"") skipString()
      else if (character === "{" || character === "[") {
        depth++
        at++
      } else if (character === "}" || character === "]") {
        depth--
        at++
      } else if (character === "," || character === ":") at++
      else while (at < json.length && !/[\s,:{}[\]"]/u.test(json[at]!)) at++
      if (depth > 0) skipSpace()
    } while (depth > 0 && at < json.length)
  }

  let slices: Array<string> = []
  skipSpace()
  if (json[at] !== "{") return slices
  at++
  for (;;) {
    skipSpace()
    if (json[at] === "}" || at >= json.length) return slices
    if (json[at] === ",") {
      at++
      continue
    }
    const start = at
    skipString()
    const key: unknown = JSON.parse(json.slice(start, at))
    skipSpace()
    at++
    skipSpace()
    if (key !== "visits" || json[at] !== "[") {
      if (key === "visits") slices = []
      skipValue()
      continue
    }
    slices = []
    at++
    for (;;) {
      skipSpace()
      if (json[at] === "]") {
        at++
        break
      }
      if (json[at] === ",") {
        at++
        continue
      }
      const from = at
      skipValue()
      slices.push(json.slice(from, at))
    }
  }
}
