import type { Diagnostic } from "./Diagnostic.ts"

/** As a file is read: the files in the order in which they were first met, and of each the problems from top to bottom. */
export const inLineOrder = (problems: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const files = [...new Set(problems.map(({ mapping }) => mapping?.file))]
  return problems.toSorted((one, other) =>
    files.indexOf(one.mapping?.file) - files.indexOf(other.mapping?.file) ||
    (one.mapping?.line ?? 0) - (other.mapping?.line ?? 0) ||
    (one.mapping?.column ?? 0) - (other.mapping?.column ?? 0)
  )
}
