import { isJsonObject, type JsonObject, oneOrMore } from "../../json/JsonObject.ts"
import { isResource, type Resource } from "../records/SourceRecord.ts"
import { fromR5 } from "./fromR5.ts"
import { fromStu3 } from "./fromStu3.ts"
import type { Rewrite, Rules, VersionRules } from "./Rule.ts"

/** Versions whose records are rewritten as R4. */
const convertedVersions = { R5: fromR5, STU3: fromStu3 } as const satisfies Readonly<
  Record<string, VersionRules>
>
export type ConvertedVersion = keyof typeof convertedVersions

/** A record of another version, in the form of R4; or of R4, with a facility's own words for a status replaced. */
export interface Converted {
  readonly resource: Resource
  readonly version?: ConvertedVersion
  /** Elements that R4 lacks, by their paths as written. */
  readonly unread: ReadonlyArray<string>
  /** An element without which the record would have another meaning in R4. */
  readonly rejectedFor?: string
  /** The source's name for an element of the record: `Encounter.actualPeriod.start` for `Encounter.period.start`. */
  readonly nameOf: (path: string) => string | undefined
}

/** Converts a record to R4; `undefined` if its type has no rules. */
export const toR4 = (
  resource: Resource,
  version: ConvertedVersion
): Converted & { readonly version: ConvertedVersion } | undefined => {
  const rules: VersionRules = convertedVersions[version]
  if (!Object.hasOwn(rules.elements, resource.resourceType)) return undefined
  const rewriter = new Rewriter(rules, resource)
  const converted = rewriter.whole()
  const { names, rejectedFor, unread } = rewriter
  return {
    resource: converted,
    version,
    unread: [...unread],
    ...(rejectedFor === undefined ? {} : { rejectedFor }),
    nameOf: (path) => sourceName(names, path)
  }
}

/** Returns R4's name for the type of a record or of a reference's target. */
export const typeInR4 = (version: ConvertedVersion, type: string): string =>
  renamedType(convertedVersions[version], type)

const renamedType = ({ types }: VersionRules, type: string): string =>
  Object.hasOwn(types, type) ? types[type] ?? type : type

/** The path of an element in the source. `isWhole`: the path ends here, because only R4 has what is below it. */
interface SourcePath {
  readonly path: string
  readonly isWhole: boolean
}

const sourceName = (names: ReadonlyMap<string, SourcePath>, path: string): string | undefined => {
  for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
    const found = names.get(path.slice(0, end))
    if (found !== undefined) return found.isWhole ? found.path : found.path + path.slice(end)
  }
  return undefined
}

type Built = Record<string, unknown>

/** The path that is read, and the path that is written. */
interface Paths {
  readonly from: string
  readonly at: string
}

/** An object of R4 in the making, and the members that it gets when all members of its source are read. */
interface Target {
  readonly built: Built
  readonly after: Array<Readonly<Record<string, unknown>>>
}

/** An object of the source, and how it is read. */
interface Holder {
  readonly holder: JsonObject
  readonly rules: Rules
  readonly paths: Paths
}

/** Rewrites one record, and collects what R4 cannot hold. */
class Rewriter {
  readonly unread = new Set<string>()
  readonly names = new Map<string, SourcePath>()
  rejectedFor: string | undefined
  /** Records of R4 that the rewritten one contains, in addition to its own. */
  readonly #contained: Array<Built> = []
  readonly #source: Resource
  readonly #rules: VersionRules

  constructor(rules: VersionRules, source: Resource) {
    this.#rules = rules
    this.#source = source
  }

