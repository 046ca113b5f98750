import { Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import { diff } from "node:util"
import { number, plural } from "../../../diagnostic/count.ts"
import { type Fix, type FixKind, fixKinds } from "../../../diagnostic/Fix.ts"
import { columns } from "../../../diagnostic/render/columns.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { shownFile } from "../../../diagnostic/Span.ts"
import type { Facility } from "../../../facility/Facility.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { shippedMappings } from "../../../facility/shippedMappings.ts"
import { loadMapping } from "../../../mapping/load/loadMapping.ts"
import { writeFix } from "../../../mapping/writeFix.ts"
import type { Conversion } from "../../../run/Conversion.ts"
import { suggestionsFor } from "../../../studio/codes/suggestions.ts"
import { writeAcceptances } from "../../assumptions/acceptFile.ts"
import { indexOf } from "../../codes/worklists.ts"
import { countVisits } from "../../conversion/convertInputs.ts"
import { mappingContextOf } from "../../facility/mappingOf.ts"
import { writeWhole } from "../../files/WholeFile.ts"
import { common, facility, facilityFlag, inputs, optional, switchFlag, textFlag, wordFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { near, shippedFolder } from "../../PipelineApi.ts"
import type { Tally } from "../../report/Report.ts"
import { countedAssumptions } from "../../screen/countedAssumptions.ts"
import { describeInput } from "../../screen/describeInput.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import { withHelp } from "../../withHelp.ts"

const config = {
  inputs,
  facility,
  only: wordFlag("only", "KIND", fixKinds, `Offer only lines of this kind: ${fixKinds.join(", ")}. Repeatable`).pipe(
    Flag.atLeast(0)
  ),
  why: optional(textFlag(
    "why",
    "TEXT",
    "Offer to accept each assumption of the visits, for this reason: who decided it, and when"
  )),
  write: switchFlag("write", "Write the lines (default: only show them)"),
  ...common
}

export const fixCommand = Command.make("fix", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Convert, and show the mapping lines that resolve the messages. These are windows, policies, systems, code table rows with a certain "
    + "value, and acceptances of assumptions. Each line is a decision. With --write, the lines are written; comments stay.",
  ["fhir2visit mapping fix export/ --facility hospital-a/", "Show the lines; write nothing"],
  [
    "fhir2visit mapping fix export/ --facility hospital-a/ --only window --write",
    "Enable the windows that the messages propose"
  ]
))

/** A line that can be written, and the problems that it resolves. */
interface Offer extends Fix {
  readonly count: number
  readonly title: string
}

/** `mapping fix`: converts, and offers lines that resolve the messages; `--write` writes them. */
const execute = Effect.fn("mapping fix")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const fs = yield* FileSystem.FileSystem
  const facility = yield* readFacility(flags.facility)
  const file = near(facility.mapping)
  if (facility.file === null || [...shippedMappings().values()].includes(facility.mapping)) {
    return yield* new UsageError({
      title: "the facility has no mapping of its own to write into",
      help: flags.facility === undefined
        ? ["name the facility:  --facility FOLDER", "if there is none,  fhir2visit init FOLDER  makes one"]
        : [
          "write  mapping: mapping.yaml  in its facility.yaml, and that file with  extends:  a mapping that the program ships"
        ]
    })
  }
  const before = yield* Effect.orDie(fs.readFileString(file))
  const { conversion, tally } = yield* countVisits(flags, facility)
  const expected = new Set<FixKind>(flags.only)
  const all = [
    ...ofProblems(tally),
    ...yield* ofCodes(conversion, facility),
    ...ofAssumptions(tally, conversion, flags.why)
  ]
  const offers = all.filter(({ kind }) => expected.size === 0 || expected.has(kind))
  const context = yield* mappingContextOf(facility)
  const good: Array<Offer> = []
  let after = before
  for (const offer of offers.filter(({ kind }) => kind !== "assumption")) {
    const text = writeFix(after, offer)
    if (text === undefined || text === after) continue
    // A line is offered only if the mapping is valid with it.
    const { checked } = yield* loadMapping(file, shippedFolder(), { ...context, given: new Map([[file, text]]) })
    if (checked === undefined) continue
    after = text
    good.push(offer)
  }
  const accepted = offers.filter(({ kind }) => kind === "assumption")
  const acceptances = accepted.map(({ at, value }) => ({ name: at.at(-1) ?? "", accept: String(value), hash: "" }))
  const fixes = [...good, ...accepted]
  if (flags.format === "json") {
    const lines = fixes.map(({ at, count, kind, title, value }) => ({ kind, at, value, count, title }))
    yield* screen.print(JSON.stringify({ file: shownFile(file), written: flags.write && lines.length > 0, lines }))
  }
  if (fixes.length === 0) {
    const others = [...new Set(all.map(({ kind }) => kind))].filter((kind) => expected.size > 0 && !expected.has(kind))
    yield* screen.say(
      others.length === 0
        ? "found no message that a mapping line can resolve"
        : `found no message that such a line can resolve; others:  ${others.map((kind) => `--only ${kind}`).join("  ")}`
    )
    return yield* describeInput(tally.problems.all())
  }
  const drawn = [
    ...columns(fixes.map(({ at, count, kind, title }) => [
      kind,
      `${number(count)} ×`,
      printable(at.join(".")),
      printable(title)
    ])),
    ...(after === before ? [] : ["", shownFile(file), ...lineDiff(before, after).map((line) => `  ${line}`)]),
    ...(accepted.length === 0
      ? []
      : ["", "assumptions.yaml", ...acceptances.map(({ accept, name }) => `  + ${name}: ${JSON.stringify(accept)}`)])
  ]
  if (flags.format !== "json") yield* screen.print(drawn.join("\n"))
  if (!flags.write) {
    yield* screen.say(
      `\nnothing was written: each line is a decision\n\n  next   add --write to write ${
        fixes.length === 1 ? "it" : "them"
      }, or --only KIND for some${
        flags.why === undefined ? "; --why TEXT offers assumptions, to be accepted for this reason" : ""
      }`
    )
    return
  }
  if (after !== before) yield* writeWhole(file, after)
  if (accepted.length > 0) {
    yield* writeAcceptances(facility.file, acceptances)
  }
  yield* screen.say(
    `\n${plural(fixes.length, "line")} written\n\n  next   fhir2visit mapping check${facilityFlag(flags)}`
  )
})

