import { Clock, Effect } from "effect"
import { collate } from "../../../diagnostic/collate.ts"
import { plural } from "../../../diagnostic/count.ts"
import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../../diagnostic/Origin.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { shownFile, spanText } from "../../../diagnostic/Span.ts"
import { suggest } from "../../../diagnostic/suggest.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import type {
  FieldProvenance,
  FoundElement,
  SectionProvenance,
  VisitProvenance
} from "../../../mapping/draft/FieldProvenance.ts"
import { type DraftPath, fieldPath, fieldText } from "../../../mapping/draft/VisitDraft.ts"
import type { ExplainedVisit } from "../../../run/explainInputs.ts"
import { explainInputs } from "../../../run/explainInputs.ts"
import { visitFields } from "../../../visit/fields.ts"
import { loadedLists } from "../../facility/standardLists.ts"
import { requestOf } from "../../PipelineApi.ts"
import { someNotDone } from "../../process/exitCode.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import type { ExplainFlags } from "./explain.ts"

/** Splits `V000117.vital_signs[3].recorded_by` into the visit's code and the path of the field. A code can contain full stops. */
const split = (what: string): { readonly visit: string; readonly path: DraftPath } => {
  const sections = new Set(visitFields.map(({ name }) => name))
  for (let dot = what.indexOf("."); dot >= 0; dot = what.indexOf(".", dot + 1)) {
    const rest = what.slice(dot + 1)
    const [name = ""] = rest.split(/\W/u, 1)
    if (!sections.has(name)) continue
    return { visit: what.slice(0, dot), path: fieldPath(rest) }
  }
  return { visit: what, path: [] }
}