  /** Returns the whole record in R4. */
  whole(): Resource {
    const built = this.resource(this.#source)
    return this.#contained.length === 0
      ? built
      : { ...built, contained: [...oneOrMore(built.contained ?? []), ...this.#contained] }
  }

  resource(source: Resource): Resource {
    const type = source.resourceType
    const own = this.#rules.elements[type] ?? {}
    const { contained } = source
    const held = Array.isArray(contained)
      ? { ...source, contained: contained.map((one: unknown) => (isResource(one) ? this.resource(one) : one)) }
      : source
    const paths = { from: type, at: renamedType(this.#rules, type) }
    const built = this.#object(held, own, paths)
    if (paths.at !== type) set(built, "resourceType", paths.at)
    if (type === "ReferralRequest" && typeof built.id === "string") set(built, "id", `${type}-${built.id}`)
    // Renaming references keeps the form of the resource.
    return this.#renamed(built) as Resource
  }

  #object(source: JsonObject, rules: Rules, paths: Paths): Built {
    const target: Target = { built: {}, after: [] }
    const origin = { holder: source, rules, paths }
    for (const key of Object.keys(source)) this.#member(target, key, origin)
    const { after, built } = target
    for (const more of after) {
      // A record that was entered in error, or is only a draft, is not restated.
      if (source.status === "entered-in-error" || source.status === "draft") continue
      for (const [name, value] of Object.entries(more)) set(built, name, value)
    }
    return built
  }

  #member(target: Target, key: string, { holder, paths, rules }: Holder): void {
    const { built } = target
    const name = key.startsWith("_") ? key.slice(1) : key
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    const value = holder[key]
    const from = `${paths.from}.${name}`
    if (rule === undefined || value === null) return this.#put(built, key, value, { from, at: paths.at })
    if (rule === null) {
      this.unread.add(from)
      return this.#put(built, key, value, { from, at: paths.at })
    }
    const rewrite: Rewrite = typeof rule === "string" ? { to: rule } : rule
    if (key !== name) {
      // The extension of a primitive follows the primitive.
      if (Object.keys(rewrite).every((key) => isOfRename.has(key))) {
        return this.#put(built, underscored(rewrite.to ?? name), value, { from, at: paths.at })
      }
      this.unread.add(from)
      return
    }
    if (rewrite.unless !== undefined && holder[rewrite.unless] !== undefined) {
      if (rewrite.contained !== undefined) this.unread.add(from)
      return
    }
    this.#element(target, { name, value }, rewrite, { from, at: paths.at })
  }

  /** Writes one element of the source into an object of R4. */
  #element(
    target: Target,
    { name, value }: { readonly name: string; readonly value: unknown },
    rule: Rewrite,
    paths: Paths
  ): void {
    const { after, built } = target
    const { from } = paths
    const to = rule.to ?? name
    let values = expanded(oneOrMore(value), rule.each)
    if (rule.contained !== undefined) {
      const references = values.map((one) => this.#held(rule.contained ?? "", one))
      return this.#place(built, to, { values: references, isMany: false }, paths)
    }
    if (rule.extension !== undefined) {
      this.#extend(built, values, rule.extension, from)
      if (rule.extension === true) return
      if (rule.extension === "others") values = values.slice(0, 1)
    }
    if (rule.means !== undefined) {
      for (const one of values) {
        const meaning = rule.means[codeOf(one) ?? ""]
        if (meaning !== undefined) after.push(meaning)
        else if (rule.rejects === true) this.rejectedFor ??= from
        else this.unread.add(from)
      }
      return
    }
    if (rule.up !== undefined) {
      for (const one of values) {
        if (!isJsonObject(one)) continue
        if (rule.up.reference !== undefined && !isCodeableReference(one)) {
          this.#place(built, name, { values: [one], isMany: Array.isArray(value) }, paths)
          continue
        }
        for (const key of Object.keys(one)) {
          if (Object.hasOwn(rule.up, key.replace(/^_/u, ""))) {
            this.#member(target, key, { holder: one, rules: rule.up, paths })
          } else if (key !== "id") this.unread.add(`${from}.${key}`)
        }
      }
      return
    }
    if (rule.cases !== undefined) return this.#byCode(built, values, rule, paths)
    const isMany = rule.many ?? Array.isArray(value)
    if (rule.reference !== undefined) {
      const concepts: Array<unknown> = []
      const references: Array<unknown> = []
      const others: Array<unknown> = []
      for (const one of values) {
        if (!isCodeableReference(one)) others.push(one)
        else {
          if (one.concept !== undefined) concepts.push(one.concept)
          if (one.reference !== undefined) references.push(one.reference)
        }
      }
      this.#place(built, to, { values: concepts, isMany }, { from: `${from}.concept`, at: paths.at })
      const pathOfReference = { from: `${from}.reference`, at: paths.at }
      this.#place(built, rule.reference, { values: references, isMany }, pathOfReference)
      return this.#place(built, name, { values: others, isMany }, paths)
    }
    const inside = { from, at: `${paths.at}.${to.replaceAll("[]", "")}` }
    const rewritten = values.map((one) => this.#value(one, rule, inside)).filter((one) => one !== undefined)
    const { isWhole, path } = sourceOf(from, rule)
    this.#place(built, to, { values: rewritten, isMany }, { from: path, at: paths.at, isWhole })
  }

  /** Writes values into extensions of an object. */
  #extend(
    built: Built,
    values: ReadonlyArray<unknown>,
    which: NonNullable<Rewrite["extension"]>,
    from: string
  ): void {
    const url = `${this.#rules.extensions}${from}`
    const kept = values.filter((value, index) =>
      which === true || (which === "others" ? index > 0 : typeof value === "string" && which.includes(value))
    )
    const written = kept.map((value) => ({ url, [nameOfValue(value)]: value }))
    if (written.length > 0) set(built, "extension", [...oneOrMore(built.extension ?? []), ...written])
  }

  /** Returns a reference to a new record with a code, which the whole record contains. */
  #held(type: string, code: unknown): JsonObject {
    const { contained, subject } = this.#source
    const held = [...oneOrMore(contained ?? []), ...this.#contained]
    const known = new Set(held.map((one) => isJsonObject(one) ? one.id : undefined))
    let number = 1
    while (known.has(`code-${number}`)) number++
    const id = `code-${number}`
    this.#contained.push({ resourceType: type, id, ...(subject === undefined ? {} : { subject }), code })
    return { reference: `#${id}` }
  }

  /** Converts one value to the form of R4; `undefined` if R4 lacks it. */
  #value(value: unknown, rule: Rewrite, paths: Paths): unknown {
    const { from } = paths
    if (rule.codes !== undefined || rule.system !== undefined) {
      if (typeof value !== "string") return value
      const code = rule.codes?.[value] ?? value
      return rule.system === undefined ? code : { coding: [{ system: rule.system, code }] }
    }
    if (rule.wrap !== undefined) {
      const isPlain = isJsonObject(value) ? !(rule.wrap in value) : rule.wrap !== "coding"
      return isPlain ? { [rule.wrap]: rule.wrap === "coding" ? [value] : value } : value
    }
    if (rule.take !== undefined) return this.#taken(value, rule.take.split("."), from, rule.prefers)
    return rule.below !== undefined && isJsonObject(value) ? this.#object(value, rule.below, paths) : value
  }

  #taken(value: unknown, [name, ...names]: ReadonlyArray<string>, from: string, prefers?: string): unknown {
    if (name === undefined || !isJsonObject(value)) return value
    if (!(name in value)) {
      if (!isCodeableReference(value) && !("text" in value && name === "coding")) return value
      this.unread.add(from)
      return undefined
    }
    const all = oneOrMore(value[name])
    const first = all.find((one) => isJsonObject(one) && prefers !== undefined && one.system === prefers) ?? all[0]
    // The code of a required list has one system, so display and text only repeat its meaning.
    const isSame = (key: string): boolean =>
      key === "id" || key === name ||
      (name === "coding" && key === "text" && isJsonObject(first) && first.display === value.text)
    for (const key of Object.keys(value)) if (!isSame(key) && name !== "code") this.unread.add(`${from}.${key}`)
    if (all.length > 1) this.unread.add(`${from}.${name}`)
    return this.#taken(first, names, `${from}.${name}`, prefers)
  }

  #byCode(built: Built, values: ReadonlyArray<unknown>, rule: Rewrite, paths: Paths): void {
    const [by, take] = [rule.by ?? "", rule.take ?? ""]
    for (const one of values) {
      if (!isJsonObject(one) || one[take] === undefined) continue
      const to = rule.cases?.[codeOf(one[by]) ?? ""]
      for (const key of Object.keys(one)) {
        if (key !== "id" && key !== by && key !== take) this.unread.add(`${paths.from}.${key}`)
      }
      if (to === undefined) this.unread.add(`${paths.from}.${take}`)
      else {
        const placed = { values: [one[take]], isMany: rule.many === true }
        this.#place(built, to, placed, { from: `${paths.from}.${take}`, at: paths.at })
      }
    }
  }

