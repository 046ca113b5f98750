import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { anything, type InferredType, oneOf } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"
import { codesOfStatus, statusPlaces, type StatusWords } from "../../fhirpath/infer/statusOf.ts"
import type { BundleRule, GroupingPath, GroupingPlan, TimeWindow } from "../grouping/GroupingPlan.ts"
import { bundleKeys, bundlesKeys, documentKeys, groupingKeys, windowKeys } from "../language/grammar/groupingGrammar.ts"
import { keysOf, readValues, type Values } from "../language/grammar/Kind.ts"
import type { Syntax, SyntaxEntry, SyntaxMap, SyntaxScalar } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { Remark } from "../MappingPlan.ts"
import type { CheckedPath, CompilePath, PathUse } from "./expressions/PathScope.ts"

/**
 * Reads the keys of `grouping:`, one per method. Paths are evaluated on records of the root's type, or on those of the types for
 * which they are written.
 */
export class GroupingReader {
  readonly #reader: SyntaxReader
  readonly #map: SyntaxMap
  readonly #keys: Values<typeof groupingKeys>
  /** The source location of `grouping`. */
  readonly #key: SyntaxEntry["key"]
  readonly #compile: CompilePath
  readonly #model: Model
  #rootType: string | undefined

  constructor(
    reader: SyntaxReader,
    map: SyntaxMap,
    key: SyntaxEntry["key"],
    compile: CompilePath,
    model: Model
  ) {
    this.#reader = reader
    this.#map = map
    this.#keys = readValues(reader, groupingKeys, map)
    this.#key = key
    this.#compile = compile
    this.#model = model
  }

  /** Reads all keys; `undefined` if a required one is missing or invalid. */
  plan(): GroupingPlan | undefined {
    const rootType = this.#rootType = this.#resource()
    const partOf = this.#partOf()
    const patient = this.#fromRoot("patient", patients)
    const links = this.#links()
    const patientScope = this.#patientScope()
    const where = this.#where()
    const { copies, rootIsEncounter, understood } = this.#keys
    const kind = this.#keys.kind && this.#path(this.#keys.kind, this.#root)?.plan
    const status = this.#status()
    const start = this.#times("`start`", this.#keys.start, this.#root)
    const end = this.#times("`end`", this.#keys.end, this.#root)
    const windows = this.#windows()
    const bundles = this.#bundles()
    if (rootType === undefined || patient === undefined || (partOf === undefined && !this.#isTable)) return undefined
    return {
      rootType,
      where,
      copies,
      understood: new Set(understood),
      status,
      ...(partOf === undefined ? {} : { partOf }),
      rootIsEncounter,
      ...(kind === undefined ? {} : { kind }),
      patient: patient.plan,
      patientTables: this.#tablesOf(patient.found),
      start,
      end,
      links,
      windows,
      bundles,
      patientScope
    }
  }

  /** The type of the root, for checking its paths. If unknown, `Encounter` is assumed, so that they are checked as well. */
  get #root(): string {
    return this.#rootType ?? "Encounter"
  }

  /** Returns whether the root is a table: its rows are linked by the keys of their tables. */
  get #isTable(): boolean {
    return this.#rootType !== undefined && /^[a-z]/u.test(this.#rootType)
  }

