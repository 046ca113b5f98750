import { Config, Effect, FileSystem, Option } from "effect"
import { hash } from "node:crypto"
import { basename, dirname, extname, isAbsolute, join } from "node:path"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { ProblemCode } from "../diagnostic/Problem.ts"
import type { Span } from "../diagnostic/Span.ts"
import { didYouMean, suggest } from "../diagnostic/suggest.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import { readGazetteerTable } from "../mapping/tables/gazetteerTable.ts"
import { readTableText } from "../mapping/tables/readTable.ts"
import type { SourceSettings } from "../mirror/SourceSettings.ts"
import { wrongUrl } from "../service/settings/OperatorConfig.ts"
import { readTextFile } from "../source/read/readTextFile.ts"
import { FacilityCode, SystemCode } from "../visit/values/Code.ts"
import { baseMapping, defaultService, type Facility, facilityLimits, InvalidFacility } from "./Facility.ts"
import { type FacilitySettings, parseFacility } from "./settings/parseFacility.ts"
import { isCode, type Setting } from "./settings/settingKinds.ts"
import { shippedMappings } from "./shippedMappings.ts"

/**
 * Reads the facility of a command: a `facility.yaml`, or the folder that contains one; without a path the neutral defaults. Environment
 * variables (`FHIR2VISIT_BASE_URL`, `_AUTH_URL`, `_FACILITY_CODE`, `_SYSTEM_CODE`, `_JOURNAL`) take precedence over the file. Fails with
 * all errors at once.
 */
export const readFacility = Effect.fn("readFacility")(function*(path: string | undefined) {
  const problems: Array<Diagnostic> = []
  const file = path === undefined ? null : yield* fileOf(path, problems)
  if (path === undefined && (yield* fileIn(".")) !== undefined) {
    yield* Effect.logWarning("the facility.yaml in this folder is not used: add  --facility .")
  }
  const settings = file === null ? {} : yield* readSettings(file, problems)
  if (settings === undefined || (path !== undefined && file === null)) return yield* new InvalidFacility({ problems })
  const environment = yield* readEnvironment(problems)
  const folder = file === null ? "." : dirname(file)
  const code = environment.code ?? settings.facility?.value
  const system = environment.system ?? settings.system?.value
  const direct = { ...defaultService, ...settings.direct }
  const limits = {
    tokensPerMinute: settings.tokensPerMinute?.value ?? facilityLimits.tokensPerMinute,
    requestsPerHour: settings.requestsPerHour?.value ?? facilityLimits.requestsPerHour,
    reserve: settings.reserve?.value ?? defaultReserve(settings.requestsPerHour?.value)
  }
  if (settings.reserve !== undefined && limits.reserve >= limits.requestsPerHour) {
    problems.push(
      wrong(`\`reserve\` leaves nothing of ${limits.requestsPerHour} requests an hour`, { at: settings.reserve.span })
    )
  }
  const facility: Facility = {
    ...direct,
    file,
    code: code === undefined ? null : FacilityCode(code),
    name: settings.name?.value ?? null,
    system: system === undefined ? null : SystemCode(system),
    timezone: settings.timezone?.value ?? "UTC",
    mapping: yield* findMapping(settings, folder, problems),
    tables: yield* findTables(settings, folder, problems),
    accepted: file === null ? null : yield* findAcceptances(folder),
    service: {
      baseUrl: environment.baseUrl ?? settings.baseUrl?.value ?? null,
      authUrl: environment.authUrl ?? settings.authUrl?.value ?? null,
      caFile: yield* findFile(settings.caFile, folder, "certificate file", problems)
    },
    limits,
    sharedLimits: settings.shared === undefined ? null : resolveIn(folder, settings.shared.value),
    validation: { ...settings.validation, ...yield* findGazetteer(settings.gazetteer, folder, problems) },
    source: settings.source === undefined ? null : resolveSource(folder, settings.source),
    journal: environment.journal
      ?? (settings.journal === undefined
        ? join(folder, ".fhir2visit", `${fileName(code ?? null)}${direct.environment === "demo" ? ".demo" : ""}.sqlite`)
        : resolveIn(folder, settings.journal.value))
  }
  if (problems.length > 0) return yield* new InvalidFacility({ problems: problems.toSorted(byLine) })
  return facility
})

/** One request in a hundred, at most the default reserve. It is 0 below 100 requests an hour. */
const defaultReserve = (requestsPerHour: number = facilityLimits.requestsPerHour): number =>
  Math.min(facilityLimits.reserve, Math.floor(requestsPerHour / 100))

