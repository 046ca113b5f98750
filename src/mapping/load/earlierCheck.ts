import { addInferences, allInferences, countInferences, type Inferences } from "../check/expressions/keptInferences.ts"
import type { Syntax } from "../language/MappingSyntax.ts"
import { addParsed, parsedData } from "../language/parseYaml.ts"
import { keep, readKept, readLast } from "../planCache.ts"

/** What the check of a mapping keeps for the check after an edit. */
interface EarlierCheck {
  /** The files that were parsed. */
  readonly files: ReadonlyArray<{ readonly file: string; readonly text: string; readonly syntax: Syntax }>
  readonly inferences: Inferences
}

/** From this many new inferences, it takes longer to make them again than to keep them. */
const leastNew = 50

/** About five times what the largest shipped mapping has. If there are more, the next check makes those that it needs again. */
const maxInferences = 20_000

/**
 * Takes what an earlier check of a mapping found, so that this one checks only what has changed. The first check of a mapping takes what the
 * last check of another found, which usually extends the same base. It depends on nothing but the texts from which it was made. Returns a
 * function that keeps what this check found, if that is much more.
 */
export const takeEarlierCheck = (file: string): (texts: ReadonlyMap<string, string>) => void => {
  const request = { file }
  // Only the function below writes an entry of this kind, and the cache checks that this program did.
  const kept = (readKept(request, "check") ?? readLast("check")) as EarlierCheck | undefined
  for (const { file, syntax, text } of kept?.files ?? []) addParsed(file, text, syntax)
  addInferences(kept?.inferences ?? new Map())
  const before = countInferences()
  return (texts) => {
    if (kept !== undefined && countInferences() - before < leastNew) return
    keep(request, [], (): EarlierCheck => ({
      files: [...texts].flatMap(([file, text]) => {
        const syntax = parsedData(file, text)
        return syntax === undefined ? [] : [{ file, text, syntax }]
      }),
      inferences: countInferences() > maxInferences ? new Map() : allInferences()
    }), "check")
  }
}
