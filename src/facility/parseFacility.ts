import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { ProblemCode } from "../diagnostic/Problem.ts"
import type { Span } from "../diagnostic/Span.ts"
import { suggest } from "../diagnostic/suggest.ts"
import type { SyntaxEntry, SyntaxMap } from "../mapping/MappingSyntax.ts"
import { parseYaml } from "../mapping/parseYaml.ts"
import { SyntaxReader } from "../mapping/SyntaxReader.ts"
import { isLoopback } from "../operator/OperatorConfig.ts"
import { type FacilityValidation, type FillableField, fillableFields } from "./Facility.ts"
import { parseValidation } from "./parseValidation.ts"

/** A setting and where it is written. */
export interface Setting<A> {
  readonly value: A
  readonly span: Span
}

/** A `facility.yaml` as written. What is missing is absent; the file's own paths are not resolved yet. */
export interface FacilitySettings {
  readonly facility?: Setting<string>
  readonly system?: Setting<string>
  readonly timezone?: Setting<string>
  readonly mapping?: Setting<string>
  /** A folder of tables, or each table's file by its name. */
  readonly tables?: Setting<string | ReadonlyMap<string, Setting<string>>>
  readonly baseUrl?: Setting<string>
  readonly authUrl?: Setting<string>
  readonly caFile?: Setting<string>
  readonly tokensPerMinute?: Setting<number>
  readonly requestsPerHour?: Setting<number>
  readonly reserve?: Setting<number>
  readonly journal?: Setting<string>
  readonly fillPatient?: Setting<ReadonlyArray<FillableField>>
  readonly validation?: Partial<FacilityValidation>
}

const keys = [
  "facility",
  "system",
  "timezone",
  "mapping",
  "tables",
  "service",
  "limits",
  "journal",
  "validation",
  "beneficiary"
]
const secrets = /pass|secret|user|client|token(?!s?PerMinute)/i

/** Reads the text of a `facility.yaml`, and reports everything that is wrong with it. Without settings, it is not one at all. */
export const parseFacility = (
  file: string,
  text: string
): { readonly settings?: FacilitySettings; readonly problems: ReadonlyArray<Diagnostic> } => {
  const reader = new FacilityReader()
  if (text.trim() === "") {
    reader.report("invalid-facility", { file, line: 1, column: 1, endColumn: 2 }, "the file is empty", undefined, [
      "write at least `facility: CODE` and `timezone: Area/City`"
    ])
    return { problems: reader.problems }
  }
  const { problems, syntax } = parseYaml(file, text)
  if (syntax === undefined) return { problems }
  const root = reader.map(syntax, "a facility file", keys)
  if (root === undefined) return { problems: reader.problems }
  const service = reader.mapOf(root, "service", ["baseUrl", "authUrl", "caFile"])
  const limits = reader.mapOf(root, "limits", ["tokensPerMinute", "requestsPerHour", "reserve"])
  const settings = {
    facility: reader.code(root, "facility"),
    system: reader.code(root, "system"),
    timezone: reader.timezone(root),
    mapping: reader.setting(root, "mapping"),
    tables: reader.tables(root),
    baseUrl: reader.url(service, "baseUrl"),
    authUrl: reader.url(service, "authUrl"),
    caFile: reader.setting(service, "caFile"),
    tokensPerMinute: reader.count(limits, "tokensPerMinute", 1),
    requestsPerHour: reader.count(limits, "requestsPerHour", 1),
    reserve: reader.count(limits, "reserve", 0),
    journal: reader.setting(root, "journal"),
    fillPatient: reader.fillPatient(root),
    validation: parseValidation(reader, root)
  }
  if (!root.entries.has("timezone")) {
    reader.report(
      "missing-key",
      { ...root.span, endColumn: root.span.column + 1 },
      "a facility file names its `timezone`",
      undefined,
      ["the zone of times that have no offset, for example  timezone: Asia/Phnom_Penh"]
    )
  }
  return { settings: present(settings), problems: reader.problems }
}

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

const present = <A extends object>(settings: A): Present<A> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Present<A>

class FacilityReader extends SyntaxReader {
  override report(
    code: ProblemCode,
    span: Span,
    title: string,
    label?: string,
    help?: ReadonlyArray<string>
  ): undefined {
    return super.report(code === "invalid-value" ? "invalid-facility" : code, span, title, label, help)
  }

  override unknownKey(key: string, span: Span, what: string, known: ReadonlyArray<string>): void {
    if (secrets.test(key)) {
      this.report("unknown-key", span, `secrets are not kept in ${what}: \`${key}\``, undefined, [
        "set FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_ID and FHIR2VISIT_CLIENT_SECRET,",
        "or name a file that holds one: FHIR2VISIT_PASSWORD_FILE"
      ])
    } else super.unknownKey(key, span, what, known)
  }