const wrong = (
  title: string,
  { at, code = "invalid-facility", help = [] }: {
    /** The setting. */
    readonly at?: Span | undefined
    readonly help?: ReadonlyArray<string>
    readonly code?: ProblemCode
  } = {}
): Diagnostic => ({
  code,
  severity: "error",
  title,
  ...(at === undefined ? {} : { mapping: at }),
  ...(help.length === 0 ? {} : { help })
})

/** Sorted by position in the file; problems outside the file come last. */
const byLine = (a: Diagnostic, b: Diagnostic): number =>
  (a.mapping?.line ?? Infinity) - (b.mapping?.line ?? Infinity) || 0

/** The file for a path: a folder means the `facility.yaml` in it. */
const fileOf = Effect.fnUntraced(function*(path: string, problems: Array<Diagnostic>) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  if (Option.isNone(info)) {
    problems.push(
      wrong(`file or folder not found: \`${path}\``, {
        help: ["--facility takes a facility.yaml, or a folder that contains one"]
      })
    )
    return null
  }
  if (info.value.type !== "Directory") return path
  const file = yield* fileIn(path)
  if (file !== undefined) return file
  problems.push(wrong(`the folder \`${path}\` has no facility.yaml`, {
    help: ["name the folder of the facility", `or create it there:  fhir2visit init ${path}`]
  }))
  return null
})

const fileIn = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of ["facility.yaml", "facility.yml"]) {
    const file = join(folder, name)
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return file
  }
  return undefined
})

const readSettings = Effect.fnUntraced(function*(file: string, problems: Array<Diagnostic>) {
  const read = yield* readTextFile(file)
  if (read._tag === "Unreadable") {
    problems.push(wrong(`\`${file}\` cannot be read: ${read.why}`, { code: "unreadable-file" }))
    return undefined
  }
  const parsed = parseFacility(file, read.text)
  problems.push(...parsed.problems)
  return parsed.settings
})

/** An environment variable that is set and not empty. */
export const variable = (name: string) =>
  Effect.map(
    Config.option(Config.String(name)),
    (value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))
  )

const readEnvironment = Effect.fnUntraced(function*(problems: Array<Diagnostic>) {
  const address = Effect.fnUntraced(function*(name: string) {
    const value = yield* variable(name)
    const why = value === undefined ? undefined : wrongUrl(value)
    if (why !== undefined) problems.push(wrong(`${name} ${why}`))
    return value
  })
  const code = Effect.fnUntraced(function*(name: string) {
    const value = yield* variable(name)
    if (value !== undefined && !isCode(value)) {
      problems.push(wrong(`${name} is not a code of up to 64 letters, digits and signs`))
    }
    return value
  })
  return {
    baseUrl: yield* address("FHIR2VISIT_BASE_URL"),
    authUrl: yield* address("FHIR2VISIT_AUTH_URL"),
    code: yield* code("FHIR2VISIT_FACILITY_CODE"),
    system: yield* code("FHIR2VISIT_SYSTEM_CODE"),
    journal: yield* variable("FHIR2VISIT_JOURNAL")
  }
})

/** Paths in the file are relative to the folder of the file. */
const resolveIn = (folder: string, path: string): string => (isAbsolute(path) ? path : join(folder, path))

const resolveSource = (folder: string, source: SourceSettings): SourceSettings => ({
  ...source,
  mirror: resolveIn(folder, source.mirror),
  certificate: source.certificate === null ? null : {
    certFile: resolveIn(folder, source.certificate.certFile),
    keyFile: resolveIn(folder, source.certificate.keyFile)
  }
})

/** Finds a mapping: a file, relative to the facility's, or the name of a mapping that the program includes. */
const findMapping = Effect.fnUntraced(
  function*(settings: FacilitySettings, folder: string, problems: Array<Diagnostic>) {
    const fs = yield* FileSystem.FileSystem
    const name = settings.mapping?.value ?? baseMapping
    if (/[/\\]|\.ya?ml$/.test(name)) {
      const file = resolveIn(folder, name)
      const found = yield* Effect.orElseSucceed(fs.exists(file), () => false)
      if (!found) {
        problems.push(
          wrong(`there is no mapping file \`${file}\``, { at: settings.mapping?.span, code: "unreadable-file" })
        )
      }
      return file
    }
    const shipped = shippedMappings()
    const file = shipped.get(name)
    if (file !== undefined) return file
    const near = suggest(name, shipped.keys())
    problems.push({
      ...wrong(`there is no mapping \`${name}\``, {
        at: settings.mapping?.span,
        help: [
          ...(shipped.size === 0 ? [] : [`mappings that come with the program: ${[...shipped.keys()].join(", ")}`]),
          "a file of your own has a path or ends in .yaml:  mapping: ./mapping.yaml"
        ]
      }),
      ...(near === undefined ? {} : { label: didYouMean(near) })
    })
    return name
  }
)