/** Like `split`, if the argument names no section: the text before each of the last three full stops can be the code. The longest is first. */
const splits = (what: string): ReadonlyArray<{ readonly visit: string; readonly path: DraftPath }> => {
  const found = []
  for (let dot = what.lastIndexOf("."); dot > 0 && found.length < 3; dot = what.lastIndexOf(".", dot - 1)) {
    const rest = what.slice(dot + 1)
    if (/^[A-Za-z_]\w*(?:[.[].*)?$/u.test(rest)) found.push({ visit: what.slice(0, dot), path: fieldPath(rest) })
  }
  return found
}

/** `explain VISIT[.FIELD] INPUT…`: where a visit, a section or a field came from. */
export const explainVisit = Effect.fn("explain visit")(function*(flags: ExplainFlags) {
  const screen = yield* Screen
  const { path, visit } = split(flags.what)
  const facility = yield* readFacility(flags.facility)
  const request = requestOf({
    inputs: flags.inputs,
    facility,
    lists: (yield* loadedLists(facility)).lists,
    now: yield* Clock.currentTimeMillis,
    showValues: flags.showValues
  })
  const unread: Array<Diagnostic> = []
  const explained = yield* explainInputs(request, visit, unread, path.length > 0)
  if (explained === undefined) {
    // Standard input has been read.
    for (const other of path.length > 0 || request.inputs.includes("-") ? [] : splits(flags.what)) {
      const found = yield* explainInputs(request, other.visit)
      if (found !== undefined) return yield* new UsageError(noField(other.path, other.visit, found))
    }
    yield* screen.problems(collate(unread))
    return yield* new UsageError({
      title: `no visit of the input has the code \`${visit}\``,
      help: ["give the code, or the encounter of the visit:  Encounter/5b1e44"]
    })
  }
  const { draft, labelOf } = explained
  const relevant = explained.problems
    .filter(({ field }) => path.length === 0 || isWithin(field, fieldText(path)))
  if (path.length > 0) {
    const story = draft.explainField(path)
    if (story === undefined) return yield* new UsageError(noField(path, visit, explained))
    const values = flags.showValues
    const text = flags.format === "json"
      ? JSON.stringify(
        values ? story : withoutWords(story),
        (key, value) => (key === "value" && !values ? undefined : key === "file" ? shownFile(labelOf(value)) : value)
      )
      : [
        `${visit} › ${fieldText(path)}`,
        "",
        ...(story.kind === "field"
          ? fieldLines(story, explained, values)
          : [...sectionLines(story, path, labelOf), ...excludedLines(story.name, explained)]),
        ""
      ].map(printable).join("\n")
    yield* screen.print(text)
  } else {
    const { origin } = draft.root
    const root = { source: origin.reference, origin: `${labelOf(origin.file)}:${origin.line}` }
    yield* screen.print(
      flags.format === "json"
        ? JSON.stringify({
          visit,
          ...root,
          problems: relevant.length,
          ...(explained.isOpen ? { stillOpen: true } : {})
        })
        : printable(`${visit}   ${root.source}    ${root.origin}`)
          + `\n\n  ${verdict(explained, relevant.length)}\n`
    )
  }
  yield* screen.problems(collate([...relevant, ...unread]))
  if (unread.length > 0) return yield* someNotDone
})

const verdict = ({ isOpen }: ExplainedVisit, problems: number): string =>
  isOpen
    ? "still open: the visit is not over, and a later run sends it"
    : problems === 0
    ? "no problems"
    : plural(problems, "problem")

/** Returns the lines about the records that a condition of the section excludes. */
const excludedLines = (section: string, { exclusions, labelOf }: ExplainedVisit): ReadonlyArray<string> => {
  const here = exclusions.filter((exclusion) => exclusion.section === section)
  if (here.length === 0) return []
  return [
    "",
    `  ${plural(here.length, "record")} excluded by a condition`,
    ...here.slice(0, 20).flatMap(({ condition, record: { origin } }) => [
      `  ${origin.reference}    ${labelOf(origin.file)}:${origin.line}`,
      `         ${condition.text}    ${spanText(condition.span)}`
    ]),
    ...(here.length > 20 ? [`  and ${plural(here.length - 20, "other")}`] : [])
  ]
}

const isWithin = (field: string | undefined, path: string): boolean =>
  field === path || field?.startsWith(`${path}.`) === true || field?.startsWith(`${path}[`) === true

/** Returns the error for a path that leads to no field: it names the step that fails, and what there is instead. */
const noField = (path: DraftPath, visit: string, { draft }: ExplainedVisit) => {
  const failing = path.findIndex((_, index) => draft.explainField(path.slice(0, index + 1)) === undefined)
  const known = path.slice(0, Math.max(0, failing))
  const holder = known.reduce<unknown>(
    (value, step) => typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined,
    draft.visit
  )
  const step = path[failing]
  const where = known.length === 0 ? `the visit \`${visit}\`` : `\`${fieldText(known)}\` of the visit \`${visit}\``
  if (Array.isArray(holder)) {
    const example = fieldText(typeof step === "string" && holder.length > 0 ? [...known, 0, step] : [...known, 0])
    return {
      title: `${where} has ${plural(holder.length, "row")}`,
      help: holder.length === 0 ? [] : [`name the row, of which the first is 0:  ${example}`]
    }
  }
  const names = typeof holder === "object" && holder !== null ? Object.keys(holder) : []
  const guess = suggest(String(step), names) ?? names.find((name) => name.startsWith(String(step).slice(0, 4)))
  return {
    title: `${where} has no field \`${String(step)}\``,
    help: guess === undefined ? [`it has: ${names.join(", ")}`] : [
      `did you mean  ${visit}.${fieldText([...known, guess])}`
    ]
  }
}

/** Removes texts that are in place of codes: they may be about a patient. */
const withoutWords = (story: VisitProvenance): unknown =>
  story.kind === "field"
    ? { ...story, codes: story.codes.map(({ code, ...rest }) => (rest.words === true ? rest : { code, ...rest })) }
    : story

type Line = readonly [name: string, text: string]

const fieldLines = (
  story: FieldProvenance,
  { labelOf, rowAt }: ExplainedVisit,
  showValues: boolean
): ReadonlyArray<string> => {
  const place = (origin: Origin): string => `${labelOf(origin.file)}:${origin.line}`
  const lines: Array<Line> = [["field", `${story.name}   (specification ${story.section})`], [
    "mapping",
    spanText(story.mapping)
  ]]
  if (story.source !== undefined && story.origin !== undefined) {
    lines.push(["record", `${story.source}    ${place(story.origin)}`])
  }
  const several = story.paths.length > 1
  const unmapped = story.codes.find(({ row }) => row === undefined)
  for (const { found, outcome, span, text } of story.paths) {
    const result = outcome === "won"
      ? `found ${counted(found)}`
      : outcome === "found-nothing"
      ? "found nothing"
      : outcome === "not-asked"
      ? "not evaluated: an earlier path found a value"
      : `found ${counted(found)}, ${unmapped === undefined ? "nothing the field can take" : "an unmapped code"}`
    lines.push(["path", `${several && outcome === "won" ? "→ " : several ? "  " : ""}${text}`], [
      "",
      `${several ? "  " : ""}  ${result}    ${span.file === story.mapping.file ? `line ${span.line}` : spanText(span)}`
    ])
  }
  for (
    const { column, element, origin, source, type, value }
      of story.paths.find(({ outcome }) => outcome === "won")?.found ?? []
  ) {
    if (element !== undefined && origin !== undefined) {
      const at = column === undefined ? place(origin) : `${place(origin)}, column ${column}`
      lines.push(["element", `${element}   ${type}   of ${source}    ${at}`])
    }
    if (showValues && typeof value !== "object") lines.push(["found", JSON.stringify(value)])
  }
  for (const { code, map, policy, row, system, words } of story.codes) {
    const at = row === undefined ? undefined : rowAt(map, row)
    const shown = words === true && !showValues ? "text instead of a code: --show-values" : code
    lines.push(["code", system === null ? shown : `${shown}   in ${system}`], [
      "table",
      row === undefined
        ? `${map} does not map it    unmapped: ${policy}`
        : `${map}, row ${JSON.stringify(row)}${at === undefined ? "" : `    ${spanText(at)}`}`
    ])
  }
  if (unmapped !== undefined && story.by !== "path") {
    const { code, map, words } = unmapped
    const key = words === true && !showValues ? "WORDS" : code
    lines.push(["next", `add the row:  conceptMap: {${map}: {table: {${JSON.stringify(key)}: …}}}`])
  }
  if (story.unit !== undefined) {
    const from = [...new Set(story.unit.from)]
    lines.push([
      "unit",
      from.length === 0 ? `none; ${story.unit.to} is sent` : `${from.join(", ")}, sent in ${story.unit.to}`
    ])
  }
  for (const { accepted, means, name } of story.assumptions ?? []) {
    lines.push(["assumes", `${name}: ${means}`], [
      "",
      accepted === undefined ? "not accepted" : `accepted: ${accepted}`
    ])
  }
  if (story.minted !== undefined) {
    lines.push([
      "generated",
      `the source has no code, so it is made of the facility, the key \`${story.minted}\`, and the record`
    ])
  }
  const by = {
    source: "stated directly by the source",
    path: "",
    value: "stated by the mapping",
    default: "the mapping's default",
    nothing: "none: the field is blank"
  }[
    story.by
  ]
  lines.push([
    "value",
    showValues
      ? `${JSON.stringify(story.value)}${by === "" ? "" : `   ${by}`}`
      : by === ""
      ? "hidden: --show-values"
      : by
  ])
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}

const counted = (found: ReadonlyArray<FoundElement>): string =>
  `${plural(found.length, "value")}: ${[...new Set(found.map(({ type }) => type))].slice(0, 4).join(", ")}`

const sectionLines = (
  story: SectionProvenance,
  path: DraftPath,
  labelOf: ExplainedVisit["labelOf"]
): ReadonlyArray<string> => {
  const isList = story.rows.length !== 1 || typeof path.at(-1) !== "number"
  return [
    `  mapping  ${spanText(story.mapping)}`,
    `  ${plural(story.rows.length, "row")}`,
    ...story.rows.flatMap(({ branch, mapping, records }, index) => [
      `  ${isList ? `[${index}]` : "   "}  ${spanText(mapping)}${branch === null ? "" : `   branch ${branch}`}`,
      ...records.map(({ origin, source }) => `         ${source}    ${labelOf(origin.file)}:${origin.line}`)
    ])
  ]
}
