import type { ReadProblem, SearchPage } from "./ReadItem.ts"

/**
 * Returns pages of searches whose next page is missing, or whose previous one. If a server names a page differently than the link to it,
 * the numbers of unmatched links and pages decide.
 */
export const missingPages = (pages: ReadonlyArray<SearchPage>): ReadonlyArray<ReadProblem> => {
  const ownAddresses = new Set(pages.map(({ self }) => self))
  const nextAddresses = new Set(pages.map(({ next }) => next))
  const open = pages.filter(({ next }) => next !== undefined && !ownAddresses.has(next))
  const unlinked = pages.filter(({ follows, self }) => follows && !nextAddresses.has(self))
  const [which, incomplete] = open.length > unlinked.length ? ["next", open] : ["previous", unlinked]
  return open.length === unlinked.length ? [] : incomplete.map(({ origin, types }): ReadProblem => ({
    _tag: "Problem",
    diagnostic: {
      code: "unreadable-input",
      severity: "error",
      title: `the ${which} page of a search is not in the input`,
      origin,
      help: ["add the other pages: they may have records of the same visits", "or remove this one"]
    },
    lost: types.map((type) => ({ type, names: [], references: [] })),
    cut: true
  }))
}