const findFile = Effect.fnUntraced(function*(
  setting: Setting<string> | undefined,
  folder: string,
  what: string,
  problems: Array<Diagnostic>
) {
  if (setting === undefined) return null
  const fs = yield* FileSystem.FileSystem
  const file = resolveIn(folder, setting.value)
  if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return file
  problems.push(wrong(`there is no ${what} \`${file}\``, { at: setting.span, code: "unreadable-file" }))
  return null
})

/** The file in which a facility accepts assumptions. */
export const acceptancesFile = "assumptions.yaml"

const findAcceptances = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const file = join(folder, acceptancesFile)
  return (yield* Effect.orElseSucceed(fs.exists(file), () => false)) ? file : null
})

/** The tables by name: those listed, or every table file of the folder in the order of their names. */
const findTables = Effect.fnUntraced(
  function*(settings: FacilitySettings, folder: string, problems: Array<Diagnostic>) {
    if (settings.tables === undefined) return []
    const fs = yield* FileSystem.FileSystem
    const { span, value } = settings.tables
    if (typeof value === "string") {
      const directory = resolveIn(folder, value)
      const names = yield* Effect.orElseSucceed(fs.readDirectory(directory), () => undefined)
      if (names === undefined) {
        problems.push(
          wrong(`there is no folder \`${directory}\``, {
            at: span,
            help: [`make one with what is missing:  fhir2visit codes unmapped INPUT -o ${value}`],
            code: "unreadable-file"
          })
        )
        return []
      }
      const tables = names.filter((name) => !name.startsWith(".")).toSorted().map((name): NamedTable => ({
        name: basename(name, extname(name)),
        file: join(directory, name),
        span
      }))
      const read = tables.filter(({ file }) => /\.(?:csv|tsv|json|ya?ml)$/iu.test(file))
      // A spreadsheet next to the CSV that was saved from it is expected.
      const unread = tables.filter(({ file, name }) =>
        isTableUnread(basename(file)) && !read.some((one) => one.name === name)
      )
      return [...read, ...unread.map((table) => ({ ...table, isUnread: true }))]
    }
    const tables: Array<NamedTable> = []
    for (const [name, setting] of value) {
      const file = resolveIn(folder, setting.value)
      if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) tables.push({ name, file, span: setting.span })
      else problems.push(wrong(`there is no table file \`${file}\``, { at: setting.span, code: "unreadable-file" }))
    }
    return tables
  }
)

/** Whether a file can be meant as a code table, but has a form that is not read. Spreadsheet programs keep their locks in `~$…`. */
const isTableUnread = (name: string): boolean =>
  /\.(?:xls[xmb]?|ods|fods|numbers|xml|txt|tab|psv|gz|zip)$/iu.test(name) &&
  !/^(?:~|read.?me|licen[cs]e|notes?\b|changes)/iu.test(name)

/** The units of the gazetteer. It is read with the settings, because the rules of every visit need it. */
const findGazetteer = Effect.fnUntraced(function*(
  setting: Setting<string> | undefined,
  folder: string,
  problems: Array<Diagnostic>
) {
  if (setting === undefined) return {}
  const file = resolveIn(folder, setting.value)
  const text = yield* readTableText(file)
  if (text._tag === "Unreadable") {
    const title = `the gazetteer \`${file}\` cannot be read: ${text.why}`
    problems.push(wrong(title, { at: setting.span, help: text.help, code: "unreadable-file" }))
    return {}
  }
  const { places, reader } = readGazetteerTable(file, text.text)
  problems.push(...reader.problems)
  return { gazetteer: places }
})

/** A file name for a code: the code itself if it is a plain word, otherwise a hash of it. */
const fileName = (code: string | null): string => {
  if (code === null) return "journal"
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(code)
    ? code
    : hash("sha256", code).slice(0, 16)
}
