import type { Origin } from "../../diagnostic/Origin.ts"
import { findFault } from "../../json/findFault.ts"
import {
  isJsonObject,
  jsonListOf,
  type JsonObject,
  jsonObjectOf,
  jsonTextOf,
  oneOrMore
} from "../../json/JsonObject.ts"
import type { LongLine } from "../../json/LongLine.ts"
import { type InvalidRecordReason, notePart } from "../../json/parseRecord.ts"
import { repeatedName } from "../../json/repeatedName.ts"
import { memberTexts, objectPattern } from "../../json/unparsed.ts"
import { type Evidence, evidenceIn } from "../evidence/Evidence.ts"
import { outcomeConcerns } from "../evidence/outcomeConcerns.ts"
import { type InputProblem, lineOrigin, problemAt } from "../InputProblem.ts"
import type { LazyRecord } from "../records/LazyRecord.ts"
import { originOfRecord } from "../records/originOfRecord.ts"
import { labelsOfBundle } from "../records/recordLabels.ts"
import { resourceTypes } from "../records/resourceTypes.ts"
import { baseOf } from "../records/Servers.ts"
import { type BundleContext, isResource, type Resource, type SourceRecord } from "../records/SourceRecord.ts"
import { unreadableInText } from "../records/unreadableInText.ts"
import { identifiersOf, type UnreadableRecord } from "../records/UnreadableRecord.ts"
import { otherVersionOf } from "../versions/FhirVersion.ts"
import { addressInR4, type Converted } from "../versions/toR4.ts"
import { rejectedProblem, type VersionWatch } from "../versions/VersionWatch.ts"
import {
  anyOfType,
  bundleKey,
  bundleTime,
  contentHashOf,
  isBundleLike,
  linksOf,
  missingAt,
  requestedRecord,
  resourcesOfParameters
} from "./bundles.ts"
import { invalidRecordProblems } from "./invalidRecordProblems.ts"
import {
  deletionOfMany,
  entriesWithoutResource,
  entryWithoutType,
  misspeltType,
  patchedRecord,
  type Stray,
  strayValue,
  unknownType,
  untypedBundle,
  withoutStatedRecords
} from "./notResourceProblems.ts"
import type { ReadItem, ReadProblem, Written } from "./ReadItem.ts"

/** One parsed entry of a Bundle, or why it is rejected, with its source location. */
export interface Entry {
  readonly value: unknown
  readonly line: number
}

/** What surrounds a resource in its file. */
interface ResourceContext {
  readonly bundle?: BundleContext
  readonly fullUrl?: string | undefined
  /** The line of NDJSON that is the resource. */
  readonly written?: Written | undefined
}

interface ExtractorOptions {
  /** The user gave this file, rather than a folder with it. */
  readonly named?: boolean
  /** The types or tables that its name announces. */
  readonly expected?: ReadonlyArray<string>
  /** Reads records of other versions of FHIR as R4; without it they stay unchanged. */
  readonly versions?: VersionWatch | undefined
}

/** Extracts the content of one file: values go in, records and problems come out. */
export class RecordExtractor {
  readonly file: string
  readonly #named: boolean
  readonly #expected: ReadonlyArray<string>
  readonly #versions: VersionWatch | undefined
  #items: Array<ReadItem> = []
  #records = 0
  /** Messages of a server among them, and resources of types unknown to FHIR. */
  #others = 0
  /** Values that are not resources, before the first resource. */
  readonly #strays: Array<Stray> = []
  readonly #unknownTypes = new Set<string>()
  #malformed: { readonly line: number; count: number; readonly lost: Array<UnreadableRecord> } | undefined
  #hasContent = false

  constructor(file: string, { expected = [], named = true, versions }: ExtractorOptions = {}) {
    this.#versions = versions
    this.file = file
    this.#named = named
    this.#expected = expected
  }

  /** Whether anything was found so far: a record, other JSON, or a problem. */
  get hasContent(): boolean {
    return this.#hasContent
  }

