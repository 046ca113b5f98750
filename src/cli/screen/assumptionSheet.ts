import { number, plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { originText } from "../../diagnostic/Origin.ts"
import { columns } from "../../diagnostic/render/columns.ts"
import type { Assumption } from "../../mapping/MappingPlan.ts"
import { guarded } from "../../source/tables/cells/formulaGuard.ts"
import { writeCsv } from "../../source/tables/rows/writeCsv.ts"
import type { TablesJson } from "../../studio/viewer/PageData.ts"
import { type CountedAssumption, lineText } from "./countedAssumptions.ts"

/** An assumption to decide: its meaning, the number of visits that it concerns, and one example. */
export interface SheetRow extends CountedAssumption, Pick<Assumption, "instead" | "hash"> {
  /** Why, by whom and when it was accepted; empty if it is undecided. */
  readonly accept: string
  /** A record and its field, without values; empty if it is accepted already. */
  readonly example: string
}

export interface Sheet {
  readonly mapping: string
  readonly visits: number
  readonly rows: ReadonlyArray<SheetRow>
  /** Number of assumptions of the mapping that concern no visit of the input. */
  readonly unseen: number
}

export const sheetOf = (
  counted: ReadonlyArray<CountedAssumption>,
  assumptions: ReadonlyMap<string, Assumption>,
  examples: ReadonlyMap<string, Diagnostic>
): ReadonlyArray<SheetRow> =>
  counted.flatMap((one) => {
    const assumption = assumptions.get(one.name)
    if (assumption === undefined) return []
    const { accepted, hash, instead } = assumption
    const example = examples.get(one.name)
    return [{
      ...one,
      // Several lines can make one assumption. The line that made the example is shown with it.
      ...(example?.mapping === undefined ? {} : { mapping: lineText(example.mapping) }),
      instead,
      hash,
      accept: accepted === undefined || accepted.isStale ? "" : accepted.why,
      example: example === undefined ? "" : placeOf(example)
    }]
  })

const placeOf = ({ field, origin, path, source }: Diagnostic): string =>
  [field, source, origin === undefined ? undefined : originText(origin), path].filter(Boolean).join("   ")

const shortLine = (mapping: string): string => mapping.replace(/:\d+$/u, "")

/** For people at a terminal. */
export const sheetText = ({ mapping, rows, unseen, visits }: Sheet): string =>
  [
    `${mapping}   ${plural(visits, "visit")}`,
    ...rows.map((row) => {
      const lines: ReadonlyArray<readonly [string, string]> = [
        ["means", row.means],
        ["instead", row.instead],
        ["line", shortLine(row.mapping)],
        ...(row.example === "" ? [] : [["for example", row.example] as const]),
        ["decision", row.accept === "" ? `to decide: the ${row.ask}` : `accepted: ${row.accept}`]
      ]
      return [
        `\n${number(row.visits)} ${row.visits === 1 ? "visit" : "visits"}   ${row.name}`,
        ...columns(lines).map((line) => `  ${line}`)
      ].join("\n")
    }),
    ...(rows.length === 0 ? ["\nno visit of this input is made under an assumption"] : []),
    ...(unseen === 0 ? [] : [`\n${plural(unseen, "other assumption")} of the mapping: in no visit of this input`])
  ].join("\n")

/** The field of an example, and its line without the folder. */
const shortExample = (example: string): ReadonlyArray<string> => {
  const [field = "", ...others] = example.split("   ")
  return [field, ...others.flatMap((one) => /[^/]+:\d+$/u.exec(one) ?? [])].filter((one) => one !== "")
}

/** For a meeting. No value of a record is in it. */
export const sheetTables = ({ mapping, rows, unseen, visits }: Sheet): TablesJson => {
  const part = (id: string, title: string, some: ReadonlyArray<SheetRow>, decision: ReadonlyArray<string> = []) => ({
    id,
    title,
    heads: ["Visits", "What is done", "What could be done instead", "Line, and an example", ...decision],
    rows: some.map((row) => [
      row.visits,
      `${row.means}\n\`${row.name}\``,
      row.instead,
      [shortLine(row.mapping), ...shortExample(row.example)].map((line) => `\`${line}\``).join("\n"),
      ...decision.map(() => row.accept)
    ])
  })
  const open = rows.filter(({ accept }) => accept === "")
  return {
    title: "Assumptions to decide",
    lead: `\`${mapping}\`, ${plural(visits, "visit")}`,
    parts: [
      part("hospital", "The hospital decides", open.filter(({ ask }) => ask === "hospital")),
      part("operator", "The operator decides", open.filter(({ ask }) => ask === "operator")),
      part("accepted", "Accepted", rows.filter(({ accept }) => accept !== ""), ["Decision"])
    ],
    notes: `No value of a record is in this page.${
      unseen === 0 ? "" : ` ${plural(unseen, "other assumption")} of the mapping: in no visit of this input.`
    }`
  }
}

const sheetColumns = [
  "visits",
  "name",
  "means",
  "instead",
  "ask",
  "mapping",
  "example",
  "hash",
  "accept"
] as const

/** The columns to fill in: `accept` (why, who, when) is read back. */
export const sheetCsv = ({ rows }: Sheet): string =>
  writeCsv([
    sheetColumns,
    ...rows.map((row) => sheetColumns.map((name) => name === "visits" ? String(row.visits) : guarded(row[name])))
  ])
