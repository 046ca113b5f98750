import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { dirname } from "node:path"
import { createSecureContext } from "node:tls"
import { number, plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { columns } from "../../diagnostic/render/columns.ts"
import { type Facility, facilityProblem, incompleteFacility, InvalidFacility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { secret } from "../../facility/settings/readOperatorConfig.ts"
import { shippedMappings } from "../../facility/shippedMappings.ts"
import { loadMapping } from "../../mapping/load/loadMapping.ts"
import { type Fetched, fetchExport } from "../../mirror/fetchExport.ts"
import { makeHttpClient } from "../../mirror/HttpClient.ts"
import { serverError } from "../../mirror/ServerError.ts"
import { makeServerSession } from "../../mirror/ServerSession.ts"
import { makeServerTokens } from "../../mirror/serverTokens.ts"
import type { SourceSecrets, SourceSettings } from "../../mirror/SourceSettings.ts"
import { InvalidMapping } from "../../run/Conversion.ts"
import { errorCodeOf } from "../../service/connectionErrors.ts"
import { proxyIn } from "../../service/proxy.ts"
import { readCertificates } from "../../service/readCertificates.ts"
import { makeDispatcher } from "../../service/transport.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { common, facility, shellWord, switchFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { near, shippedFolder } from "../PipelineApi.ts"
import { Ended, exitCodes } from "../process/exitCode.ts"
import { Screen } from "../screen/Screen.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  facility,
  full: switchFlag("full", "Export everything, not only what changed since the last export"),
  ...common
}

export const fetchCommand = Command.make("fetch", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Export from a FHIR server into a mirror folder. The server and the folder are set under `source:` in facility.yaml; `run` and "
    + "`convert` take the folder as input. Each export has its own folder, in the layout of SMART bulk data clients. After an "
    + "interruption, run it again: it continues. Exit code 1: the server could not export everything.",
  ["fhir2visit fetch --facility hospital-a/", "Export everything the first time, then only changes"],
  ["fhir2visit fetch --facility hospital-a/ --full", "Export everything again"]
))

/** Timeout for the headers, and for each chunk of a body. */
const deadlineMillis = 120_000

/** The longest wait that the server can request. */
const maxWaitMillis = 30 * 60_000

/** `fetch`: one export from the facility's FHIR server into its mirror. */
const execute = Effect.fn("fetch")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const facility = yield* readFacility(flags.facility)
  const { fetched, mirror } = yield* fetchMirror(facility, flags.full)
  yield* screen.print(flags.format === "json" ? asJson(fetched) : summary(fetched), "prose")
  yield* screen.say(nextStep(facility, mirror))
  yield* reportIncomplete(fetched)
  if (fetched.problems.length > 0) return yield* new Ended({ code: exitCodes.someNotDone })
})

/** `--fetch` of `run`: the folder that an export was added to, and whether the export is complete. */
export const fetchFirst = Effect.fn("fetchFirst")(function*(facility: Facility) {
  const screen = yield* Screen
  const { fetched, mirror } = yield* fetchMirror(facility, false)
  const { folder, problems, resources } = fetched
  yield* screen.note("fetched", `fetched\n${summary(fetched)}`, { folder, records: resources })
  yield* reportIncomplete(fetched)
  return { mirror, isComplete: problems.length === 0 }
})

const reportIncomplete = Effect.fnUntraced(function*({ problems }: Fetched) {
  if (problems.length === 0) return
  const screen = yield* Screen
  yield* screen.failure({
    title: `the export is not complete: ${problems.join("; ")}`,
    help: ["visits that it may concern are held; the next fetch begins where the last complete export ended"]
  })
})

const fetchMirror = Effect.fnUntraced(function*(facility: Facility, full: boolean) {
  const screen = yield* Screen
  const settings = yield* sourceOf(facility)
  const secrets = yield* readSecrets(settings)
  const readTypes = yield* typesOf(facility)
  let line = "asking the server what it offers"
  const fetched = yield* Effect.gen(function*() {
    yield* screen.progress(() => line)
    const session = yield* openSession(facility, settings, secrets)
    return yield* fetchExport(session, {
      settings,
      mirror: settings.mirror,
      readTypes,
      full,
      progress: (text) => {
        line = text
      }
    })
  }).pipe(Effect.scoped)
  return { fetched, mirror: settings.mirror }
})

const sourceOf = (facility: Facility): Effect.Effect<SourceSettings, InvalidFacility> =>
  facility.source === null
    ? Effect.fail(
      incompleteFacility(facility, [
        facilityProblem(
          "the address of the FHIR server is not set",
          "write  source: {server: https://fhir.example/r4}  in facility.yaml"
        )
      ])
    )
    : Effect.succeed(facility.source)

/** The secrets that `source: {auth}` asks for; no other is read. */
const readSecrets = Effect.fnUntraced(function*({ auth }: SourceSettings) {
  const problems: Array<Diagnostic> = []
  const when = (isRead: boolean, name: string) =>
    Effect.map(isRead ? secret(name, problems) : Effect.succeed(""), (value) => Redacted.make(value))
  const secrets = {
    clientId: yield* when(auth === "backend", "FHIR2VISIT_SOURCE_CLIENT_ID"),
    key: yield* when(auth === "backend", "FHIR2VISIT_SOURCE_KEY"),
    username: yield* when(auth === "basic", "FHIR2VISIT_SOURCE_USERNAME"),
    password: yield* when(auth === "basic", "FHIR2VISIT_SOURCE_PASSWORD"),
    token: yield* when(auth === "token", "FHIR2VISIT_SOURCE_TOKEN")
  } satisfies SourceSecrets
  if (problems.length > 0) return yield* new InvalidFacility({ problems })
  return secrets
})

