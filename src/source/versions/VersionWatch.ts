import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { isJsonObject, type JsonObject, oneOrMore } from "../../json/JsonObject.ts"
import { getOrMake, increment, mostFrequentFirst } from "../../maps.ts"
import type { InputProblem } from "../InputProblem.ts"
import type { Resource } from "../records/SourceRecord.ts"
import type { FhirVersionSetting, OtherVersion } from "./FhirVersion.ts"
import { otherVersionNames, otherVersionOf, otherVersionOfProfile } from "./FhirVersion.ts"
import type { ElementVersions, Versions } from "./otherVersionTable.ts"
import { elementVersions, otherTypes } from "./otherVersionTable.ts"
import type { Converted, ConvertedVersion } from "./toR4.ts"
import { toR4, typeInR4 } from "./toR4.ts"

/** Evidence that a record is not R4, in words: an element, a type, a profile. */
interface Sign {
  readonly by: string
  readonly versions: Versions
  /** Only its form: R4 has the element, too. Such a record can also be one of R4 that is written wrongly. */
  readonly isForm: boolean
}

/** Records of one file with the same signs. */
interface Shown {
  readonly file: string
  readonly type: string
  readonly signs: ReadonlyArray<Sign>
  readonly line: number
  readonly source: string
  readonly records: number
}

/** What was found, as data that threads can exchange. */
export interface FoundVersions {
  readonly shown: ReadonlyArray<Shown>
  readonly unread: ReadonlyArray<Unread>
}

/** Signs kept for one record. */
const maxSigns = 12
/** Signs listed in one message. */
const maxListed = 8

/** Whether a record of the type states the FHIR version of its server. */
export const statesVersion = (type: string): boolean => type === "CapabilityStatement"

/** Elements in the records of one file that R4 lacks. */
interface Unread {
  readonly file: string
  readonly version: ConvertedVersion
  readonly line: number
  readonly source: string
  records: number
  readonly elements: Map<string, number>
}

/**
 * Reads records of other FHIR versions as R4. The version of a record follows from its type and elements, from `meta.profile`, and from
 * what an input declares. Elements count in records of `types`, which the mapping reads (default: all types). Records that cannot be
 * read as R4 are problems. `rewrite` replaces words of a facility in a record of R4, if it or a record in it has one of the types `rewritten`.
 */
export class VersionWatch {
  readonly #types: ReadonlySet<string> | undefined
  /** Whether a mapping reads a type, under its name in R4 or in another version. */
  readonly #read = new Map<string, boolean>()
  readonly #setting: FhirVersionSetting
  readonly #rewrite: ((resource: Resource) => Resource | undefined) | undefined
  readonly #rewritten: ReadonlySet<string>
  readonly #shown = new Map<string, Shown>()
  readonly #unread = new Map<string, Unread>()

  constructor(
    types: ReadonlySet<string> | undefined,
    setting: FhirVersionSetting = "auto",
    rewrite?: (resource: Resource) => Resource | undefined,
    rewritten: ReadonlySet<string> = new Set()
  ) {
    this.#types = types
    this.#setting = setting
    this.#rewrite = rewrite
    this.#rewritten = rewritten
  }

  /**
   * Returns the record in R4; `undefined` if it is R4 already or cannot be converted. The latter is a problem of the run. A record
   * with only an element in the form of another version is rejected. It is a problem of the run if most records of its type are like that.
   */
  read(resource: Resource, origin: Origin): Converted | undefined {
    const converted = this.#converted(resource, origin)
    const rewritten = this.#rewrite?.(converted?.resource ?? resource)
    return rewritten === undefined
      ? converted
      : { unread: [], nameOf: () => undefined, ...converted, resource: rewritten }
  }

