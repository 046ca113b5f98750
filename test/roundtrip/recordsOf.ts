import { FP_Decimal } from "fhirpath"
import type { RunRecords } from "../../src/pipeline/convertRecords.ts"
import type { BundleContext, Resource, SourceRecord } from "../../src/source/SourceRecord.ts"

/** JSON text as a reader of sources gives it: numbers that a double would write otherwise keep their digits. */
export const parseExact = (text: string): unknown =>
  JSON.parse(
    text,
    ((_key: string, value: unknown, context?: { readonly source?: string }) =>
      typeof value === "number" && context?.source !== undefined && String(value) !== context.source
        ? FP_Decimal.getDecimal(context.source)
        : value) as (key: string, value: unknown) => unknown
  )

/** A text of a source: a Bundle, or resources one to a line. */
export interface SourceText {
  readonly file: string
  readonly text: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const recordsIn = ({ file, text }: SourceText): ReadonlyArray<SourceRecord> => {
  const record = (resource: unknown, line: number, fullUrl?: unknown, bundle?: BundleContext): Array<SourceRecord> => {
    if (!isObject(resource) || typeof resource.resourceType !== "string") return []
    const { id, resourceType } = resource
    const reference = typeof id === "string"
      ? `${resourceType}/${id}`
      : typeof fullUrl === "string"
      ? fullUrl
      : resourceType
    return [{
      origin: { file, line, reference },
      // An id that is no text is no id.
      resource: (typeof id === "string" ? resource : { ...resource, id: undefined }) as Resource,
      ...(typeof fullUrl === "string" ? { fullUrl } : {}),
      ...(bundle === undefined ? {} : { bundle })
    }]
  }
  if (file.endsWith(".ndjson")) {
    return text.split("\n").filter((line) => line !== "").flatMap((line, index) => record(parseExact(line), index + 1))
  }
  const bundle = parseExact(text)
  const entries = isObject(bundle) && Array.isArray(bundle.entry) ? bundle.entry : []
  const context: BundleContext = { key: text, type: isObject(bundle) ? String(bundle.type ?? "") : "" }
  return entries.flatMap((entry) => isObject(entry) ? record(entry.resource, 1, entry.fullUrl, context) : [])
}

/** Every object below a value, with the element it stands under: `Encounter.diagnosis.condition`. */
const walk = (value: unknown, path: string, use: (path: string, value: unknown) => void): void => {
  if (Array.isArray(value)) return value.forEach((item) => walk(item, path, use))
  if (!isObject(value)) return
  use(path, value)
  for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`, use)
}

/** The records of some texts, in an order that does not depend on the texts; references by type and id or by fullUrl. */
export const recordsOf = (texts: ReadonlyArray<SourceText>): RunRecords => {
  const all = new Map<string, Array<SourceRecord>>()
  const named = new Map<string, SourceRecord>()
  for (const record of texts.flatMap(recordsIn)) {
    const { id, resourceType } = record.resource
    const names = [
      ...(id === undefined ? [] : [`${resourceType}/${id}`]),
      ...(record.fullUrl === undefined ? [] : [record.fullUrl])
    ]
    if (names.some((name) => named.has(name))) continue
    for (const name of names) named.set(name, record)
    const list = all.get(resourceType)
    if (list === undefined) all.set(resourceType, [record])
    else list.push(record)
  }
  const order = (record: SourceRecord): string =>
    record.resource.id ?? record.fullUrl ?? JSON.stringify(record.resource)
  for (const list of all.values()) {
    list.sort((one, other) => order(one) < order(other) ? -1 : order(one) > order(other) ? 1 : 0)
  }
  const resolve = (reference: unknown): SourceRecord | undefined => {
    const text = isObject(reference) ? reference.reference : reference
    return typeof text === "string" ? named.get(text) : undefined
  }
  const reverse = new Map<string, Map<SourceRecord, Array<SourceRecord>>>()
  return {
    types: [...all.keys()].toSorted(),
    all: (type) => all.get(type) ?? [],
    resolve,
    reverse: (target, element) => {
      let index = reverse.get(element)
      if (index === undefined) {
        const found = new Map<SourceRecord, Array<SourceRecord>>()
        for (const record of all.get(element.split(".")[0]!) ?? []) {
          walk(record.resource, record.resource.resourceType, (path, value) => {
            const named = path === element ? resolve(value) : undefined
            if (named === undefined) return
            const list = found.get(named)
            if (list === undefined) found.set(named, [record])
            else list.push(record)
          })
        }
        reverse.set(element, index = found)
      }
      return index.get(target) ?? []
    },
    copies: () => 1
  }
}
