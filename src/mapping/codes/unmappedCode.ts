import { shown } from "../../diagnostic/shown.ts"
import { severalCodesHelp } from "../../visit/values/icd10.ts"
import { quoteKey } from "../language/quoteKey.ts"
import type { ConceptMap, SourceCode } from "./ConceptMap.ts"
import { knownValuesOf } from "./knownValues.ts"

/** A code that a concept map does not contain, with what adds it. */
export const unmappedCode = (
  { list, name: map, rows, values }: Pick<ConceptMap, "name"> & Partial<Pick<ConceptMap, "list" | "rows" | "values">>,
  mode: "reject" | "warn",
  source: SourceCode
) => ({
  code: "unmapped-code",
  severity: mode === "reject" ? "error" : "warning",
  title: `the concept map \`${map}\` does not contain a code of the source`,
  ...(source.words === true ? { value: shown(source.code) } : {}),
  facts: [
    ["code", nameOf(source)],
    ["policy", mode === "reject" ? "reject: the visit is not sent" : "warn: this code gives no value"]
  ],
  help: helpFor({ map, rows, values: rows === undefined ? [] : knownValuesOf({ rows, list, values }) }, source)
} as const)

const helpFor = (
  { map, rows, values }: {
    readonly map: string
    readonly rows: ConceptMap["rows"] | undefined
    /** Its values, if it has few and no list of the service. */
    readonly values: ReadonlyArray<string>
  },
  { code, system, words }: SourceCode
): ReadonlyArray<string> => {
  // One row of a concept map gives one value: the other codes of the text would be lost.
  const several = words === true ? undefined : severalCodesHelp(code)
  return several !== undefined ? [several] : [
    `add a row under  conceptMap: ${map}: table:   for example  ${
      words === true
        ? "\"THE WORDS\""
        : quoteKey(rows?.has(code) === true && system !== null ? `${system}|${code}` : code)
    }: …`,
    `or fill in its line of the facility's table \`${map}\`;  fhir2visit codes unmapped INPUT -o TABLES  writes it`,
    values.length > 0
      ? `known values:  ${values.join(", ")}`
      : "fhir2visit mapping fix INPUT --only row  adds the rows whose text is a name in the service's list"
  ]
}

const nameOf = ({ code, system, words }: SourceCode): string =>
  words === true ? "none, only words" : system === null ? code : `${code}  in ${system}`