/** The types of resources that the facility's mapping reads. */
const typesOf = Effect.fnUntraced(function*(facility: Facility) {
  const { checked, problems } = yield* loadMapping(near(facility.mapping), shippedFolder(), {
    tables: facility.tables
  })
  if (checked === undefined) return yield* new InvalidMapping({ problems })
  const { types } = checked.plan.followed
  return types === undefined ? [] : [...types].filter((type) => /^[A-Z][A-Za-z]+$/u.test(type))
})

const openSession = Effect.fnUntraced(function*(facility: Facility, settings: SourceSettings, secrets: SourceSecrets) {
  const { caFile } = facility.service
  const authorities = caFile === null ? { certificates: [], problems: [] } : yield* readCertificates(caFile)
  const proxy = proxyIn(process.env)
  const problems = [...authorities.problems, ...(proxy !== null && "problem" in proxy ? [proxy.problem] : [])]
  if (problems.length > 0) return yield* serverError({ _tag: "InvalidSetting", detail: problems.join("; ") })
  const dispatcher = yield* makeDispatcher(
    { deadlineMillis, connections: settings.downloads + 1 },
    authorities.certificates,
    proxy !== null && "problem" in proxy ? null : proxy,
    yield* clientCertificate(settings)
  )
  const http = makeHttpClient({ dispatcher, deadlineMillis, maxWaitMillis, maxAttempts: 6, pauseMillis: 1000 })
  return makeServerSession(settings, makeServerTokens(settings, secrets, http), http)
})

const clientCertificate = ({ certificate }: SourceSettings) =>
  Effect.gen(function*() {
    if (certificate === null) return {}
    const [cert, key] = [yield* readTextFile(certificate.certFile), yield* readTextFile(certificate.keyFile)]
    const invalid = (why: string) =>
      serverError({ _tag: "InvalidSetting", detail: `${why}: \`source: {certificate}\`` })
    if (cert._tag !== "Text" || key._tag !== "Text") {
      return yield* invalid("the client certificate or its key cannot be read")
    }
    const files = { cert: cert.text, key: key.text }
    yield* Effect.try({
      try: () => createSecureContext(files),
      catch: (error) => invalid(`the client certificate and its key cannot be used together (${errorCodeOf(error)})`)
    })
    return files
  })

/** A facility that still uses a shipped mapping has none of its own. */
const nextStep = ({ file, mapping }: Facility, mirror: string): string =>
  [
    "",
    ...([...shippedMappings().values()].includes(mapping)
      ? [
        `  next   fhir2visit init ${shellWord(dirname(file ?? "."))} --from ${shellWord(mirror)}`,
        "           drafts a mapping from these records"
      ]
      : [`  next   fhir2visit run ${shellWord(mirror)} --sandbox`, "           rehearses on this machine"])
  ].join("\n")

const kindOf = ({ mode, since }: Fetched): string =>
  `${mode === "bulk" ? "bulk export" : "search"}, ${since === null ? "everything" : `changes since ${since}`}`

const summary = (fetched: Fetched): string => {
  const {
    bytes,
    files,
    folder,
    isGroupUnread,
    isResumed,
    lookedUp,
    notExported,
    notListed,
    resources,
    since,
    unreadMembers,
    vanished,
    why
  } = fetched
  const gone = [...vanished].map(([type, count]) => `${number(count)} ${type}`)
  const found = [...lookedUp].map(([type, { absent, found }]) =>
    `${number(found)} ${type}${absent === 0 ? "" : ` (${number(absent)} not found)`}`
  )
  return columns([
    ["export", `${kindOf(fetched)}${why === "" ? "" : `  (${why})`}${isResumed ? ", continued" : ""}`],
    ["folder", folder],
    ["records", `${number(resources)} in ${plural(files, "file")}, ${(bytes / 1e6).toFixed(1)} MB compressed`],
    ...(found.length === 0 ? [] : [["looked up", found.join(", ")]]),
    ...(gone.length === 0 ? [] : [["deleted", `${gone.join(", ")} no longer in the export`]]),
    ...(notExported.size === 0 ?
      [] :
      [[
        "not exported",
        `${[...notExported].map(([type, count]) => `${number(count)} ${type}`).join(", ")}, which the server counts`
      ]]),
    ...(since !== null || notListed.length === 0
      ? []
      : [["not listed", `by the server, and read by the mapping: ${notListed.join(", ")}`]]),
    ...(unreadMembers === 0
      ? []
      : [["not found", `${plural(unreadMembers, "member")} of the group without the id of a patient`]]),
    ...(isGroupUnread
      ? [[
        "not known",
        "whether the group has new members: their older records come with the next complete export (--full)"
      ]]
      : [])
  ]).join("\n")
}

const asJson = (fetched: Fetched): string =>
  JSON.stringify({
    ...fetched,
    vanished: Object.fromEntries(fetched.vanished),
    lookedUp: Object.fromEntries(fetched.lookedUp),
    notExported: Object.fromEntries(fetched.notExported)
  })
