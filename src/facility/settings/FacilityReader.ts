import type { ProblemCode } from "../../diagnostic/Problem.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { SyntaxEntry, SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { SyntaxReader } from "../../mapping/language/SyntaxReader.ts"
import { isLoopback } from "../../service/settings/OperatorConfig.ts"
import type { FacilitySettings } from "./parseFacility.ts"

/** A setting and its source location. */
export interface Setting<A> {
  readonly value: A
  readonly span: Span
}

const secrets = /pass|secret|user|client|token(?!s?PerMinute)/i

/** Reads the settings of a facility, each by its type. */
export class FacilityReader extends SyntaxReader {
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

  /** Reads a code that is sent in a header: visible ASCII, no blanks at its ends. */
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
      didYouMean(near),
      ["a name of the IANA time zone database: Area/City"]
    )
  }

  url(map: SyntaxMap | undefined, key: string): Setting<string> | undefined {
    const setting = this.setting(map, key)
    const wrong = setting === undefined ? undefined : wrongUrl(setting.value)
    if (setting === undefined || wrong === undefined) return setting
    return this.report("invalid-facility", setting.span, `\`${key}\` ${wrong}`)
  }

  /** Reads a word that is part of a query: letters, digits and the punctuation of names. */
  word(map: SyntaxMap | undefined, key: string): string | undefined {
    const setting = this.setting(map, key)
    if (setting === undefined || /^[A-Za-z][\w[\].-]{0,63}$/u.test(setting.value)) return setting?.value
    return this.report("invalid-facility", setting.span, `\`${key}\` is a word`)
  }

  /** Reads a duration between two limits, in milliseconds. */
  duration(
    map: SyntaxMap | undefined,
    key: string,
    least: string,
    max: string,
    ...other: ReadonlyArray<string>
  ): number | undefined {
    const setting = this.setting(map, key)
    if (setting === undefined) return undefined
    const millis = millisOf(setting.value)
    if (millis !== undefined && millis >= millisOf(least)! && millis <= millisOf(max)!) return millis
    return this.report(
      "invalid-facility",
      setting.span,
      `\`${key}\` is a length of time from ${least} to ${max}`,
      undefined,
      ["a number and its unit, s, m, h or d:  90s, 15m, 1h, 7d", ...other]
    )
  }

  /** Reads `on` or `off`; YAML 1.1 also allows `true` and `false`. */
  onOff(map: SyntaxMap | undefined, key: string): boolean | undefined {
    const entry = map?.entries.get(key)
    if (entry === undefined) return undefined
    const { value } = entry
    if (value.kind === "scalar" && typeof value.value === "boolean") return value.value
    const word = this.oneOf(entry, `\`${key}\``, ["on", "off"])
    return word === undefined ? undefined : word === "on"
  }

  /** Returns true if a setting that may be a text is switched off. */
  isOff(map: SyntaxMap | undefined, key: string): boolean {
    const value = map?.entries.get(key)?.value
    return value?.kind === "scalar" && (value.value === false || value.value === "off")
  }

  /** The value of a key, unless it is YAML's `null`, which means the default. */
  given(map: SyntaxMap | undefined, key: string): SyntaxEntry | undefined {
    const entry = map?.entries.get(key)
    return entry?.value.kind === "scalar" && entry.value.value === null ? undefined : entry
  }

  /** Reads a percentage between two limits, as a fraction of 1. */
  percent(map: SyntaxMap | undefined, key: string, least: number, max: number): number | undefined {
    const setting = this.setting(map, key)
    const percent = Number(/^(\d{1,3}) ?%$/u.exec(setting?.value ?? "")?.[1])
    if (setting === undefined || (percent >= least && percent <= max)) return setting && percent / 100
    return this.report("invalid-facility", setting.span, `\`${key}\` is from ${least}% to ${max}%`)
  }

  count(
    map: SyntaxMap | undefined,
    key: string,
    least: number,
    max: number = Number.POSITIVE_INFINITY
  ): Setting<number> | undefined {
    const entry = map?.entries.get(key)
    if (entry === undefined) return undefined
    const { value } = entry
    if (
      value.kind === "scalar" && typeof value.value === "number" && Number.isInteger(value.value) &&
      value.value >= least && value.value <= max
    ) {
      return { value: value.value, span: value.span }
    }
    return this.report(
      "invalid-facility",
      value.span,
      `\`${key}\` is a whole number, ${
        max === Number.POSITIVE_INFINITY ? `at least ${least}` : `from ${least} to ${max}`
      }`
    )
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

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `15m` in milliseconds; `undefined` if it is not a duration. */
const millisOf = (text: string): number | undefined => {
  const found = /^(\d{1,6}) ?(ms|[smhd])$/u.exec(text)
  return found === null ? undefined : Number(found[1]) * units[found[2]!]!
}

/** A code issued by the operator, as it may appear in a header (§4.1). */
export const isCode = (value: string): boolean => /^[\x21-\x7E](?:[\x20-\x7E]{0,62}[\x21-\x7E])?$/.test(value)

/** Returns true for a name of the IANA database; an offset such as `+07:00` is not one. */
const isTimezone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Intl.DateTimeFormat("en", { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Why a text cannot be the address of the service, or `undefined`. Plain http is only for loopback. */
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
