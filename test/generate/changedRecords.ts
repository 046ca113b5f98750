import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { isJsonObject, type JsonObject } from "../../src/json/JsonObject.ts"
import type { SourceText } from "../../src/studio/proof/recordsOf.ts"
import { runs } from "../runs.ts"

/** A JSON document, or one in each line. */
interface Document {
  readonly file: string
  readonly lines: ReadonlyArray<unknown>
}

/** The FHIR files of a folder. */
export const documentsIn = (folder: string): ReadonlyArray<Document> =>
  readdirSync(folder).toSorted().map((name) => {
    const bytes = readFileSync(`${folder}/${name}`)
    const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
    const isLines = name.includes(".ndjson")
    return {
      file: name.replace(/\.gz$/u, ""),
      lines: isLines ? text.trimEnd().split("\n").map(parsed) : [parsed(text)]
    }
  })

const parsed = (text: string): unknown => JSON.parse(text)

/** A number with the digits of a text. JSON has no such value, so it is a text until the document is written. */
const digits = (written: string): string => `number ${written} digits`

/** Returns the documents as texts. */
export const fileTextsOf = (documents: ReadonlyArray<Document>): ReadonlyArray<SourceText> =>
  documents.map(({ file, lines }) => ({
    file,
    text: lines.map((line) => JSON.stringify(line).replaceAll(/"number (\S+) digits"/gu, "$1")).join("\n")
  }))

/** A place in a tree. Trees are copies, which a change can write to. */
interface Place {
  readonly holder: Record<string, unknown> | Array<unknown>
  readonly key: string
  readonly value: unknown
}

const placesIn = (tree: unknown): ReadonlyArray<Place> =>
  typeof tree !== "object" || tree === null
    ? []
    : Object.entries(tree).flatMap(([key, value]) => [
      // An object or a list of a document.
      ...(key === "resourceType" || key === "id" ? [] : [{ holder: tree as Place["holder"], key, value }]),
      ...placesIn(value)
    ])

const put = ({ holder, key }: Place, value: unknown): void => {
  Reflect.set(holder, key, value)
}

const isNamed = ({ holder }: Place): boolean => !Array.isArray(holder)
const isPrimitive = (value: unknown): boolean => typeof value !== "object"
const isTime = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d/u.test(value)
/** Made for each use: a further change writes to it. */
const reason = () => ({ extension: [{ url: "http://fhir2visit.example/reason", valueCode: "unknown" }] })

/** Other types of a choice, and a value of each. */
const types: ReadonlyArray<readonly [string, unknown]> = [
  ["String", "another"],
  ["Quantity", { value: 4.5, unit: "g", system: "http://unitsofmeasure.org", code: "g" }],
  ["CodeableConcept", { text: "another" }],
  ["DateTime", "2026-02-01T10:00:00+07:00"],
  ["Period", { start: "2026-02-01", end: "2026-02-02" }],
  ["Boolean", true],
  ["Integer", 3]
]

/** One kind of change; `fits` decides where it applies. */
interface Change {
  readonly fits: (place: Place) => boolean
  /** `choice` is any number; `others` are the places where the change applies, too. */
  readonly make: (place: Place, choice: number, others: ReadonlyArray<Place>) => void
}

