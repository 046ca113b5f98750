import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { listIndex } from "../src/facility/lists/listIndex.ts"
import { standardData } from "../src/service/sandbox/data/standardData.ts"
import { suggestionsFor } from "../src/studio/codes/suggestions.ts"
import { type ReferenceListType, referenceListTypes } from "../src/visit/Field.ts"

/**
 * Measures the suggestions of `codes unmapped` with names, synonyms, abbreviations, words of other languages and near misses. Each has
 * the value that a medical coder would choose, or `-` if the list has none. Diagnoses are looked up in the embedded service's invented
 * list and in titles of ICD-10. `npm run bench:suggestions` prints the shares, and every pair whose value is not suggested first.
 */
interface Pair {
  readonly list: ReferenceListType
  readonly display: string | null
  readonly code: string
  readonly expected: ReadonlyArray<string>
}

interface Outcome extends Pair {
  readonly found: ReadonlyArray<{ readonly value: string; readonly score: number }>
}

const rows = (name: string): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(join(import.meta.dirname, "suggestions", name), "utf8").trimEnd().split("\n").map((line) =>
    line.split("\t")
  )

export const measureSuggestions = () => {
  const more = rows("icd10.tsv").map(([code, name]) => ({ code, name }))
  const indexes = new Map<ReferenceListType, ReturnType<typeof listIndex>>()
  const outcomes = rows("pairs.tsv").map(([list = "", display = "", code = "", expected = ""]): Outcome => {
    const type = referenceListTypes.find((one) => one === list)
    if (type === undefined) throw new Error(`there is no list ${list}`)
    const items = type === "diagnoses" ? [...standardData[type], ...more] : standardData[type]
    const index = indexes.get(type) ?? listIndex(type, items)
    indexes.set(type, index)
    const pair = { list: type, display: display === "" ? null : display, code, expected: expected.split("/") }
    return { ...pair, found: suggestionsFor({ code, display: pair.display }, index, type) }
  })
  const known = outcomes.filter(({ expected }) => expected[0] !== "-")
  const within = (max: number) =>
    known.filter(({ expected, found }) => found.slice(0, max).some(({ value }) => expected.includes(value))).length
  const sure = outcomes.flatMap((one) =>
    one.found.filter(({ score }) => score >= 0.9).map((found) => ({ ...one, found }))
  )
  return {
    pairs: outcomes.length,
    /** Pairs with a right value in the list; of these, those with the right value first, or among three. */
    known: known.length,
    first: within(1),
    three: within(3),
    /** Suggestions with a score of at least 0.9; of these, the right ones. */
    sure: sure.length,
    right: sure.filter(({ expected, found }) => expected.includes(found.value)).length,
    wrong: sure.filter(({ expected, found }) => !expected.includes(found.value)),
    missed: known.filter(({ expected, found }) => found[0] === undefined || !expected.includes(found[0].value))
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { first, known, missed, pairs, right, sure, three, wrong } = measureSuggestions()
  const share = (part: number, whole: number): string => `${part} of ${whole}   ${((100 * part) / whole).toFixed(1)} %`
  console.log(`${pairs} pairs, ${known} with a right value in the list`)
  console.log(`right value first        ${share(first, known)}`)
  console.log(`right value among three  ${share(three, known)}`)
  console.log(`right with a score of at least 0.9   ${share(right, sure)}`)
  for (const { code, display, expected, found } of wrong) {
    console.log(
      `  wrong   ${display ?? code}   expected ${expected.join(" or ")}   ${found.value} ${found.score.toFixed(2)}`
    )
  }
  for (const { code, display, expected, found } of missed) {
    console.log(
      `  missed  ${display ?? code}   expected ${expected.join(" or ")}   ${
        found.map(({ score, value }) => `${value} ${score.toFixed(2)}`).join(", ")
      }`
    )
  }
}
