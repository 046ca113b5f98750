/** The lines that a change takes away (`- `) and adds (`+ `), in their order. */
export const lineDiff = (before: string, after: string): ReadonlyArray<string> => {
  const [one, other] = [before.split("\n"), after.split("\n")]
  // Lengths of the longest common subsequences of the remaining lines.
  const width = other.length + 1
  const common = new Uint32Array((one.length + 1) * width)
  for (let at = one.length - 1; at >= 0; at--) {
    for (let to = other.length - 1; to >= 0; to--) {
      common[at * width + to] = one[at] === other[to]
        ? common[(at + 1) * width + to + 1]! + 1
        : Math.max(common[(at + 1) * width + to]!, common[at * width + to + 1]!)
    }
  }
  const lines: Array<string> = []
  let [at, to] = [0, 0]
  while (at < one.length || to < other.length) {
    if (at < one.length && to < other.length && one[at] === other[to]) {
      at++
      to++
    } else if (
      at < one.length && (to === other.length || common[(at + 1) * width + to]! >= common[at * width + to + 1]!)
    ) lines.push(`- ${one[at++]}`)
    else lines.push(`+ ${other[to++]}`)
  }
  return lines
}