  /**
   * Whether `read` must see every record of a type. If not, it must see a record that contains another record. It must also see a record
   * with an element of `elementVersions`, a profile that `otherVersionOfProfile` knows, or a reference to a type of `otherTypes`.
   */
  mustRead(type: string): boolean {
    const fixed = settings[this.#setting]
    return statesVersion(type) || otherTypes.has(type) || this.#rewritten.has(type) ||
      (fixed !== null && fixed !== undefined && this.#isRead(type))
  }

  #converted(resource: Resource, { file, line, reference }: Origin): Converted | undefined {
    const signs = this.#signsOf(resource)
    const version = this.#versionOf(resource, signs)
    const converted = version === undefined ? undefined : toR4(resource, version)
    if (converted === undefined) {
      // A type that is not converted matters only if a mapping reads it.
      const isIgnored = version !== undefined && !this.#isRead(resource.resourceType)
      if (signs !== undefined && !isIgnored && !this.#isStatement(resource)) {
        this.#add({ file, type: resource.resourceType, signs, line, source: reference, records: 1 }, 0)
        if (signs.every(({ isForm }) => isForm)) {
          return { resource, unread: [], rejectedFor: signs.map(({ by }) => by).join(", "), nameOf: () => undefined }
        }
      }
      return undefined
    }
    const { unread } = converted
    if (unread.length > 0) {
      const elements = new Map(unread.map((element) => [element, 1]))
      this.#addUnread({ file, version: converted.version, line, source: reference, records: 1, elements }, 0)
    }
    return converted
  }

  /** Returns the version that a record is read as; `undefined` if it is R4, unknown or not convertible. */
  #versionOf(resource: Resource, signs: ReadonlyArray<Sign> | undefined): ConvertedVersion | undefined {
    const fixed = settings[this.#setting]
    if (signs === undefined) return this.#isRead(resource.resourceType) ? fixed ?? undefined : undefined
    const shown = versionsOf({ signs })
    if (fixed !== undefined) return fixed !== null && shown.includes(fixed) ? fixed : undefined
    return shown.find((version) => version === "STU3" || version === "R5")
  }

  #isRead(type: string): boolean {
    const types = this.#types
    if (types === undefined) return true
    // Every record asks.
    return getOrMake(
      this.#read,
      type,
      () => types.has(type) || types.has(typeInR4("STU3", type)) || types.has(typeInR4("R5", type))
    )
  }

  /** Whether a record states a version that is converted. Records of that server are then examined one by one. */
  #isStatement(resource: Resource): boolean {
    return statesVersion(resource.resourceType) && isConverted(otherVersionOf(resource.fhirVersion), this.#setting)
  }

