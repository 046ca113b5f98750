import type { ProblemCode } from "./Problem.ts"

/** The codes that problems had before, with their codes now. Journals, reports, facility files and case pages can hold them. */
const renamed: Readonly<Record<string, ProblemCode>> = {
  "stand-in": "substitute-value",
  "left-out": "dropped-record",
  "refused-otherwise": "refused-other"
}

/** Returns the code that a problem has now if it was renamed. */
export const renamedCode = (code: string): ProblemCode | undefined =>
  Object.hasOwn(renamed, code) ? renamed[code] : undefined

/** Returns the code that a problem has now. An unknown code is returned unchanged. */
export const currentCode = (code: string): string => renamedCode(code) ?? code

/** Returns counts of problems under the codes that these have now. */
export const underCurrentCodes = (
  counts: ReadonlyArray<readonly [code: string, count: number]>
): ReadonlyArray<readonly [code: string, count: number]> => counts.map(([code, count]) => [currentCode(code), count])

export const renamedTitle = (code: string, now: ProblemCode): string =>
  `the problem code \`${code}\` was renamed to \`${now}\``
