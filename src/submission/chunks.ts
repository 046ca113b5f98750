/** Yields the items in groups of `size`, the last one smaller. */
export function* chunks<A>(items: Iterable<A>, size: number): Generator<ReadonlyArray<A>> {
  let group: Array<A> = []
  for (const item of items) {
    if (group.push(item) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