  #addUnread(found: Unread, lines: number): void {
    const key = `${found.version}\n${found.file}`
    const known = this.#unread.get(key)
    if (known === undefined) return void this.#unread.set(key, { ...found, line: found.line + lines })
    known.records += found.records
    for (const [element, times] of found.elements) {
      increment(known.elements, element, times)
    }
  }

  /** Adds the version that an input declares: in the log of an export, or in a CapabilityStatement. */
  stated(version: OtherVersion, { file, line, reference }: Origin): void {
    if (isConverted(version, this.#setting)) return
    const signs = [{ by: "`fhirVersion`", versions: [version], isForm: false }]
    this.#add({ file, type: "", signs, line, source: reference, records: 1 }, 0)
  }

  data(): FoundVersions {
    return { shown: [...this.#shown.values()], unread: [...this.#unread.values()] }
  }

  /** Adds what was found in a chunk of a file that begins after this many lines. */
  take({ shown, unread }: FoundVersions, lines: number): void {
    for (const one of shown) this.#add(one, lines)
    for (const one of unread) this.#addUnread(one, lines)
  }

  /**
   * Returns one problem for each version in a file; none if every record is R4, or rejected. `readOf` returns how many records of a type were
   * read from a file and not rejected.
   */
  problems(readOf: (file: string, type: string) => number = () => 0): ReadonlyArray<Diagnostic> {
    const forms = new Map<string, number>()
    const keyOf = ({ file, type }: Shown): string => `${type} ${file}`
    const isForm = ({ signs }: Shown): boolean => signs.every((sign) => sign.isForm)
    const shown = [...this.#shown.values()]
    for (const one of shown) if (isForm(one)) increment(forms, keyOf(one), one.records)
    const ofRun = shown.filter((one) => !isForm(one) || (forms.get(keyOf(one)) ?? 0) >= readOf(one.file, one.type))
    return [...Map.groupBy(ofRun, ({ file }) => file).values()].flatMap(problemsOfFile)
  }

  /** Reports elements that R4 lacks, with one warning for each version in a file. */
  notes(): ReadonlyArray<Diagnostic> {
    return [...this.#unread.values()].map(unreadProblem)
  }

  #add(shown: Shown, lines: number): void {
    const key = `${shown.file}\n${shown.type}\n${shown.signs.map(({ by }) => by).join("\n")}`
    const known = this.#shown.get(key)
    if (known === undefined) this.#shown.set(key, { ...shown, line: shown.line + lines })
    else this.#shown.set(key, { ...known, records: known.records + shown.records })
  }

  #signsOf(resource: Resource): ReadonlyArray<Sign> | undefined {
    const { resourceType: type } = resource
    const types = otherTypes.get(type)
    const isRead = this.#isRead(type)
    if (types === undefined && !isRead && !statesVersion(type)) return undefined
    const signs: Array<Sign> = []
    const found = (by: string, versions: Versions, isForm = false): void => {
      if (signs.length < maxSigns && !signs.some((sign) => sign.by === by)) signs.push({ by, versions, isForm })
    }
    if (types !== undefined) found(`type \`${type}\``, types)
    // Requirements for servers do not show the version of this server.
    if (statesVersion(type) && resource.kind !== "requirements") {
      const version = otherVersionOf(resource.fhirVersion)
      if (version !== undefined) found("`CapabilityStatement.fhirVersion`", [version])
    }
    const { contained, meta } = resource
    const profiles = isJsonObject(meta) ? oneOrMore(meta.profile) : []
    for (const profile of profiles) {
      const version = otherVersionOfProfile(profile)
      if (version !== undefined) found("`meta.profile`", [version])
    }
    if (isRead) {
      findElements(resource, elementVersions(type), type, found)
      const references: Array<OtherReference> = []
      findReferences(resource, 2, references)
      for (const one of references) found(`\`${type}${one.path}\` to \`${one.type}\``, one.versions)
    }
    for (const one of oneOrMore(contained)) {
      if (isJsonObject(one) && typeof one.resourceType === "string") {
        const theirs = otherTypes.get(one.resourceType)
        if (theirs !== undefined) found(`type \`${one.resourceType}\``, theirs)
        findElements(one, elementVersions(one.resourceType), one.resourceType, found)
      }
    }
    return signs.length === 0 ? undefined : signs
  }
}

/** Finds elements that distinguish other versions from R4. */
const findElements = (
  holder: JsonObject,
  elements: ElementVersions | undefined,
  path: string,
  found: (by: string, versions: Versions, isForm?: boolean) => void
): void => {
  const below = elements?.below
  if (below === undefined) return
  // All enumerable members of parsed JSON are own members.
  for (const name in holder) {
    const known = below.get(name)
    if (known === undefined) continue
    const at = `${path}.${name}`
    for (const value of oneOrMore(holder[name])) {
      if (value === null || value === undefined) continue
      if (known.element !== undefined) found(`\`${at}\``, byForm(value, known.element))
      if (isJsonObject(value)) {
        if (known.asObject !== undefined) found(`\`${at}\` as an object`, known.asObject, true)
        findElements(value, known, at, found)
      } else if (known.asText !== undefined) {
        found(`\`${at}\` as a ${typeof value === "string" ? "text" : typeof value}`, known.asText, true)
      }
    }
  }
}

/** Distinguishes R5, which has a code or a reference under its own name; older versions have one of both. */
const byForm = (value: unknown, versions: Versions): Versions => {
  if (!versions.includes("R5") || versions.length === 1 || !isJsonObject(value)) return versions
  const isR5 = isJsonObject(value.concept) || isJsonObject(value.reference) || "value" in value
  return isR5
    ? ["R5"]
    : "coding" in value || "text" in value
    ? versions.filter((version) => version !== "R5")
    : versions
}

/** A reference to a record of a type that R4 lacks. */
interface OtherReference {
  /** The elements on the way to it, each with a point before it. */
  path: string
  readonly type: string
  readonly versions: Versions
}

/**
 * Finds references to records of types that R4 lacks, down to the depth at which elements contain references. Almost no record has one, so
 * its path is put together on the way back.
 */
const findReferences = (holder: JsonObject, depth: number, found: Array<OtherReference>): void => {
  const { reference } = holder
  const type = typeof reference === "string" ? reference.slice(0, Math.max(0, reference.indexOf("/"))) : ""
  const versions = type === "" ? undefined : otherTypes.get(type)
  if (versions !== undefined) found.push({ path: "", type, versions })
  if (depth === 0) return
  // As above.
  for (const name in holder) {
    const value = holder[name]
    if (typeof value !== "object" || name === "contained" || name === "extension" || name === "text") continue
    const before = found.length
    if (Array.isArray(value)) {
      const items: ReadonlyArray<unknown> = value
      for (const one of items) if (isJsonObject(one)) findReferences(one, depth - 1, found)
    } else if (isJsonObject(value)) findReferences(value, depth - 1, found)
    if (found.length > before) { for (const one of found.slice(before)) one.path = `.${name}${one.path}` }
  }
}

/** The version to convert from, for each setting: `null` leaves records as R4, `undefined` decides for each record. */
const settings: Readonly<Record<FhirVersionSetting, ConvertedVersion | null | undefined>> = {
  auto: undefined,
  "4.0.1": null,
  "4.3.0": null,
  "5.0.0": "R5",
  "3.0.2": "STU3"
}

/** Whether records of a version are converted under a setting. */
const isConverted = (version: OtherVersion | undefined, setting: FhirVersionSetting): boolean =>
  settings[setting] === undefined ? version === "R5" || version === "STU3" : version === settings[setting]

/** Returns the versions that explain most of the signs of a record. */
const versionsOf = ({ signs }: Pick<Shown, "signs">): Versions => {
  const counts = otherVersionNames.map((version) => signs.filter(({ versions }) => versions.includes(version)).length)
  const best = Math.max(...counts)
  return otherVersionNames.filter((_, index) => counts[index] === best)
}

/** Reports the smallest set of versions that explains every record of the file, those of most records first. */
const problemsOfFile = (shown: ReadonlyArray<Shown>): ReadonlyArray<Diagnostic> => {
  const problems: Array<Diagnostic> = []
  let left = shown.map((one) => ({ one, versions: versionsOf(one) }))
  while (left.length > 0) {
    const recordsOf = (version: OtherVersion): number =>
      left.reduce((sum, { one, versions }) => sum + (versions.includes(version) ? one.records : 0), 0)
    const version = otherVersionNames.reduce((best, other) => (recordsOf(other) > recordsOf(best) ? other : best))
    const isOf = ({ versions }: { readonly versions: Versions }): boolean => versions.includes(version)
    problems.push(problemOf(version, left.filter(isOf).map(({ one }) => one)))
    left = left.filter((one) => !isOf(one))
  }
  return problems
}

const unreadProblem = ({ elements, file, line, records, source, version }: Unread): Diagnostic => ({
  code: "other-fhir-version",
  severity: "warning",
  title: `records of FHIR ${version} have elements that R4 does not have`,
  source,
  origin: { file, line, reference: source },
  facts: [
    ["records", String(records)],
    ["not read", listCounted(new Map([...elements].map(([name, times]) => [`\`${name}\``, times])))]
  ],
  help: ["ignore this if the visits do not need these elements; a mapping reads the records as R4"]
})

/** Reports a record that would have another meaning in R4, or that has an element in the form of another version. */
export const rejectedProblem = (
  version: OtherVersion | undefined,
  element: string,
  source: string
): InputProblem => ({
  code: "other-fhir-version",
  severity: "error",
  title: version === undefined
    ? `a record has ${element}, which R4 does not have in this form`
    : `a record of FHIR ${version} has \`${element}\`, without which it would mean something else in R4`,
  source,
  help: ["correct the record in the source system, so that R4 has it"]
})

/** Lists names with their counts, the most frequent first. */
const listCounted = (counts: ReadonlyMap<string, number>): string => {
  const sorted = mostFrequentFirst(counts)
  return sorted.slice(0, maxListed).map(([by, times]) => `${by} (${times})`).join(", ") +
    (sorted.length > maxListed ? ", …" : "")
}

const problemOf = (version: OtherVersion, shown: ReadonlyArray<Shown>): Diagnostic => {
  const { file, line, source } = shown.reduce((first, one) => one.line < first.line ? one : first)
  const counts = new Map<string, number>()
  for (const { records, signs } of shown) {
    for (const { by } of signs) increment(counts, by, records)
  }
  const records = shown.reduce((sum, one) => sum + one.records, 0)
  return {
    code: "other-fhir-version",
    severity: "error",
    title: `the file has records of FHIR ${version}, and the mapping reads R4`,
    source,
    origin: { file, line, reference: source },
    facts: [
      ["records", String(records)],
      ["shown by", listCounted(counts)]
    ],
    help: [
      "export the records as FHIR R4 (4.0.1); most servers do so for  Accept: application/fhir+json; fhirVersion=4.0",
      "if the other files are R4, convert them without this one: records of two versions cannot be converted together"
    ]
  }
}
