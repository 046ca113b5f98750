import { gzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

/** An input by its name. */
export type Hostile = readonly [name: string, content: string | Buffer]

const sign: Json = {
  resourceType: "Observation",
  id: "o1",
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
  category: [{ coding: [{ code: "vital-signs" }] }],
  encounter: { reference: "Encounter/e3" },
  effectiveDateTime: "2026-03-03T08:10:00+07:00",
  valueQuantity: { value: 88, unit: "beats/min", system: "http://unitsofmeasure.org", code: "/min" }
}
const records = [patient("1"), encounter("e3", "1"), sign]
const good = lines(...records)
const document = JSON.stringify(
  { resourceType: "Bundle", type: "collection", entry: records.map((resource) => ({ resource })) },
  null,
  1
)
const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16()
const both = (name: string, change: (text: string) => string | Buffer): ReadonlyArray<Hostile> => [
  [`${name}.ndjson`, change(good)],
  [`${name}.json`, change(document)]
]
const flipped = (bytes: Buffer, index: number): Buffer => {
  const copy = Buffer.from(bytes)
  const place = index % copy.length
  copy[place] = at(copy, place) ^ 0xff
  return copy
}

const encodings = [
  ...both("bom", (text) => `\u{FEFF}${text}`),
  ...both("two-boms", (text) => `\u{FEFF}\u{FEFF}${text}`),
  ...both("inner-bom", (text) => text.replaceAll("\n", "\n\u{FEFF}")),
  ...both("utf16le", (text) => Buffer.from(`\u{FEFF}${text}`, "utf16le")),
  ...both("utf16be", (text) => utf16be(`\u{FEFF}${text}`)),
  ...both("utf16-bare", (text) => Buffer.from(text, "utf16le")),
  ...both("utf16-odd", (text) => Buffer.from(`\u{FEFF}${text}`, "utf16le").subarray(0, -1)),
  ...both(
    "utf32",
    (text) => Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from(text.replaceAll(/(.)/gsu, "$1\0\0\0"))])
  ),
  ...both("latin1", (text) => Buffer.from(text.replace("Example", "Exämple"), "latin1")),
  ...both("overlong", (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0xaf])])),
  ...both("surrogate-bytes", (text) => Buffer.from(text.replace("Example", "Ex\u00ed\u00a0\u0080"), "latin1")),
  ...both("half-escape", (text) => text.replace("Example", "\\ud83d")),
  ...both("nul-escape", (text) => text.replace("Example", "a\\u0000b")),
  ...both("leading-nuls", (text) => `\0\0\0\0${text}`),
  ...both("trailing-nuls", (text) => `${text}${"\0".repeat(512)}`),
  ...both("inner-nul", (text) => text.replace("Example", "Ex\0ample")),
  ...both("nul-line", (text) => text.replace("\n", "\n\0\0\0\n")),
  ...both("ctrl-z", (text) => `${text}\u001a`),
  ...both("cr-only", (text) => text.replaceAll("\n", "\r")),
  ...both("line-separator", (text) => text.replaceAll("\n", "\u2028")),
  ...both("control", (text) => text.replace("Example", "a\u0007b"))
]

const cuts = [good, document].flatMap((text, kind) =>
  Array.from({ length: 40 }, (_, at): Hostile => [
    `cut-${at}.${kind === 0 ? "ndjson" : "json"}`,
    text.slice(0, Math.round(text.length * (at + 0.5) / 40))
  ])
)