const changes: Readonly<Record<string, Change>> = {
  "drop an element": {
    fits: () => true,
    make: ({ holder, key }) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    }
  },
  "double an item of a list": {
    fits: ({ value }) => Array.isArray(value) && value.length > 0,
    make: (place) => {
      if (Array.isArray(place.value)) put(place, [...place.value, structuredClone(place.value[0])])
    }
  },
  "null": { fits: () => true, make: (place) => put(place, null) },
  "a companion": {
    fits: (place) =>
      isNamed(place) && (isPrimitive(place.value) || (Array.isArray(place.value) && isPrimitive(place.value[0]))),
    make: ({ holder, key, value }, choice) => {
      Reflect.set(holder, `_${key}`, Array.isArray(value) ? [reason()] : reason())
      if (choice % 3 === 0) Reflect.deleteProperty(holder, key)
    }
  },
  "another type of a choice": {
    fits: (place) =>
      isNamed(place) && /^(?:value|effective|onset|deceased|performed|occurrence|medication)[A-Z]/u.test(place.key),
    make: ({ holder, key }, choice) => {
      const [name = ""] = /^[a-z]+/u.exec(key) ?? []
      const [type, value] = types[choice % types.length] ?? ["String", "another"]
      if (choice % 2 === 0) Reflect.deleteProperty(holder, key)
      Reflect.set(holder, `${name}${type}`, structuredClone(value))
    }
  },
  "a list for one": {
    fits: (place) => isNamed(place) && !Array.isArray(place.value),
    make: (place) => put(place, [place.value])
  },
  "two for one": {
    fits: (place) => isNamed(place) && !Array.isArray(place.value),
    make: (place) => put(place, [place.value, structuredClone(place.value)])
  },
  "one for a list": {
    fits: ({ value }) => Array.isArray(value) && value.length > 0,
    make: (place) => put(place, Array.isArray(place.value) ? place.value[0] : place.value)
  },
  "an empty list": { fits: ({ value }) => Array.isArray(value), make: (place) => put(place, []) },
  "an empty text": { fits: ({ value }) => typeof value === "string", make: (place) => put(place, "") },
  "a shorter date": {
    fits: ({ value }) => isTime(value),
    make: (place, choice) => put(place, String(place.value).slice(0, [4, 7, 10][choice % 3]))
  },
  "another offset": {
    fits: ({ value }) => isTime(value) && value.length > 16,
    make: (place, choice) =>
      put(place, String(place.value).replace(/(?:Z|[+-]\d\d:\d\d)$/u, ["Z", "+05:30", "-11:00", ""][choice % 4] ?? ""))
  },
  "other digits": {
    fits: ({ value }) => typeof value === "number",
    make: (place, choice) => {
      const number = Number(place.value)
      put(
        place,
        digits(
          [`${number}${Number.isInteger(number) ? ".0" : "0"}`, `${number}e0`, `${number * 10}e-1`][choice % 3] ?? "0"
        )
      )
    }
  },
  "two references swapped": {
    fits: ({ key, value }) => key === "reference" && typeof value === "string",
    make: (place, choice, others) => {
      const other = others[choice % others.length] ?? place
      put(place, other.value)
      put(other, place.value)
    }
  },
  "text in Khmer script": { fits: ({ value }) => typeof value === "string", make: (place) => put(place, "គ្រុនផ្តាសាយ") },
  "spaces around a text": {
    fits: ({ value }) => typeof value === "string",
    make: (place) => put(place, ` ${String(place.value)}\n`)
  },
  "a number for a text": { fits: ({ value }) => typeof value === "string", make: (place) => put(place, 7.5) },
  "a text for a number": {
    fits: ({ value }) => typeof value === "number",
    make: (place) => put(place, String(place.value))
  },
  "an object for a text": {
    fits: ({ value }) => typeof value === "string",
    make: (place) => put(place, { value: "x" })
  },
  "an element that no type has": {
    fits: isNamed,
    make: ({ holder }) => void Reflect.set(holder, "oddity", [{ value: 1 }])
  }
}

interface Chosen {
  readonly kind: string
  readonly record: number
  readonly place: number
  readonly choice: number
}

const number = fc.nat(1_000_000)

/** One to three changes of records. */
export const someChanges: fc.Arbitrary<ReadonlyArray<Chosen>> = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.keys(changes)), record: number, place: number, choice: fc.nat(60) }),
  { minLength: 1, maxLength: 3 }
)

/** The resources of documents, also those in a Bundle. */
const resourcesIn = (documents: ReadonlyArray<Document>): ReadonlyArray<JsonObject> =>
  documents.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      if (!isJsonObject(line)) return []
      if (line.resourceType !== "Bundle" || !Array.isArray(line.entry)) return [line]
      return line.entry.flatMap((
        entry: unknown
      ) => (isJsonObject(entry) && isJsonObject(entry.resource) ? [entry.resource] : []))
    })
  )

/** Returns a copy of documents with changes. A change that fits nowhere in its record is left out. */
export const withChanges = (
  documents: ReadonlyArray<Document>,
  chosen: ReadonlyArray<Chosen>
): ReadonlyArray<Document> => {
  const copy = structuredClone(documents)
  const resources = resourcesIn(copy)
  for (const { choice, kind, place, record } of chosen) {
    const change = changes[kind]
    const places = placesIn(resources[record % resources.length]).filter((one) => change?.fits(one) === true)
    const found = places[place % places.length]
    if (found !== undefined) change?.make(found, choice, places)
  }
  return copy
}

/** Checks the records of a sample after random changes. */
export const checkChanged = (
  sample: string,
  tries: number,
  check: (texts: ReturnType<typeof fileTextsOf>) => void
): void => {
  const documents = documentsIn(`samples/${sample}/input`)
  fc.assert(
    fc.property(someChanges, (changes) => check(fileTextsOf(withChanges(documents, changes)))),
    { numRuns: runs(tries) }
  )
}
