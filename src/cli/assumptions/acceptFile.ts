import { Effect, Result } from "effect"
import { dirname, join } from "node:path"
import { isMap, parseDocument } from "yaml"
import type { Facility } from "../../facility/Facility.ts"
import { acceptancesFile } from "../../facility/readFacility.ts"
import { refusesAssumption } from "../../mapping/assumptions/refusesAssumption.ts"
import type { Assumption } from "../../mapping/MappingPlan.ts"
import { columnName, delimiterOf, readCsvCells } from "../../mapping/tables/csvCells.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { unguarded } from "../../source/tables/cells/formulaGuard.ts"
import { writeWhole } from "../files/WholeFile.ts"
import { UsageError } from "../UsageError.ts"
import { type Answer, type OpenPoint, writeAnswers } from "./operatorQuestions.ts"

interface Filled extends Answer {
  readonly hash: string
}

/**
 * Reads a filled sheet back into the facility's `assumptions.yaml`: each row with a text under `accept`. Other acceptances and the
 * comments of the file stay. The hash of the sheet is kept, so that a line that changed since it was shown must be accepted again.
 */
export const acceptFile = Effect.fn("acceptFile")(function*(
  sheet: string,
  facility: Facility,
  assumptions: ReadonlyMap<string, Assumption>,
  points: ReadonlyArray<OpenPoint>
) {
  if (facility.file === null) {
    return yield* new UsageError({
      title: "--accept needs a facility",
      help: ["name its folder:  --facility FOLDER; its assumptions.yaml is written there"]
    })
  }
  const read = yield* readTextFile(sheet)
  if (read._tag === "Unreadable") {
    return yield* new UsageError({ title: `cannot read the sheet \`${sheet}\`: ${read.why}` })
  }
  const rows = yield* readSheet(sheet, read.text)
  const unanswered = rows.find(({ accept, value }) => accept === "" && value !== "")
  if (unanswered !== undefined) {
    return yield* new UsageError({
      title: `\`${unanswered.name}\` has a \`value\` and nothing under \`accept\``,
      help: ["write the answer, who gave it, and when under `accept`; or empty `value`"]
    })
  }
  const filled = rows.filter(({ accept }) => accept !== "")
  const twice = filled.find((row) => filled.some((other) => other.name === row.name && other !== row))
  if (twice !== undefined) {
    return yield* new UsageError({
      title: `the sheet has several filled rows for \`${twice.name}\``,
      help: ["keep one of them"]
    })
  }
  const isPoint = ({ name }: Filled): boolean => points.some(({ open }) => open === name)
  const answers = filled.filter(isPoint)
  const accepted = filled.filter((row) => !isPoint(row))
  const unknown = accepted.filter(({ name }) => !assumptions.has(name)).map(({ name }) => name)
  if (unknown.length > 0) {
    return yield* new UsageError({
      title: `the mapping has no such assumption: ${unknown.join(", ")}`,
      help: ["write a new sheet:  fhir2visit assumptions INPUT -o FILE.csv"]
    })
  }
  const refused = filled.filter((row) => refusesAssumption(row.accept) && (!isPoint(row) || row.value !== ""))
    .map(({ name }) => name)
  if (refused.length > 0) {
    return yield* new UsageError({
      title: `the column \`accept\` has an answer such as no, which accepts nothing: ${refused.join(", ")}`,
      help: [
        "leave the cell empty, and change the line of the mapping as the column `instead` shows",
        "or state why it is accepted, who decided it, and when"
      ]
    })
  }
  yield* writeAnswers(facility, answers, points)
  return {
    ...(accepted.length === 0 ? {} : { file: yield* writeAcceptances(facility.file, accepted) }),
    count: accepted.length,
    answers: answers.length,
    facilityFile: facility.file
  }
})

/** Adds acceptances to the `assumptions.yaml` next to a `facility.yaml`, and returns the file. Other entries and comments are kept. */
export const writeAcceptances = Effect.fn("writeAcceptances")(
  function*(facilityFile: string, filled: ReadonlyArray<Pick<Filled, "name" | "accept" | "hash">>) {
    const file = join(dirname(facilityFile), acceptancesFile)
    const before = yield* readTextFile(file)
    if (before._tag === "Unreadable" && !before.isMissing) {
      return yield* new UsageError({ title: `cannot read \`${file}\`: ${before.why}` })
    }
    const document = parseDocument(before._tag === "Unreadable" || before.text === "" ? "accept: {}\n" : before.text)
    if (document.errors.length > 0 || !isMap(document.contents)) {
      return yield* new UsageError({ title: `\`${file}\` is not YAML that can be changed`, help: ["correct it first"] })
    }
    for (const { accept, hash, name } of filled) {
      document.setIn(["accept", name], hash === "" ? accept : document.createNode({ why: accept, hash }))
    }
    const accept = document.get("accept")
    if (isMap(accept)) accept.flow = false
    yield* writeWhole(file, String(document))
    return file
  }
)

const columns = ["name", "accept", "hash", "setting", "value"] as const

const readSheet = Effect.fnUntraced(function*(sheet: string, text: string) {
  const unusable = new UsageError({
    title: `the sheet \`${sheet}\` is not a CSV file with the columns \`name\` and \`accept\``,
    help: ["write one to fill in:  fhir2visit assumptions INPUT -o FILE.csv"]
  })
  const delimiter = delimiterOf(text, (name) => columns.some((column) => column === name))
  const cells = readCsvCells(sheet, text, delimiter)
  if (Result.isFailure(cells)) return yield* unusable
  const [header = [], ...rows] = cells.success
  const names = header.map((cell) => columnName(cell.text))
  if (!names.includes("name") || !names.includes("accept") || rows.some((row) => row.length !== header.length)) {
    return yield* unusable
  }
  return rows.map((row): Filled => {
    const cell = (column: (typeof columns)[number]): string => unguarded(row[names.indexOf(column)]?.text ?? "").trim()
    return {
      name: cell("name"),
      accept: cell("accept"),
      hash: cell("hash"),
      setting: cell("setting"),
      value: cell("value")
    }
  })
})