/** Returns the lines that a change removes (`- `) and adds (`+ `), in their order. */
export const lineDiff = (before: string, after: string): ReadonlyArray<string> =>
  diff(before.split("\n"), after.split("\n"))
    .flatMap(([sign, line]) => (sign === 0 ? [] : [`${sign === 1 ? "-" : "+"} ${line}`]))

/** The suggested lines of all messages, without duplicates. */
const ofProblems = (tally: Tally): ReadonlyArray<Offer> => {
  const offers = new Map<string, Offer>()
  const { open, visits } = tally.counts
  for (const { count, first: { fix, title }, visits: concerned } of tally.problems.all()) {
    if (fix === undefined) continue
    // The other visits have an identifier of the system that the line would replace.
    if (fix.kind === "system" && concerned < visits - open) continue
    const key = fix.at.join("\n")
    const known = offers.get(key)
    offers.set(key, { ...fix, title: known?.title ?? title, count: count + (known?.count ?? 0) })
  }
  return [...offers.values()]
}

/** Rows for codes that match exactly one value of the standard data. */
const ofCodes = Effect.fnUntraced(function*(conversion: Conversion, facility: Facility) {
  const offers: Array<Offer> = []
  for (const [table, codes] of Map.groupBy(conversion.totals().unmapped, ({ table }) => table)) {
    const list = conversion.conceptMapLists.get(table)
    const index = yield* indexOf(facility, list)
    if (index === undefined) continue
    for (const code of codes) {
      const [best] = suggestionsFor(code, index, list)
      if (best === undefined || best.score < 0.9) continue
      offers.push({
        kind: "row",
        at: ["conceptMap", table, "table", code.system === null ? code.code : `${code.system}|${code.code}`],
        value: best.value,
        count: code.count,
        title: `${code.display === null ? "" : `${code.display} `}is ${best.value}, by its words`
      })
    }
  }
  return offers
})

const ofAssumptions = (tally: Tally, { assumptions }: Conversion, why: string | undefined): ReadonlyArray<Offer> =>
  why === undefined
    ? []
    : countedAssumptions(tally.assumed, assumptions).filter(({ accepted }) => !accepted).map((
      { means, name, visits }
    ) => ({
      kind: "assumption",
      at: ["accept", name],
      value: why,
      count: visits,
      title: means
    }))
