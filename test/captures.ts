import { at } from "../src/at.ts"
import { present } from "./present.ts"

/** The text of the first group of a pattern, which must match. */
export const capture = (text: string, pattern: RegExp): string => present(pattern.exec(text)?.[1])

/** The text of the first group in each match of a pattern. */
export const captures = (text: string, pattern: RegExp): Array<string> =>
  [...text.matchAll(pattern)].map((match) => at(match, 1))