  /** Appends values at a path of R4. */
  #place(
    built: Built,
    to: string,
    { isMany, values }: { readonly values: ReadonlyArray<unknown>; readonly isMany: boolean },
    { at, from, isWhole = false }: Paths & { readonly isWhole?: boolean }
  ): void {
    if (values.length === 0) return
    const path = `${at}.${to.replaceAll("[]", "")}`
    if (path !== from || isWhole) {
      for (const name of [path, path.replace(choice, "")]) this.names.set(name, { path: from, isWhole })
    }
    const names = to.split(".")
    const last = names.at(-1) ?? to
    const holder = names.slice(0, -1).reduce(within, built)
    const known = Object.hasOwn(holder, last) ? holder[last] : undefined
    if (isMany) return set(holder, last, [...(known === undefined ? [] : oneOrMore(known)), ...values])
    if (known === undefined) set(holder, last, values[0])
    else if (isJsonObject(known) && isJsonObject(values[0])) {
      set(holder, last, { ...values[0], ...known })
      if (Object.keys(values[0]).some((key) => Object.hasOwn(known, key))) this.unread.add(from)
    } else this.unread.add(from)
    if (values.length > 1) this.unread.add(from)
  }

  #put(built: Built, key: string, value: unknown, { at, from }: Paths): void {
    if (value === undefined) return
    if (Object.hasOwn(built, key) || key.includes(".")) {
      this.#place(built, key, { values: oneOrMore(value), isMany: Array.isArray(value) }, { at, from })
    } else set(built, key, value)
  }

  /** Renames references to types with another name in R4. */
  #renamed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#renamed(one))
    if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
    const built: Built = {}
    for (const key of Object.keys(value)) {
      const member = value[key]
      set(
        built,
        key,
        key === "reference" && typeof member === "string" ? referenceInR4(this.#rules, member) : this.#renamed(member)
      )
    }
    if (typeof built.type === "string" && typeof built.reference === "string") {
      set(built, "type", renamedType(this.#rules, built.type))
    }
    return built
  }
}

/** Converts the address of a record, or a reference to it, to R4. */
export const addressInR4 = (version: ConvertedVersion, address: string): string =>
  referenceInR4(convertedVersions[version], address)

const referenceInR4 = (rules: VersionRules, reference: string): string =>
  reference.replace(
    /(^|\/)([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?=$|[/#?])/u,
    (whole, start: string, type: string, id: string) => {
      const name = renamedType(rules, type)
      return name === type ? whole : `${start}${name}/${type === "ReferralRequest" ? `${type}-${id}` : id}`
    }
  )

/** The type suffix of a choice element, which R4 has in several types: the element is read without it. */
const choice = /(?:CodeableConcept|Reference|DateTime|Period|String|Range|Age|Boolean|Quantity|Ratio|PositiveInt)$/u

/** Returns the source path of a rule's result. */
const sourceOf = (from: string, { system, take, wrap }: Rewrite): SourcePath =>
  take !== undefined
    ? { path: `${from}.${take}`, isWhole: false }
    : { path: from, isWhole: system !== undefined || wrap !== undefined }

/** Returns the name of a value in an extension. */
const nameOfValue = (value: unknown): string =>
  !isJsonObject(value) ? "valueCode" : "reference" in value ? "valueReference" : "valueCodeableConcept"

/** Returns the name of the extension of a primitive at a path. */
const underscored = (path: string): string => path.replace(/[^.]+$/u, "_$&")

const isOfRename: ReadonlySet<string> = new Set(["to", "many", "codes", "unless", "extension"])

/** Returns the objects, repeated for each value of a list that they hold. */
const expanded = (values: ReadonlyArray<unknown>, each: string | undefined): ReadonlyArray<unknown> =>
  each === undefined ? values : values.flatMap((value) => {
    const members = isJsonObject(value) ? value[each] : undefined
    return !isJsonObject(value) || !Array.isArray(members)
      ? [value]
      : members.map((member: unknown) => ({ ...value, [each]: member }))
  })

/** Returns a code: a text, a boolean, or the first code of a CodeableConcept. */
const codeOf = (value: unknown): string | undefined => {
  if (typeof value === "string" || typeof value === "boolean") return String(value)
  if (!isJsonObject(value)) return undefined
  const [coding] = oneOrMore(value.coding)
  return isJsonObject(coding) && typeof coding.code === "string" ? coding.code : undefined
}

/** Returns the object at a member and creates it if missing; `name[]` is the only element of a list. */
const within = (holder: Built, name: string): Built => {
  const isList = name.endsWith("[]")
  const key = isList ? name.slice(0, -2) : name
  const known = Object.hasOwn(holder, key) ? holder[key] : undefined
  const [first] = oneOrMore(known)
  const made: Built = isJsonObject(first) ? { ...first } : {}
  set(holder, key, isList ? [made] : made)
  return made
}

/** Keys are data: `__proto__` is an ordinary key. */
const set = (holder: Built, key: string, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

const isCodeableReference = (value: unknown): value is JsonObject =>
  isJsonObject(value) && (isJsonObject(value.concept) || isJsonObject(value.reference))