  mapOf(root: SyntaxMap, key: string, known: ReadonlyArray<string>): SyntaxMap | undefined {
    const entry = root.entries.get(key)
    return entry === undefined ? undefined : this.map(entry.value, `\`${key}\``, known)
  }

  setting(map: SyntaxMap | undefined, key: string): Setting<string> | undefined {
    const entry = map?.entries.get(key)
    const value = this.text(entry, `\`${key}\``)
    return entry === undefined || value === undefined ? undefined : { value, span: entry.value.span }
  }

  /** A code that is sent in a header: visible ASCII, no blanks at its ends. */
  code(map: SyntaxMap, key: string): Setting<string> | undefined {
    const setting = this.setting(map, key)
    if (setting === undefined || isCode(setting.value)) return setting
    return this.report("invalid-facility", setting.span, `\`${key}\` is a code of up to 64 letters, digits and signs`)
  }

  timezone(map: SyntaxMap): Setting<string> | undefined {
    const setting = this.setting(map, "timezone")
    if (setting === undefined || isTimezone(setting.value)) return setting
    const near = suggest(setting.value, Intl.supportedValuesOf("timeZone"))
    return this.report(
      "invalid-facility",
      setting.span,
      `there is no time zone \`${setting.value}\``,
      near === undefined ? undefined : `did you mean \`${near}\`?`,
      ["a name of the IANA time zone database: Area/City"]
    )
  }

  url(map: SyntaxMap | undefined, key: string): Setting<string> | undefined {
    const setting = this.setting(map, key)
    const wrong = setting === undefined ? undefined : wrongUrl(setting.value)
    if (setting === undefined || wrong === undefined) return setting
    return this.report("invalid-facility", setting.span, `\`${key}\` ${wrong}`)
  }

  count(map: SyntaxMap | undefined, key: string, least: number): Setting<number> | undefined {
    const entry = map?.entries.get(key)
    if (entry === undefined) return undefined
    const { value } = entry
    if (
      value.kind === "scalar" && typeof value.value === "number" && Number.isInteger(value.value) &&
      value.value >= least
    ) {
      return { value: value.value, span: value.span }
    }
    return this.report("invalid-facility", value.span, `\`${key}\` is a whole number, at least ${least}`)
  }

  fillPatient(root: SyntaxMap): FacilitySettings["fillPatient"] | undefined {
    const map = this.mapOf(root, "beneficiary", ["fill"])
    const entry = map?.entries.get("fill")
    if (map === undefined || entry === undefined) return undefined
    const value = this.texts(entry.value, "`fill`").flatMap((text) => {
      const field = fillableFields.find((field) => field === text.value)
      if (field === undefined) {
        this.report("invalid-facility", text.span, "only some fields of a patient can be filled in", undefined, [
          `fill: [${fillableFields.join(", ")}]`
        ])
      }
      return field === undefined ? [] : [field]
    })
    return { value: [...new Set(value)], span: map.span }
  }

  tables(map: SyntaxMap): FacilitySettings["tables"] | undefined {
    const entry = map.entries.get("tables")
    if (entry === undefined) return undefined
    if (entry.value.kind !== "map") return this.setting(map, "tables")
    const files = new Map<string, Setting<string>>()
    for (const [name, table] of entry.value.entries) {
      const file = this.tableFile(name, table)
      if (file !== undefined) files.set(name, file)
    }
    return { value: files, span: entry.value.span }
  }

  tableFile(name: string, entry: SyntaxEntry): Setting<string> | undefined {
    const value = this.text(entry, `the table \`${name}\``)
    return value === undefined ? undefined : { value, span: entry.value.span }
  }
}

/** A code the operator issues, as it can stand in a header (§4.1). */
export const isCode = (value: string): boolean => /^[\x21-\x7E](?:[\x20-\x7E]{0,62}[\x21-\x7E])?$/.test(value)

/** A name of the IANA database; an offset such as `+07:00` is not one. */
export const isTimezone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Intl.DateTimeFormat("en", { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Why a text cannot be the address of the service, or `undefined`. Plain http is for loopback alone. */
export const wrongUrl = (value: string): string | undefined => {
  if (!URL.canParse(value)) return "is not an address: https://host"
  const url = new URL(value)
  if (url.username !== "" || url.password !== "") {
    return "holds a user name or a password: these come from the environment"
  }
  if (url.search !== "" || url.hash !== "") return "ends with the host or a path, without `?` and `#`"
  if (url.protocol === "https:") return undefined
  if (url.protocol !== "http:") return "is not an https address"
  return isLoopback(url.hostname) ? undefined : "is plain http: only https is used, except on this machine"
}
