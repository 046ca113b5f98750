import { types } from "node:util"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { r4Model } from "../../fhirpath/infer/Model.ts"
import { oneOrMore } from "../../json/JsonObject.ts"
import { isWithoutModifiers } from "../../json/parseRecord.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** What a mapping understands, and what it reads. */
export interface ModifierRules {
  /** URLs of modifier extensions and of implicit rules that the mapping handles. */
  readonly understood: ReadonlySet<string>
  /** Names of elements that the mapping reads; `undefined` when it may read any. */
  readonly elements: ReadonlySet<string> | undefined
}

/** A modifier that the mapping does not understand. */
export interface UnknownModifier {
  /** The element whose meaning it changes: `Observation.component`; only the type for the whole record. */
  readonly element: string
  readonly kind: "modifierExtension" | "implicitRules"
  /** The URL as written. */
  readonly url: unknown
}

/**
 * Returns the first modifier of a record that the mapping does not understand. A modifier can change the meaning of its element to the
 * opposite, so such an element must not be processed (R4, extensibility.html#modifierExtension; resource.html#implicitRules). Modifiers
 * within elements that no line reads do not count. Modifiers of contained resources do not count either, because contained resources are
 * read as separate records. A tracker on the record does not record the reads of this function.
 */
export const unknownModifier = (
  { isUsual, resource, row }: SourceRecord,
  rules: ModifierRules
): UnknownModifier | undefined => {
  if (isUsual === true || row !== undefined || isWithoutModifiers(resource)) return undefined
  const known = getOrMake(found, rules.understood, () => new WeakMap())
  return getOrMake(known, resource, () => firstModifier(resource, rules) ?? null) ?? undefined
}

/** Results by resource, because many visits share a record and a walk through it takes time. */
const found = new WeakMap<ModifierRules["understood"], WeakMap<SourceRecord["resource"], UnknownModifier | null>>()

const firstModifier = (
  resource: SourceRecord["resource"],
  { elements, understood }: ModifierRules
): UnknownModifier | undefined => {
  const isWatched = types.isProxy(resource)
  for (const key of Object.keys(resource)) {
    const value: unknown = isWatched ? Object.getOwnPropertyDescriptor(resource, key)?.value : resource[key]
    if (key === "implicitRules") {
      if (value !== null && !(typeof value === "string" && understood.has(value))) {
        return { element: resource.resourceType, kind: key, url: value }
      }
    } else if (typeof value === "object" && value !== null) {
      if (key === "modifierExtension") {
        const found = firstUnknown(value, understood)
        if (found !== undefined) return { element: resource.resourceType, kind: key, url: found.url }
      } else {
        const found = within(value, understood)
        if (found !== undefined && (elements === undefined || isRead(resource.resourceType, key, elements))) {
          return { element: `${resource.resourceType}.${key}`, kind: "modifierExtension", url: found.url }
        }
      }
    }
  }
  return undefined
}

/** Returns whether a mapping reads an element. JSON has `valueQuantity` for `value`. */
const isRead = (type: string, key: string, elements: ReadonlySet<string>): boolean =>
  elements.has(key) || readByFunctions.has(key) || elements.has(r4Model.choiceElement(type, key)?.element ?? "")

/** Elements that functions of the mapping language read without naming them. */
const readByFunctions: ReadonlySet<string> = new Set(["qualification", "section"])

const within = (value: object, understood: ReadonlySet<string>): { readonly url: unknown } | undefined => {
  for (const key of Object.keys(value)) {
    // A key of the value, which can also be a list.
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof member !== "object" || member === null) continue
    const found = key === "modifierExtension" ? firstUnknown(member, understood) : within(member, understood)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the first extension of a list that is not understood, in an object, so that a missing URL is reported too. */
const firstUnknown = (
  extensions: object,
  understood: ReadonlySet<string>
): { readonly url: unknown } | undefined => {
  for (const one of oneOrMore(extensions)) {
    if (one === null) continue
    const url = typeof one === "object" && "url" in one ? one.url : undefined
    if (typeof url !== "string" || !understood.has(url)) return { url }
  }
  return undefined
}

/**
 * Reports a modifier that is not understood. The record is dropped from the visit; a visit whose own encounter or patient has one is
 * rejected.
 */
export const modifierProblem = (
  { origin }: SourceRecord,
  { element, kind, url }: UnknownModifier,
  severity: "error" | "warning"
): Diagnostic => ({
  code: "unknown-modifier",
  severity,
  title: `\`${element}\` has ${
    kind === "implicitRules" ? "implicit rules" : "a modifier extension"
  } that the mapping does not understand: ${severity === "error" ? "the visit is not sent" : "the record is not used"}`,
  source: origin.reference,
  origin,
  ...(url === undefined ? {} : { value: JSON.stringify(url) }),
  help: [
    "find out what it changes; if the mapping takes it into account, list its URL:  grouping: {understood: [URL]}"
  ]
})
