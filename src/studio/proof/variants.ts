import fc from "fast-check"
import type { Bundle, BundleEntry } from "fhir/r4.d.ts"
import { createHash } from "node:crypto"
import { systemUrls } from "../../json/codeSystems.ts"
import { withDigits } from "../../json/exactNumber.ts"
import { formatTimestamp, toEpochMillis } from "../../visit/values/Timestamp.ts"
import type { SourceText } from "./recordsOf.ts"

/** A form in which the same records can be in the input. */
interface Variant {
  readonly name: string
  readonly of: (bundle: Bundle) => fc.Arbitrary<ReadonlyArray<SourceText>>
}

const entriesOf = (bundle: Bundle): ReadonlyArray<BundleEntry> => bundle.entry ?? []
const bundleOf = (entry: ReadonlyArray<unknown>): string =>
  JSON.stringify({ resourceType: "Bundle", type: "collection", entry })
const one = (text: string): ReadonlyArray<SourceText> => [{ file: "one.json", text }]

const shuffled = <A>(items: ReadonlyArray<A>): fc.Arbitrary<Array<A>> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })

/** Deals the items to some piles. */
const dealt = <A>(items: ReadonlyArray<A>): fc.Arbitrary<ReadonlyArray<ReadonlyArray<A>>> =>
  fc.integer({ min: 1, max: 6 }).chain((piles) =>
    fc.array(fc.nat(piles - 1), { minLength: items.length, maxLength: items.length }).map((places) =>
      Array.from({ length: piles }, (_, pile) => items.filter((_, index) => places[index] === pile))
    )
  )

/** Returns a copy in which `change` replaces every text. Numbers keep their digits. */
const rewritten = (value: unknown, change: (key: string, value: string) => string): unknown =>
  JSON.parse(
    JSON.stringify(value),
    (key, inner, context) => typeof inner === "string" ? change(key, inner) : withDigits(key, inner, context)
  )

const uuid = (text: string): string => {
  const hex = createHash("sha256").update(text).digest("hex")
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`
}

/** Writes references as `urn:uuid`. Resources without ids are those of a transaction that creates them. */
const byUuid = (ids: "ids kept" | "no ids") => (bundle: Bundle): fc.Arbitrary<ReadonlyArray<SourceText>> =>
  fc.string().map((salt) => {
    const entry = entriesOf(bundle).map(({ resource }) => {
      // Texts are replaced by texts, and members stay. Every resource of a canonical Bundle has an id.
      const { id, ...rest } = rewritten(
        resource,
        (key, value) => (key === "reference" ? uuid(salt + value) : value)
      ) as { readonly id: string; readonly resourceType: string }
      return {
        fullUrl: uuid(`${salt}${rest.resourceType}/${id}`),
        resource: ids === "ids kept" ? { id, ...rest } : rest
      }
    })
    return one(bundleOf(entry))
  })

const times: ReadonlySet<string> = new Set(
  ("start end effectiveDateTime issued authoredOn recordedDate collectedDateTime date whenHandedOver valueDateTime " +
    "deceasedDateTime").split(" ")
)

const oids: ReadonlyMap<string, string> = new Map(Array.from(systemUrls, ([oid, url]) => [url, oid]))

export const variants: ReadonlyArray<Variant> = [
  {
    name: "entries in another order",
    of: (bundle) => shuffled(entriesOf(bundle)).map((entries) => one(bundleOf(entries)))
  },
  {
    name: "split into many Bundles",
    of: (bundle) =>
      dealt(entriesOf(bundle)).map((piles) => piles.map((pile, n) => ({ file: `${n}.json`, text: bundleOf(pile) })))
  },
  {
    name: "NDJSON files in any order",
    of: (bundle) =>
      shuffled(entriesOf(bundle)).chain(dealt).map((piles) =>
        piles.map((pile, n) => ({
          file: `${n}.ndjson`,
          text: pile.map(({ resource }) => `${JSON.stringify(resource)}\n`).join("")
        }))
      )
  },
  { name: "urn:uuid references, ids kept", of: byUuid("ids kept") },
  { name: "urn:uuid references, no ids", of: byUuid("no ids") },
  {
    name: "absolute references",
    of: (bundle) => {
      const entry = entriesOf(bundle).map(({ fullUrl, resource }) => ({
        fullUrl,
        resource: rewritten(
          resource,
          (key, value) => (key === "reference" ? `https://fhir2visit.example/fhir/${value}` : value)
        )
      }))
      return fc.constant(one(bundleOf(entry)))
    }
  },
  {
    name: "code systems by their OIDs",
    of: (bundle) =>
      fc.constantFrom("urn:oid:", "").map((prefix) => {
        const rename = (key: string, value: string): string => {
          const oid = key === "system" ? oids.get(value) : undefined
          return oid === undefined ? value : prefix + oid
        }
        return one(JSON.stringify(rewritten(bundle, rename)))
      })
  },
  {
    name: "times with another offset",
    of: (bundle) =>
      fc.constantFrom("+00:00", "-03:30", "+14:00", "+05:45").map((offset) => {
        const moved = (key: string, value: string): string =>
          times.has(key) && value.length === 29 && !Number.isNaN(toEpochMillis(value))
            ? formatTimestamp(toEpochMillis(value), offset)
            : value
        return one(JSON.stringify(rewritten(bundle, moved)))
      })
  }
]
