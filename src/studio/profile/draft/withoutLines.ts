const indentOf = (line: string): number => line.length - line.trimStart().length
const isComment = (line: string | undefined): boolean => line?.trimStart().startsWith("#") ?? false

/**
 * Returns a draft without some of its lines (the first is 1). What is below them goes too, and so do the comments above them, and the keys above
 * them that would have nothing. Also returns those lines. Lines of the head have no key above them, and stay.
 */
export const withoutLines = (
  draft: string,
  numbers: Iterable<number>
): { readonly text: string; readonly removed: ReadonlyArray<string> } => {
  const lines: Array<string | undefined> = draft.split("\n")
  const removed: Array<string> = []
  const remove = (at: number): void => {
    const line = lines[at]
    if (line === undefined) return
    lines[at] = undefined
    const indent = indentOf(line)
    for (let below = at + 1; below < lines.length; below++) {
      const other = lines[below]
      if (other === undefined) continue
      if (other.trim() === "" || indentOf(other) <= indent) break
      lines[below] = undefined
    }
    let above = at - 1
    for (; above >= 0 && (lines[above] === undefined || isComment(lines[above])); above--) lines[above] = undefined
    const parent = lines[above]
    const next = lines.slice(at).find((one) => one !== undefined && !isComment(one))
    if (
      parent !== undefined && parent.endsWith(":") && indentOf(parent) < indent
      && (next === undefined || next.trim() === "" || indentOf(next) <= indentOf(parent))
    ) remove(above)
  }
  for (const number of numbers) {
    const line = lines[number - 1]
    if (line === undefined || indentOf(line) === 0) continue
    removed.push(line.trim())
    remove(number - 1)
  }
  return { text: lines.filter((line) => line !== undefined).join("\n"), removed }
}
