import { Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import { basename, dirname, join, resolve } from "node:path"
import { number, plural } from "../../diagnostic/count.ts"
import { columns } from "../../diagnostic/render/columns.ts"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { checkDraft } from "../../studio/profile/draft/checkDraft.ts"
import {
  facilityFiles,
  firstCase,
  firstTablesCase,
  isTabular,
  serverQuestion
} from "../../studio/profile/draft/facilityFolder.ts"
import type { Suggestions } from "../../studio/profile/draft/suggest.ts"
import { zoneOf } from "../../studio/profile/fhir/zoneOf.ts"
import type { Profile } from "../../studio/profile/Profile.ts"
import { unreadOf, unreadWords } from "../../studio/profile/unreadNotes.ts"
import { isZone } from "../../visit/values/Zone.ts"
import { writeWorklists } from "../codes/worklists.ts"
import { expectOutputFolder } from "../files/outputTargets.ts"
import { makeOutputFolder, writeWhole } from "../files/WholeFile.ts"
import { argumentFor, common, optional, shellWord, textFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { shippedFolder } from "../PipelineApi.ts"
import { describeInput } from "../screen/describeInput.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"
import { profileInputs } from "./profile.ts"

const config = {
  folder: argumentFor("dir", "Facility folder to create; existing files are kept"),
  from: textFlag("from", "INPUT", "Sample data to profile. Repeatable").pipe(Flag.atLeast(0)),
  timezone: optional(
    textFlag("timezone", "ZONE", "IANA time zone (default: from the sample's offsets, or the system zone)")
  ),
  ...common
}

export const initCommand = Command.make("init", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Create a facility folder: facility.yaml, a mapping, code tables, cases, and a README. With --from, the mapping has the lines that a "
    + "profile of the sample suggests, and the code tables list its unmapped codes. For CSV files, the mapping declares the tables. "
    + "`mapping check` passes at once. Existing files are kept.",
  ["fhir2visit init hospital-a/ --from export/", "Use sample data"],
  ["fhir2visit init hospital-a/ --timezone Asia/Phnom_Penh", "Use no sample data"]
))

type Flags = Command.Command.Config.Infer<typeof config>

/** `init`: creates a facility folder, filled from sample data if given. */
const execute = Effect.fn("init")(function*(flags: Flags) {
  const screen = yield* Screen
  const fs = yield* FileSystem.FileSystem
  yield* expectOutputFolder(flags.folder)
  if (flags.from.includes("-")) {
    return yield* new UsageError({
      title: "init cannot read standard input",
      help: ["write the sample into a file: it is read twice, to draft the mapping and to convert with it"]
    })
  }
  if (flags.timezone !== undefined && !isZone(flags.timezone)) {
    return yield* new UsageError({
      title: `there is no time zone \`${flags.timezone}\``,
      help: ["--timezone Asia/Phnom_Penh"]
    })
  }
  const profile = flags.from.length === 0
    ? undefined
    : yield* profileInputs(flags.from, yield* readFacility(undefined), flags.showValues, flags.timezone === undefined)
  const likely = zoneOf(profile?.dates.offsets ?? [])
  const timezone = flags.timezone ?? likely?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const zoneGuess = flags.timezone !== undefined
    ? undefined
    : likely === undefined
    ? "it is the zone of the machine that wrote this file"
    : `times of the sample have ${likely.offsets}${
      likely.others.length === 0 ? "" : `, as ${likely.others.join(", ")} and others have`
    }`
  const files = facilityFiles({ name: nameOf(flags.folder), timezone, zoneGuess, profile })
  const mapping = join(flags.folder, "mapping.yaml")
  const kept = new Set<string>()
  for (const name of [...files.keys(), "cases/visit.md"]) {
    if (yield* Effect.orElseSucceed(fs.exists(join(flags.folder, name)), () => false)) kept.add(name)
  }
  const { checked, draft, leftOut } = yield* checkDraft(
    mapping,
    shippedFolder(),
    kept.has("mapping.yaml") ? undefined : files.get("mapping.yaml") ?? ""
  )
  const system = checked.plan.constants["patient_code_system"]
  const all = new Map([
    ...files,
    ["mapping.yaml", draft],
    [
      "cases/visit.md",
      profile !== undefined && isTabular(profile)
        ? profile.suggestions.example ?? firstTablesCase
        : firstCase([
          ...new Set([
            ...(typeof system === "string" ? [system] : []),
            ...(profile?.identifiers ?? []).flatMap(({ element, systems }) =>
              element === "Patient.identifier" ? systems.flatMap(({ system }) => system ?? []) : []
            )
          ])
        ].slice(0, 8))
    ]
  ])
  for (const [name, text] of all) {
    if (kept.has(name)) continue
    const file = join(flags.folder, name)
    yield* makeOutputFolder(dirname(file))
    yield* writeWhole(file, text)
  }
  yield* screen.say(
    columns(
      [...all.keys()].toSorted().map((
        name
      ) => [join(flags.folder, name), kept.has(name) ? "exists, kept" : "new"])
    )
      .join("\n")
  )
  const facility = yield* readFacility(flags.folder)
  const { coverage, hasWorklists, notReady, problems: found } = profile === undefined
    ? { coverage: undefined, hasWorklists: false, notReady: "", problems: [] }
    : yield* rehearse(flags, profile, { ...facility, mapping })
  const unused = [
    ...(resolve(facility.mapping) === resolve(mapping) ? [] : ["`mapping: mapping.yaml`"]),
    ...((yield* readFacility(flags.folder)).tables.length > 0 || !hasWorklists ? [] : ["`tables: tables`"])
  ]
  if (profile !== undefined && coverage !== undefined && !kept.has("mapping.yaml")) {
    const unread = unreadOf(coverage, profile)
    if (unread.notes !== "") {
      yield* writeWhole(mapping, `${draft}${unread.notes}`)
      yield* screen.say(`  ${unreadWords(unread, isTabular(profile))} that no line reads      ${mapping} lists them`)
    }
  }
  const folder = shellWord(flags.folder)
  const settings = facility.file ?? join(flags.folder, "facility.yaml")
  const asksZone = zoneGuess !== undefined && !kept.has("facility.yaml")
  const [first = "EXPORT"] = flags.from
  const input = flags.from.length > 3 ? `${shellWord(first)} …` : flags.from.map(shellWord).join(" ") || first
  const steps: ReadonlyArray<readonly [what: string, why: ReadonlyArray<string>]> = [
    ...(unused.length === 0
      ? []
      : [[settings, [`set ${unused.join(" and ")}, because no command uses the new files without it`]] as const]),
    [`fhir2visit mapping check --facility ${folder}`, ["checks the mapping"]],
    ...(notReady === "" ? [] : [
      [`fhir2visit convert ${input} --facility ${folder} -o visits.ndjson`, [`shows why ${notReady}`]] as const
    ]),
    [settings, [
      ...(isComplete(facility) ? [] : ["write the codes the operator issued, and where the service is"]),
      ...(kept.has("facility.yaml") ? [] : serverQuestion(profile).map((question) => `QUESTION ${question}`)),
      ...(asksZone ? [`QUESTION is ${timezone} your time zone? It is a guess: ${zoneGuess}`] : [])
    ]],
    profile === undefined
      ? [`fhir2visit profile ${input} --facility ${folder}`, ["what is in the data, and lines for the mapping"]]
      : [
        mapping,
        [...leftOut, ...decisions(profile.suggestions)].filter((text) =>
          !asksZone || !text.includes("`time-zone-is-a-guess`")
        )
      ],
    [`fhir2visit run ${input} --facility ${folder} --sandbox`, ["rehearses on this machine"]]
  ]
  yield* screen.say([
    "",
    ...steps.filter(([, why]) => why.length > 0).flatMap(([what, why], at) => [
      `  ${at === 0 ? "next" : "    "}   ${what}`,
      ...why.map((line) => `           ${line}`)
    ])
  ].join("\n"))
  yield* describeInput(found)
})

/** What people still have to decide in the mapping that was written. */
const decisions = (
  { guesses = [], proposals = 0, questions = [], substitutes }: Suggestions
): ReadonlyArray<string> => [
  ...questions.map((question) => `QUESTION ${question}`),
  ...guesses,
  ...(substitutes.length === 0
    ? []
    : [`${plural(substitutes.length, "line")} marked "assumption" (see \`fhir2visit assumptions\`)`]),
  ...(proposals === 0 ? [] : [`confirm ${plural(proposals, "proposed code")} of ICD-10`])
]

/** Converts the sample with the folder and writes unmapped codes into tables. Returns which visits are not ready, in words, and their problems. */
const rehearse = Effect.fnUntraced(function*(flags: Flags, { records }: Profile, facility: Facility) {
  const screen = yield* Screen
  const folder = join(flags.folder, "tables")
  // Coverage keeps data for every record. For a large sample it is omitted; `convert --coverage` writes it.
  const { counts, coverage, lines, problems, valueLines } = yield* writeWorklists({
    ...flags,
    inputs: flags.from,
    folder,
    withCoverage: records <= 500_000
  }, facility)
  const open = counts.open ?? 0
  const rejected = counts.visits - counts.ready - open
  yield* screen.say([
    ...columns(lines),
    ...valueLines.map((line) => `  ${line}`),
    "",
    `  ${plural(counts.visits, "visit")} in the sample      ${number(counts.ready)} ready with this mapping${
      open === 0 ? "" : `      ${number(open)} still open`
    }${rejected === 0 ? "" : `      ${number(rejected)} rejected`}`
  ].join("\n"))
  const notReady = rejected > 0
    ? `${plural(rejected, "is", "are")} rejected`
    : open > 0
    ? `${plural(open, "is", "are")} still open`
    : ""
  return { coverage, hasWorklists: lines.length > 0, notReady, problems }
})

const isComplete = ({ code, service: { authUrl, baseUrl }, system }: Facility): boolean =>
  code !== null && system !== null && baseUrl !== null && authUrl !== null

/** Returns the name of the mapping: the folder's name as a word. */
const nameOf = (folder: string): string =>
  basename(resolve(folder)).toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-+|-+$/gu, "") || "our-facility"
