import { Clock, Effect } from "effect"
import { userInfo } from "node:os"
import { dirname, join } from "node:path"
import { shownFile } from "../../../diagnostic/Span.ts"
import type { ListRow } from "../../../facility/lists/listIndex.ts"
import { TextIndex } from "../../../facility/lists/TextIndex.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { knownValuesOf } from "../../../mapping/codes/knownValues.ts"
import type { TableRow } from "../../../mapping/tables/csvTable.ts"
import type { CountedCode } from "../../../run/Conversion.ts"
import { readWorklist } from "../../../studio/codes/readWorklist.ts"
import { suggestionsFor } from "../../../studio/codes/suggestions.ts"
import { learn, worklistCsv } from "../../../studio/codes/worklist.ts"
import type { AcceptedCode, CodeView, KeptCase } from "../../../studio/viewer/bench/Wire.ts"
import type { GoodMapping } from "../../../studio/workbench/disk/Applied.ts"
import { fileName, indexOf } from "../../codes/worklists.ts"
import { makeOutputFolder, writeWhole } from "../../files/WholeFile.ts"
import { near } from "../../PipelineApi.ts"
import { titleOfFailure } from "../../screen/explainFailure.ts"

/** The folder of the facility's code tables (default: `tables` next to `facility.yaml`). */
const folderOf = ({ facility }: GoodMapping): string | undefined => {
  const [table] = facility.tables
  if (table !== undefined) return dirname(near(table.file))
  return facility.file === null ? undefined : join(dirname(near(facility.file)), "tables")
}

const indexFor = (good: GoodMapping, table: string) => {
  const map = good.checked.plan.conceptMaps.get(table)
  return indexOf(good.facility, map?.list, map && knownValuesOf(map))
}

const listOf = ({ checked }: GoodMapping, table: string) => checked.plan.conceptMaps.get(table)?.list

/** Returns the unmapped codes of each table, those that block most visits first, then the rows that are accepted already. */
export const codesToFill = Effect.fnUntraced(function*(unmapped: ReadonlyArray<CountedCode>, good: GoodMapping) {
  const folder = folderOf(good)
  const views: Array<CodeView> = []
  for (
    const table of new Set([
      ...unmapped.map((code) => code.table),
      ...good.facility.tables.flatMap(({ isUnread, name }) => (isUnread === true ? [] : [name]))
    ])
  ) {
    const list = listOf(good, table)
    const rows = folder === undefined ? [] : (yield* readWorklist(join(folder, fileName(table)))).rows
    const done = rows.filter(({ value }) => value.text !== "")
    const index = (yield* indexFor(good, table)) ?? new TextIndex<ListRow>()
    learn(index, done)
    for (const { blocked, code, display, system, visits } of unmapped.filter((one) => one.table === table)) {
      const suggestions = suggestionsFor({ code, display, system }, index, list)
      const row = { table, system: system ?? "", code, display: display ?? "" }
      views.push({ ...row, visits, blocked, suggestions, value: "", acceptedBy: "" })
    }
    for (const { acceptedBy, code, display, system, value } of done) {
      const row = { table, system, code: code.text, display, value: value.text, acceptedBy }
      views.push({ ...row, visits: 0, blocked: 0, suggestions: [] })
    }
  }
  return views.toSorted((one, other) => other.blocked - one.blocked || other.visits - one.visits)
})

/** Writes an accepted value into the worklist of its table, with the user and the day. */
export const acceptCode = (
  { code, display, system, table, value }: AcceptedCode,
  unmapped: ReadonlyArray<CountedCode>,
  good: GoodMapping
) =>
  Effect.gen(function*(): Effect.gen.Return<KeptCase, unknown, Effect.Services<ReturnType<typeof readWorklist>>> {
    const folder = folderOf(good)
    if (folder === undefined) return { problem: "Only a facility has code tables. `fhir2visit init FOLDER` makes one." }
    const file = join(folder, fileName(table))
    const { problems, rows } = yield* readWorklist(file)
    const [problem] = problems
    if (problem !== undefined) return { problem: `${problem.title}: correct it first.` }
    const day = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
    const placed = (text: string) => ({ text, span: { file, line: 1, column: 1, endColumn: 2 } })
    const row: TableRow = {
      code: placed(code),
      system,
      display,
      value: placed(value),
      acceptedBy: value === "" ? "" : `${userInfo().username} ${day}`
    }
    const others = rows.filter((one) => one.code.text !== code || one.system !== system)
    const list = listOf(good, table)
    const codes = unmapped.filter((one) => one.table === table)
    yield* makeOutputFolder(folder)
    yield* writeWhole(file, worklistCsv(codes, yield* indexFor(good, table), [...others, row], list))
    const { tables } = yield* readFacility(good.facility.file ?? undefined)
    return tables.some(({ name }) => name === table)
      ? { file: shownFile(file) }
      : { problem: `Written to \`${shownFile(file)}\`. Name the folder in facility.yaml:  tables: tables` }
  }).pipe(
    Effect.catch((error) =>
      Effect.promise(async (): Promise<KeptCase> => ({
        problem: `The row is not saved: ${await titleOfFailure(error)}`
      }))
    )
  )