  /** Whether items were collected since the last call of `take`. */
  get hasItems(): boolean {
    return this.#items.length > 0
  }

  /** Returns the items collected since the last call. */
  take(): ReadonlyArray<ReadItem> {
    const items = this.#items
    this.#items = []
    return items
  }

  /** Reports what is reported once per file. The caller must have read the whole file. */
  finish(): void {
    this.#reportStrays()
    if (this.#malformed === undefined) return
    const { count, line, lost } = this.#malformed
    this.#malformed = undefined
    this.problem(line, entriesWithoutResource(count), { lost })
  }

  /** If the file has no records but a server's message or an incomplete export, the missing records are unknown. */
  #reportStrays(): void {
    const strays = this.#strays.splice(0)
    const isEmpty = this.#records === this.#others && strays.length + this.#others > 0
    if (isEmpty && this.#expected.some((name) => name !== "OperationOutcome")) {
      return this.problem(strays[0]?.line ?? 1, withoutStatedRecords(this.#expected, strays[0]), {
        lost: strays.flatMap(({ lost }) => lost),
        breaksOff: true
      })
    }
    // Logs or statistics in the folder lose nothing; a line among resources is a lost record, and so is a resource within other JSON.
    const isLost = this.#named || this.#records > 0
    for (const stray of strays) this.#reportStray(stray, isLost || stray.holdsResources === true ? "error" : "warning")
  }