  #resource(): string | undefined {
    const type = this.#keys.resource
    if (!this.#map.entries.has("resource")) {
      return this.#reader.report("missing-key", this.#key, "`grouping` needs the `resource` that can be a visit")
    }
    return type !== undefined && this.#isKnown(type.value, type.span) ? type.value : undefined
  }

  #partOf(): GroupingPath | undefined {
    // `partOf` is optional for the rows of a table.
    if (this.#isTable && !this.#map.entries.has("partOf")) return undefined
    return this.#fromRoot("partOf", [this.#root])?.plan
  }

  /** Returns the tables among the types of a path, which its links lead to; `undefined` if a type is unknown. */
  #tablesOf({ typePaths }: InferredType): ReadonlySet<string> | undefined {
    const { isResourceType, linkTarget } = this.#model
    const tables = [...typePaths ?? [undefined]].map((typePath) =>
      typePath === undefined || isResourceType(typePath) ? typePath : linkTarget(typePath)
    )
    return tables.every((table) => table !== undefined) ? new Set(tables) : undefined
  }

  /** Reads a required path from the root. */
  #fromRoot(key: "partOf" | "patient", to: ReadonlyArray<string>): CheckedPath | undefined {
    const scalar = this.#keys[key]
    if (!this.#map.entries.has(key)) {
      return this.#reader.report("missing-key", this.#key, `\`grouping\` needs a path for \`${key}\``)
    }
    if (scalar === undefined) return undefined
    return this.#isTable ? this.#path(scalar, this.#root) : this.#leading(`\`${key}\``, scalar, this.#root, to)
  }

  #links(): ReadonlyMap<string, ReadonlyArray<GroupingPath>> {
    const links = new Map<string, ReadonlyArray<GroupingPath>>()
    const entry = this.#keys.link
    const map = entry === undefined ? undefined : this.#reader.map(entry.value, "`link`")
    for (const [type, { value }] of this.#known(map)) {
      const what = `the link of ${type}`
      links.set(
        type,
        this.#reader.texts(value, what).flatMap((scalar) =>
          (this.#isTable || type === "*"
            ? this.#path(scalar, type)?.plan
            : this.#leading(what, scalar, type, [this.#root])?.plan) ?? []
        )
      )
    }
    return links
  }

  #patientScope(): ReadonlyMap<string, GroupingPath> {
    const patientScope = new Map<string, GroupingPath>()
    const entry = this.#keys.patientScope
    const map = entry === undefined ? undefined : this.#reader.names(entry.value, "`patientScope`")
    for (const [type, { value }] of this.#known(map)) {
      const what = `the patient of ${type}`
      const advice = "a record that refers to its patient in several elements:  a | b  in one path"
      const scalar = this.#reader.path(value, what, advice)
      if (scalar === undefined) continue
      const path = (this.#isTable ? this.#path(scalar, type) : this.#leading(what, scalar, type, patients))?.plan
      if (path !== undefined) patientScope.set(type, path)
    }
    return patientScope
  }

  #where(): ReadonlyArray<GroupingPath> {
    return (this.#keys.where ?? []).flatMap((scalar) => this.#path(scalar, this.#root, "condition")?.plan ?? [])
  }

  /** Reads the facility's own words for statuses. A code of R4 keeps its meaning. */
  #status(): StatusWords {
    const found = new Map<string, ReadonlyMap<string, string>>()
    const entry = this.#keys.status
    const map = entry === undefined ? undefined : this.#reader.names(entry.value, "`status`", statusPlaces())
    for (const [place, { value }] of map?.entries ?? []) {
      const codes = codesOfStatus(place)
      if (codes.length === 0) continue
      const words = new Map<string, string>()
      for (const [word, own] of this.#reader.names(value, `the status words of ${place}`)?.entries ?? []) {
        const code = this.#reader.oneOf(own, `the status \`${word}\``, codes)
        if (codes.includes(word)) {
          this.#reader.report("invalid-value", own.key, `\`${word}\` is a code of FHIR R4 and keeps its meaning`)
        } else if (code !== undefined) words.set(word, code)
      }
      found.set(place, words)
    }
    return found
  }

  #windows(): ReadonlyMap<string, TimeWindow> {
    const windows = new Map<string, TimeWindow>()
    const entry = this.#keys.window
    const map = entry === undefined ? undefined : this.#reader.names(entry.value, "`window`")
    for (const [type, window] of this.#known(map)) {
      if (type === "*") {
        this.#sharedWindow(window.value, map?.entries.size ?? 0)
        continue
      }
      const read = this.#window(type, window)
      if (read !== undefined) windows.set(type, read)
    }
    return windows
  }

  /** Checks `"*"`. The merge has already copied it to each window of the mapping below, where its errors are reported. */
  #sharedWindow(value: Syntax, windows: number): void {
    if (value.kind !== "map") {
      this.#reader.report("invalid-value", value.span, "a window must be a map of names and values", {
        help: ["enable all windows of the mapping below:  window: {\"*\": {enabled: true}}"]
      })
    } else if (windows === 1) {
      this.#reader.report("invalid-value", value.span, "the mapping below has no windows", {
        help: ["write one for each type:  window: {Observation: {patient: subject, time: effective}}"]
      })
    }
  }

  /** Reads how records of one type are assigned by patient and time; `undefined` if the window is closed. */
  #window(type: string, { key, value }: SyntaxEntry): TimeWindow | undefined {
    const reader = this.#reader
    if (value.kind === "scalar" && typeof value.value === "boolean") {
      return reader.report("invalid-value", value.span, "a window must be a map of names and values", {
        help: [`write  {enabled: ${value.value}}`]
      })
    }
    const map = reader.names(value, "a window", keysOf(windowKeys))
    if (map === undefined) return undefined
    const { after, before, enabled, several, ...keys } = readValues(reader, windowKeys, map, {
      patient: `the patient of ${type}`,
      time: `the time of ${type}`
    })
    const patient = (keys.patient ?? []).flatMap((scalar) => this.#path(scalar, type)?.plan ?? [])
    const time = this.#times(`the time of ${type}`, keys.time, type)
    for (const word of ["patient", "time"] as const) {
      if (map.entries.has(word)) continue
      reader.report("missing-key", key, `a window needs a path for \`${word}\``, { help: [windowAdvice[word]] })
    }
    return enabled ? { span: key, patient, time, before, after, several, ...this.#assumption(value) } : undefined
  }

  /** Reads which types of Bundles are one visit. */
  #bundles(): ReadonlyMap<string, BundleRule> {
    const reader = this.#reader
    const bundles = new Map<string, BundleRule>()
    const entry = this.#keys.bundle
    const map = entry === undefined ? undefined : reader.names(entry.value, "`bundle`", keysOf(bundlesKeys))
    for (const [type, { key, value }] of map?.entries ?? []) {
      const keys = reader.names(value, "a type of Bundles", keysOf(type === "document" ? documentKeys : bundleKeys))
      if (keys === undefined) continue
      const { enabled, where = [] } = readValues(reader, documentKeys, keys)
      const conditions = where.flatMap((scalar) => this.#path(scalar, "Composition", "condition")?.plan ?? [])
      if (enabled) bundles.set(type, { span: key, where: conditions, ...this.#assumption(value) })
    }
    return bundles
  }

  #assumption(value: Syntax): Remark {
    return value.kind === "map" ? this.#reader.remark(value) : {}
  }

  /** Reads the paths to the time of a record. */
  #times(
    what: string,
    paths: ReadonlyArray<SyntaxScalar> | undefined,
    type: string
  ): ReadonlyArray<GroupingPath> {
    return (paths ?? []).flatMap((scalar) => {
      const checked = this.#path(scalar, type)
      if (checked === undefined) return []
      const typePaths = [...checked.found.typePaths ?? []]
      if (typePaths.length > 0 && !typePaths.some((typePath) => times.has(typePath))) {
        const label = `finds ${typePaths.slice(0, 3).join(" or ")}`
        this.#reader.report("wrong-type", scalar.span, `${what} is not a time`, {
          label,
          help: ["end the path in a date, a time or a Period"]
        })
      }
      return [checked.plan]
    })
  }

  #path(scalar: SyntaxScalar, type: string, use?: PathUse): CheckedPath | undefined {
    return this.#compile(scalar, { focus: type === "*" ? anything : oneOf(type), parent: anything }, use)
  }

  /** Reads a path that leads from a record of one type to a record of another. */
  #leading(
    what: string,
    scalar: SyntaxScalar,
    type: string,
    to: ReadonlyArray<string>
  ): CheckedPath | undefined {
    const checked = this.#path(scalar, type)
    if (checked === undefined) return undefined
    const { typePaths, targets } = checked.found
    const found = [...typePaths ?? []]
    if (found.length > 0 && !found.some((typePath) => this.#refers(typePath, to))) {
      const references = this.#references(type)
      this.#reader.report("wrong-type", scalar.span, `${what} refers to no record`, {
        label: `finds ${found.slice(0, 3).join(" or ")}`,
        help: [
          references.length === 0 ? "end the path in a reference" : `elements that refer: ${references.join(", ")}`
        ]
      })
    } else if (
      targets !== undefined && found.every((typePath) => typePath === "Reference") &&
      !to.some((one) => targets.has(one))
    ) {
      const fitting = this.#referencesTo(type, to)
      const goal = to.join(" or ")
      this.#reader.report("wrong-type", scalar.span, `${what} never refers to ${goal}`, {
        label: `refers to ${[...targets].slice(0, 4).join(" or ")}`,
        help: fitting.length === 0 ? [] : [`elements that refer to ${goal}: ${fitting.join(", ")}`]
      })
    }
    return checked
  }

  #refers(typePath: string, to: ReadonlyArray<string>): boolean {
    const { isKindOf, linkTarget } = this.#model
    return typePath === "Reference" || typePath === "Element" || typePath === "Resource" || to.includes(typePath) ||
      isKindOf(typePath, "uri") || linkTarget(typePath) !== undefined
  }

  #references(type: string): ReadonlyArray<string> {
    const { elementNames, typesOfElement } = this.#model
    return elementNames(type).filter((name) => typesOfElement(type, name)?.has("Reference") === true)
  }

  #referencesTo(type: string, to: ReadonlyArray<string>): ReadonlyArray<string> {
    const { elementNames, targetsOfElement } = this.#model
    return elementNames(type).filter((name) => targetsOfElement(type, name)?.some((one) => to.includes(one)))
  }

  /** Yields the entries of a map by type, and reports unknown types. */
  *#known(map: SyntaxMap | undefined): Iterable<readonly [string, SyntaxEntry]> {
    for (const [type, entry] of map?.entries ?? []) if (this.#isKnown(type, entry.key)) yield [type, entry]
  }

  #isKnown(type: string, span: SyntaxScalar["span"]): boolean {
    const { isResourceType, noSuchType, resourceTypes } = this.#model
    if (type === "*" || isResourceType(type)) return true
    this.#reader.report("unknown-element", span, noSuchType(type), {
      label: didYouMean(suggest(type, resourceTypes()))
    })
    return false
  }
}

/** The types that a patient can have. */
const patients = ["Patient"]

const times: ReadonlySet<string> = new Set(["date", "dateTime", "instant", "Period", "string", "Element", "Resource"])

const windowAdvice = {
  patient: "add the path to the patient, for example  patient: subject",
  time: "set the time of such a record, for example  time: recordedDate"
}