const nesting = [10, 199, 201, 5000, 200_000].flatMap((depth): ReadonlyArray<Hostile> => [
  [`array-${depth}.json`, "[".repeat(depth)],
  [`closed-${depth}.json`, "[".repeat(depth) + "]".repeat(depth)],
  [`object-${depth}.ndjson`, `${good}${`{"a":`.repeat(depth)}1${"}".repeat(depth)}\n`],
  [`contained-${depth}.ndjson`, good.replace(`"id":"o1"`, `"id":"o1","x":${"[".repeat(depth)}${"]".repeat(depth)}`)],
  [`quotes-${depth}.json`, "\"".repeat(depth)],
  [`closing-${depth}.ndjson`, `${good}${"}".repeat(depth)}`]
])

const numbers = "-0 1e400 1E-400 -1e999999999 0x10 01 1. .5 +1 NaN Infinity - 1e 0.1e+ 1_000 ٣".split(" ")
  .concat("9".repeat(399), "9".repeat(5000), `0.${"0".repeat(500)}1`)
  .map((number, at): Hostile => [`number-${at}.ndjson`, good.replace(`"value":88`, `"value":${number}`)])

const odd = [
  null,
  5,
  -1.5,
  "x",
  "",
  true,
  [],
  {},
  [null],
  [[]],
  [{}],
  { "": null },
  "\u202e",
  "2026-13-45T99:00:00Z",
  "#/"
]
const shapes = records.flatMap((record, at) =>
  Object.keys(record).flatMap((name) =>
    odd.map((value, number): Hostile => [
      `shape-${at}-${name}-${number}.ndjson`,
      lines(...records.map((one) => (one === record ? { ...one, [name]: value } : one)))
    ])
  )
)

const packed = gzipSync(good)
const compressed: ReadonlyArray<Hostile> = [
  ...Array.from(
    { length: 10 },
    (_, at): Hostile => [`cut-${at}.ndjson.gz`, packed.subarray(0, Math.round(packed.length * at / 10))]
  ),
  ...Array.from({ length: 20 }, (_, at): Hostile => [`flip-${at}.ndjson.gz`, flipped(packed, at * 17)]),
  ["twice.ndjson.gz", gzipSync(packed)],
  ["members.ndjson.gz", Buffer.concat([packed, gzipSync("\n")])],
  ["garbage.ndjson.gz", Buffer.concat([packed, Buffer.from("garbage")])],
  ["nuls.ndjson.gz", Buffer.concat([packed, Buffer.alloc(512)])],
  ["none.ndjson.gz", gzipSync("")],
  ["plain.ndjson.gz", good],
  ["packed.ndjson", packed]
]

const others: ReadonlyArray<Hostile> = [
  ["empty.json", ""],
  ["blank.json", " \r\n\t"],
  ["null.json", "null"],
  ["true.json", "true"],
  ["html.json", "<!doctype html><title>Sign in</title>"],
  ["xml.json", "<Patient xmlns=\"http://hl7.org/fhir\"/>"],
  ["hl7.ndjson", "MSH|^~\\&|A\rPID|1\r"],
  ["comment.json", `// x\n${document}`],
  ["trailing-comma.json", document.replace(/\n \]/u, ",\n ]")],
  ["single-quotes.json", document.replaceAll("\"", "'")],
  ["two-documents.json", document + document],
  ["comma-lines.ndjson", good.replaceAll("\n", ",\n")],
  ["bundle-null.json", `{"resourceType":"Bundle","entry":[null,1,"x",[],{},{"resource":null},{"resource":{"id":5}}]}`],
  ["bundle-object.json", `{"resourceType":"Bundle","entry":{"resource":${JSON.stringify(sign)}}}`],
  [
    "bundle-self.json",
    `{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Bundle","entry":[{"resource":${
      JSON.stringify(sign)
    }}]}}]}`
  ],
  [
    "circle.ndjson",
    lines(
      patient("1"),
      encounter("e3", "1", { partOf: { reference: "Encounter/e4" } }),
      encounter("e4", "1", { partOf: { reference: "Encounter/e3" } })
    )
  ],
  ["proto.ndjson", good.replace("{", `{"__proto__":{"status":"x"},"constructor":1,`)],
  ["long-id.ndjson", good.replaceAll("e3", "e".repeat(100_000))],
  ["long-text.ndjson", good.replace("Example", "x".repeat(2_000_000))],
  ["many-lines.ndjson", good + "\n".repeat(200_000)],
  ["many-faults.ndjson", good + "{\n".repeat(20_000)]
]

/** Invalid files that some sources write, each one FHIR input. */
export const hostileInputs: ReadonlyArray<Hostile> = [
  ...encodings,
  ...cuts,
  ...nesting,
  ...numbers,
  ...shapes,
  ...compressed,
  ...others
]

const visits =
  "code,patient_code,visit_type,admitted_at\nV1,P1,OPD,2026-01-01T08:00:00+07:00\nV2,P1,OPD,2026-01-02T08:00:00+07:00\n"

/** Damaged tables of visits with a valid patient. */
export const hostileTables: ReadonlyArray<Hostile> = ([
  ["quote", visits.replace("V1", "\"V1")],
  ["quote-inside", visits.replace("P1", "P\"1")],
  ["ragged", visits.replace(",OPD", ",OPD,OPD,OPD")],
  ["short", visits.replace(",OPD", "")],
  ["two-columns-alike", visits.replace("visit_type", "code")],
  ["no-name", visits.replace("visit_type", "")],
  ["header-only", at(visits.split("\n", 1), 0)],
  ["no-header", visits.split("\n").slice(1).join("\n")],
  ["title", `Report of the day\n\n${visits}`],
  ["semicolon", visits.replaceAll(",", ";")],
  ["tab", visits.replaceAll(",", "\t")],
  ["bar", visits.replaceAll(",", "|")],
  ["mixed-ends", visits.replace("\n", "\r")],
  ["cr", visits.replaceAll("\n", "\r")],
  ["bom", `\u{FEFF}${visits}`],
  ["utf16", Buffer.from(`\u{FEFF}${visits}`, "utf16le")],
  ["latin1", Buffer.from(visits.replace("P1", "Pé"), "latin1")],
  ["nul", visits.replace("V1", "V\0")],
  ["nuls", visits + "\0".repeat(512)],
  ["ctrl-z", `${visits}\u001a`],
  ["formula", visits.replace("V1", "=1+1")],
  ["exponent", visits.replace("V1", "1.23E+11")],
  ["error", visits.replace("V1", "#N/A")],
  ["blank-key", visits.replace("V1", "")],
  ["same-key", visits.replace("V2", "V1")],
  ["bad-time", visits.replace("2026-01-01", "2026-13-41")],
  ["long", visits.replace("V1", "V".repeat(1_000_000))],
  ["wide", visits.replaceAll("\n", `${",x".repeat(5000)}\n`)],
  ["blank-lines", visits.replaceAll("\n", "\n\n\n")],
  ["empty", ""],
  ["json", good],
  ["gzip", gzipSync(visits)]
] as const).map(([name, content]) => [name, content])