  #reportStray(stray: Stray, severity: "error" | "warning"): void {
    this.problem(stray.line, strayValue(stray, severity), severity === "error" ? { lost: stray.lost } : {})
  }

  problem(
    line: number,
    diagnostic: InputProblem,
    more: Pick<ReadProblem, "lost" | "breaksOff" | "cut" | "ends"> = {}
  ): void {
    this.#hasContent = true
    this.#items.push(problemAt(this.file, line, diagnostic, more))
  }

  /** Reports a JSON value that exceeds a limit or holds values that cannot be passed on; `bytes` is its text. */
  unfit(line: number, why: InvalidRecordReason | "too-large", bytes: Buffer): void {
    const text = bytes.toString("utf8")
    const lost = unreadableInText(text)
    const name = why === "repeated-name" ? repeatedName(text)?.name : undefined
    const source = lost[0]?.names.find((one) => /^[A-Za-z]+\/[\w.-]+$/u.test(one))
    this.problem(line, {
      ...invalidRecordProblems[why],
      ...(source === undefined ? {} : { source }),
      ...(name === undefined || !/^[A-Za-z_]\w{0,40}$/u.test(name) ? {} : { facts: [["name", name]] })
    }, { lost })
  }

  /** Reports a line that is too long. If only part of it was read, the rest is unknown. */
  tooLong(line: number, gist: LongLine): void {
    const text = gist.text()
    const cut = gist.isPartial || findFault(text) !== undefined
    this.problem(line, invalidRecordProblems["too-large"], { lost: unreadableInText(text), ...(cut ? { cut } : {}) })
  }

  /** Reads a value at the top of a file, on a line, or in an array: a resource, a Bundle, or a wrapper of them. */
  value(value: unknown, line: number, written?: Written): void {
    this.#hasContent = true
    if (Array.isArray(value)) {
      if (value.length === 0) {
        this.#reportStray({ line, what: "an empty array", lost: [] }, this.#named ? "error" : "warning")
      }
      for (const element of value) this.value(element, line)
    } else if (!isJsonObject(value)) this.#notAResource(line, value === null ? "null" : `a ${typeof value}`)
    else if (isResource(value)) this.#resource(value, line, { written })
    else if (isBundleLike(value)) this.#bundleLike(value, line)
    else {
      this.#version(value, line)
      const evidence = evidenceIn(value)
      if (evidence !== undefined) return this.#evidence(evidence, lineOrigin(this.file, line))
      // Exports and fixtures wrap resources: {"patient": {…}, "results": [{…}, {…}]}.
      const { held = [], others = [] } = Object.groupBy(
        Object.entries(value),
        ([, member]) => oneOrMore(member).some(isResource) ? "held" : "others"
      )
      const rest = JSON.stringify(Object.fromEntries(others))
      if (held.length === 0 || mentionsTypes(rest)) this.#notAResource(line, "an object without `resourceType`", rest)
      for (const [, member] of held) for (const one of oneOrMore(member)) this.value(one, line)
    }
  }

  /** Adds a record that is not parsed yet. */
  later(record: LazyRecord): void {
    this.#hasContent = true
    this.#count(record.type)
    this.#items.push({ _tag: "Record", record })
  }

  /** Reads a Bundle whose entries have been parsed one by one. `hashes` are those of the entries, in any order. */
  bundle(header: JsonObject, entries: Iterable<Entry>, hashes: ReadonlyArray<string>): void {
    this.#hasContent = true
    const type = typeof header.type === "string" ? header.type : ""
    const [identifier] = identifiersOf(header.identifier)
    const key = bundleKey(header, hashes)
    const from = this.#items.length
    let line = 1
    const writtenAt = bundleTime(header)
    let context: BundleContext | undefined
    for (const entry of entries) {
      line = entry.line
      if (context === undefined) {
        const labels = labelsOfBundle(header, entry.value)
        context = {
          key,
          type,
          ...(identifier === undefined ? {} : { identifier }),
          ...(labels.length === 0 ? {} : { labels })
        }
      }
      this.#entry(entry.value, entry.line, context, writtenAt)
    }
    const links = linksOf(header.link)
    if (links.has("next") || links.has("previous") || links.has("prev")) this.#page(links, from, line)
  }

  /** Reads the server's version from the first line of an export's log: `{"eventId": "kickoff", "eventDetail": {"fhirVersion": …}}`. */
  #version(value: JsonObject, line: number): void {
    const version = otherVersionOf((isJsonObject(value.eventDetail) ? value.eventDetail : value).fhirVersion)
    if (version !== undefined) this.#versions?.stated(version, lineOrigin(this.file, line))
  }

  #page(links: ReadonlyMap<string, string>, from: number, line: number): void {
    const types = this.#items.slice(from).flatMap((item) =>
      item._tag === "Record" ? [item.record.resource.resourceType] : []
    )
    const [self, next] = [links.get("self"), links.get("next")]
    this.#items.push({
      _tag: "Page",
      page: {
        origin: lineOrigin(this.file, line),
        ...(self === undefined ? {} : { self }),
        ...(next === undefined ? {} : { next }),
        follows: links.has("previous") || links.has("prev"),
        types: [...new Set(types)]
      }
    })
  }

  #resource(resource: Resource, line: number, { bundle, fullUrl, written }: ResourceContext): void {
    if (resource.resourceType === "Bundle") {
      if (resource.entry !== undefined && !Array.isArray(resource.entry)) this.#countMalformed(line, resource.entry)
      return this.#parsedBundle(resource, jsonListOf(resource.entry), line)
    }
    if (resource.resourceType === "Parameters") {
      const held = resourcesOfParameters(resource.parameter)
      for (const one of held) this.value(one, line)
      if (held.length > 0) return
    }
    const origin = originOfRecord(this.file, line, resource, fullUrl)
    const spelling = r4Spelling(resource.resourceType)
    if (spelling !== undefined) return this.#misspelt(resource, spelling, origin)
    const converted = this.#versions?.read(resource, origin)
    if (converted !== undefined) {
      return this.#converted(converted, resource, origin, { fullUrl, bundle, isLine: written !== undefined })
    }
    this.#count(resource.resourceType)
    if (resource.resourceType === "OperationOutcome") this.#evidence({ _tag: "Outcome", outcome: resource }, origin)
    if (!resourceTypes.has(resource.resourceType)) this.#unknownType(resource.resourceType, origin)
    const record: SourceRecord = fullUrl === undefined
      ? bundle === undefined ? { origin, resource } : { origin, resource, bundle }
      : bundle === undefined
      ? { origin, resource, fullUrl }
      : { origin, resource, fullUrl, bundle }
    this.#items.push(written === undefined ? { _tag: "Record", record } : { _tag: "Record", record, written })
  }

  /** Adds a record that was rewritten; its text in the file is then not its content. */
  #converted(
    { nameOf, rejectedFor, resource, version }: Converted,
    written: Resource,
    { file, line, reference }: Origin,
    { bundle, fullUrl, isLine }: {
      readonly fullUrl: string | undefined
      readonly bundle: BundleContext | undefined
      readonly isLine: boolean
    }
  ): void {
    if (rejectedFor !== undefined) {
      return this.problem(line, rejectedProblem(version, rejectedFor, reference), {
        lost: unreadableInText(JSON.stringify(written))
      })
    }
    const name = fullUrl === undefined || version === undefined ? fullUrl : addressInR4(version, fullUrl)
    this.#count(resource.resourceType)
    this.#items.push({
      _tag: "Record",
      record: {
        origin: originOfRecord(file, line, resource, name),
        resource,
        nameInSource: nameOf,
        ...(name === undefined ? {} : { fullUrl: name }),
        ...(bundle === undefined ? {} : { bundle })
      },
      ...(isLine ? { isRewritten: true } : {})
    })
  }

  #evidence(evidence: Evidence, origin: Origin): void {
    this.#items.push({ _tag: "Evidence", evidence, origin })
  }

  #entry(entry: unknown, line: number, bundle: BundleContext, writtenAt: string | undefined): void {
    if (!isJsonObject(entry)) return this.#countMalformed(line, entry)
    const { fullUrl, request, resource } = entry
    const { method } = jsonObjectOf(request)
    const operation = typeof method === "string" ? method.trim().toUpperCase() : undefined
    if (operation === "DELETE") return this.#deletion(entry, line, bundle, writtenAt)
    if (operation === "PATCH") return this.#patch(entry, line)
    if (resource === undefined && (isJsonObject(entry.response) || operation === "GET" || operation === "HEAD")) {
      return this.#response(entry, line)
    }
    if (!isJsonObject(resource)) return this.#countMalformed(line, entry)
    if (isResource(resource)) {
      notePart(entry, resource)
      return this.#resource(resource, line, {
        bundle,
        fullUrl: jsonTextOf(fullUrl)
      })
    }
    this.problem(line, entryWithoutType, { lost: unreadableInText(JSON.stringify(resource)) })
  }

  /** An entry without a resource is a server's response, or a request to read. A response with an error may lack a record. */
  #response({ fullUrl, request, response }: JsonObject, line: number): void {
    if (!isJsonObject(response)) return
    const origin: Origin = lineOrigin(this.file, line)
    const { location, outcome, status } = response
    const isFailure = typeof status === "string" && /^\s*[45]\d\d/u.test(status)
    if (isJsonObject(outcome) && (!isFailure || outcomeConcerns(outcome).length > 0)) {
      return this.#evidence({ _tag: "Outcome", outcome }, origin)
    }
    if (!isFailure) return
    const names = [location, jsonObjectOf(request).url, fullUrl]
    const diagnostics = names.find((name) => typeof name === "string")
    this.#evidence({ _tag: "Outcome", outcome: { issue: [{ severity: "error", diagnostics }] } }, origin)
  }

  /** An entry with `request.method` PATCH changes a resource. What it is after the change is not known. */
  #patch({ request }: JsonObject, line: number): void {
    const { target, url } = requestedRecord(request)
    this.problem(line, patchedRecord, {
      lost: target === undefined
        ? [anyOfType(url)]
        : unreadableInText(JSON.stringify({ resourceType: target.type, id: target.id }))
    })
  }

  #deletion(
    { fullUrl, request, response }: JsonObject,
    line: number,
    bundle: BundleContext,
    writtenAt: string | undefined
  ): void {
    const { target, url } = requestedRecord(request)
    if (target === undefined) {
      // Any record of the type may be deleted, so visits that such a record may concern are held.
      return this.problem(line, deletionOfMany, { lost: [anyOfType(url)] })
    }
    const { lastModified } = jsonObjectOf(response)
    const at = typeof lastModified === "string" ? lastModified : writtenAt
    const reference = `${target.type}/${target.id}`
    const base = target._tag === "Absolute"
      ? target.base
      : typeof fullUrl === "string"
      ? baseOf(fullUrl)
      : undefined
    const origin: Origin = { file: this.file, line, reference }
    this.#items.push({
      _tag: "Deletion",
      deletion: {
        reference,
        ...(base === undefined ? {} : { base }),
        ...(at === undefined ? {} : { at }),
        origin,
        bundle
      }
    })
  }

  #bundleLike(value: JsonObject, line: number): void {
    this.problem(line, untypedBundle)
    this.#parsedBundle(value, jsonListOf(value.entry), line)
  }

  /** Reads a Bundle that was parsed as a whole: its entries have its line. */
  #parsedBundle(header: JsonObject, entries: ReadonlyArray<unknown>, line: number): void {
    this.bundle(
      header,
      entries.map((value) => ({ value, line })),
      entries.map((entry) => contentHashOf(JSON.stringify(entry)))
    )
  }

  #count(type: string): void {
    this.#records++
    if (type === "OperationOutcome" || !resourceTypes.has(type)) this.#others++
  }

  #countMalformed(line: number, entry: unknown): void {
    this.#malformed ??= { line, count: 0, lost: [] }
    this.#malformed.count++
    const { fullUrl, request } = jsonObjectOf(entry)
    const address = jsonTextOf(fullUrl) ?? jsonTextOf(jsonObjectOf(request).url)
    const found = unreadableInText(JSON.stringify(entry)).filter(({ names, references }) =>
      names.length + references.length > 0
    )
    this.#malformed.lost.push(...found.length > 0 || address === undefined ? found : [missingAt(address)])
  }

  /** Rejects a record whose type is that of R4 in another case or with spaces: its visit must not be sent without it. */
  #misspelt(resource: Resource, type: string, { line, reference }: Origin): void {
    this.problem(line, misspeltType(type, reference.slice(resource.resourceType.length)), {
      lost: unreadableInText(JSON.stringify({ ...resource, resourceType: type }))
    })
  }

  #unknownType(type: string, origin: Origin): void {
    if (this.#unknownTypes.has(type)) return
    this.#unknownTypes.add(type)
    this.#items.push({ _tag: "Problem", diagnostic: { ...unknownType(type), origin } })
  }

  #notAResource(line: number, what: string, text = ""): void {
    const stray = {
      line,
      what,
      lost: unreadableInText(text),
      holdsResources: mentionsTypes(text),
      isVisits: ofVisits.test(text)
    }
    if (this.#records > 0 || (this.#named && this.#expected.length === 0)) this.#reportStray(stray, "error")
    else this.#strays.push(stray)
  }
}

/** Whether a text has members that state the type of a resource. */
const mentionsTypes = (text: string): boolean => memberTexts(text, "resourceType").some((type) => /^[A-Z]/u.test(type))

const typesByLetters = new Map([...resourceTypes].map((type) => [type.toLowerCase(), type]))

/** Returns the type of R4 with the same letters; `undefined` if a type is spelt as in R4, or has no such type. */
const r4Spelling = (type: string): string | undefined =>
  resourceTypes.has(type) ? undefined : typesByLetters.get(type.toLowerCase().replaceAll(/[\s\p{Cf}_-]/gu, ""))

const ofVisits = new RegExp(`^${objectPattern("visits", "health_facility_code")}`, "u")
