import type { ReadProblem, SearchPage } from "./RecordExtractor.ts"

/** Pages of searches that others lead to and that are not there. Servers may call a page otherwise than the link to it: then their number counts. */
export const missingPages = (pages: ReadonlyArray<SearchPage>): ReadonlyArray<ReadProblem> => {
  const there = new Set(pages.map(({ self }) => self))
  const named = new Set(pages.map(({ next }) => next))
  const open = pages.filter(({ next }) => next !== undefined && !there.has(next))
  const unnamed = pages.filter(({ follows, self }) => follows && !named.has(self))
  return open.length <= unnamed.length ? [] : open.map(({ origin, types }): ReadProblem => ({
    _tag: "Problem",
    diagnostic: {
      code: "unreadable-input",
      severity: "error",
      title: "a page of a search says that another one follows, which is not in the input",
      origin,
      help: ["add the other pages: they may hold records of the same visits", "or leave this one out"]
    },
    lost: types.map((type) => ({ type, names: [], references: [] })),
    cut: true
  }))
}
