import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import { isMap, isPair, isScalar, parse, parseDocument } from "yaml"
import type { Facility } from "../../facility/Facility.ts"
import { parseFacility } from "../../facility/settings/parseFacility.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { packageFolder } from "../../packageFolder.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { guarded } from "../../source/tables/cells/formulaGuard.ts"
import { writeCsv } from "../../source/tables/rows/writeCsv.ts"
import { writeWhole } from "../files/WholeFile.ts"
import type { SheetRow } from "../screen/assumptionSheet.ts"
import { UsageError } from "../UsageError.ts"

/** A point that the specification leaves open: a row of `docs/open-points.md`. */
export interface OpenPoint {
  /** What is open, with the section: also its name in the questionnaire. */
  readonly open: string
  readonly done: string
  readonly changedBy: string
  /** Settings of `facility.yaml` that change it: `validation: mayBeNull`. */
  readonly settings: ReadonlyArray<string>
  /** The visits that it concerns: those with, or without, a value of a field. Without this it concerns all. */
  readonly concerns?: { readonly field: string; readonly isMissing: boolean }
}

/** Reads the page of the open points, so that the page and the questionnaire never differ. */
export const openPointsOf = (page: string): ReadonlyArray<OpenPoint> =>
  page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| open")).map((line) => {
    const [open = "", done = "", changedBy = "", visits = "all"] = line.slice(2, -2).split(" | ")
    const [, field] = /`([^`]+)`/u.exec(visits) ?? []
    return {
      open,
      done: withoutLinks(done),
      changedBy: withoutLinks(changedBy),
      settings: [...changedBy.matchAll(/`(\w+: \w+|timezone)`/gu)].map(([, setting = ""]) => setting),
      ...(field === undefined ? {} : { concerns: { field, isMissing: visits.startsWith("without") } })
    }
  })

const withoutLinks = (text: string): string => text.replace(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/gu, "$1 (docs/$2)")

export const readOpenPoints = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  return openPointsOf(yield* Effect.orDie(fs.readFileString(join(packageFolder(), "docs", "open-points.md"))))
})

/** Returns whether a point concerns a visit, given as its JSON. */
export const isConcerned = ({ concerns }: OpenPoint, visit: unknown): boolean =>
  concerns === undefined || hasValue(visit, concerns.field.split(".")) !== concerns.isMissing

const hasValue = (value: unknown, [name, ...steps]: ReadonlyArray<string>): boolean => {
  if (value === null || value === undefined || value === "") return false
  if (Array.isArray(value)) return value.some((item) => hasValue(item, name === undefined ? [] : [name, ...steps]))
  return name === undefined || (isJsonObject(value) && hasValue(value[name], steps))
}

/** Returns the open points as rows of the assumption sheet, each with the number of visits that it concerns. */
export const questionRows = (
  counted: ReadonlyArray<{ readonly point: OpenPoint; readonly visits: number }>
): ReadonlyArray<SheetRow> =>
  counted.map(({ point: { changedBy, done, open }, visits }) => ({
    name: open,
    visits,
    accepted: false,
    means: done,
    instead: changedBy === "–" ? "no setting" : `changed by ${changedBy}`,
    ask: "operator",
    mapping: "docs/open-points.md",
    hash: "",
    accept: "",
    example: ""
  }))

const questionColumns = ["visits", "name", "means", "instead", "setting", "value", "hash", "accept"] as const

/** To be filled in: `accept` is the answer, who gave it, and when; `value` is the setting that it leads to. */
export const questionsCsv = (rows: ReadonlyArray<SheetRow>, points: ReadonlyArray<OpenPoint>): string => {
  const settings = new Map(points.map(({ open, settings }) => [open, settings.join(", ")]))
  return writeCsv([
    questionColumns,
    ...rows.map((row) => [
      String(row.visits),
      ...[row.name, row.means, row.instead, settings.get(row.name) ?? "", "", row.hash, row.accept].map(guarded)
    ])
  ])
}

/** An answered open point of a filled questionnaire. */
export interface Answer {
  readonly name: string
  readonly accept: string
  readonly setting: string
  readonly value: string
}

/**
 * Writes answers to `facility.yaml`. A setting is written with the answer as a comment above it. An answer without a value confirms the
 * current behaviour and becomes a comment at the end. Nothing is written if the file would not be valid.
 */
export const writeAnswers = Effect.fn("writeAnswers")(function*(
  facility: Facility,
  answers: ReadonlyArray<Answer>,
  points: ReadonlyArray<OpenPoint>
) {
  const { file } = facility
  if (file === null || answers.length === 0) return
  const before = yield* readTextFile(file)
  if (before._tag === "Unreadable") return yield* new UsageError({ title: `cannot read \`${file}\`: ${before.why}` })
  const document = parseDocument(before.text)
  for (const { accept, name, setting, value } of answers) {
    const quoted = ` ${name}: "${accept.replaceAll(/\s+/gu, " ")}"`
    if (value === "") {
      document.comment = [...(document.comment?.split("\n") ?? []).filter((line) => line !== quoted), quoted].join("\n")
      continue
    }
    const path = setting.split(": ")
    const settings = points.find(({ open }) => open === name)?.settings ?? []
    if (!settings.includes(setting)) {
      return yield* new UsageError({
        title: `the answer to \`${name}\` has a value, and \`setting\` does not name one setting of it`,
        help: [
          settings.length === 0
            ? "the point has no setting: leave `value` empty"
            : `write one of these under \`setting\`: ${settings.join(", ")}`
        ]
      })
    }
    const given = yield* Effect.try({
      try: (): unknown => parse(value),
      catch: () =>
        new UsageError({
          title: `the \`value\` of \`${name}\` is not YAML`,
          help: ["write it as in facility.yaml after the colon, for example  [KHR, USD]"]
        })
    })
    document.setIn(path, document.createNode(given))
    const holder = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1))
    if (!isMap(holder)) continue
    holder.flow = false
    const pair = holder.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1))
    // The comment of a map's first key is the map's own.
    if (pair === holder.items[0]) holder.commentBefore = quoted
    else if (isScalar(pair?.key)) pair.key.commentBefore = quoted
  }
  const text = String(document)
  const problem = parseFacility(file, text).problems.find(({ severity }) => severity === "error")
  if (problem !== undefined) {
    return yield* new UsageError({
      title: `with these answers \`${file}\` is not valid: ${problem.title}`,
      help: problem.help ?? []
    })
  }
  yield* writeWhole(file, text)
})
