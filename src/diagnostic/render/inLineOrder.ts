import type { Diagnostic } from "../Diagnostic.ts"

/** Sorts problems in reading order: files in order of first appearance, and each file from top to bottom. */
export const inLineOrder = (problems: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const files = [...new Set(problems.map(({ mapping }) => mapping?.file))]
  return problems.toSorted((one, other) =>
    files.indexOf(one.mapping?.file) - files.indexOf(other.mapping?.file) ||
    (one.mapping?.line ?? 0) - (other.mapping?.line ?? 0) ||
    (one.mapping?.column ?? 0) - (other.mapping?.column ?? 0)
  )
}
