import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { oddElements } from "../../../src/fhirpath/generate/regular.ts"
import { unknownModifier } from "../../../src/mapping/grouping/modifiers.ts"
import { watchVersions } from "../../../src/mapping/grouping/watchVersions.ts"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import { linkRulesOf } from "../../../src/run/read/chunks.ts"
import { LineScanner } from "../../../src/run/read/LineScanner.ts"
import { readChunk } from "../../../src/run/read/readChunk.ts"
import { lineOf, markOf, mustBeScanned } from "../../../src/run/records/RecordLocations.ts"
import { LineFile } from "../../../src/source/read/LineFile.ts"
import { OpenFiles } from "../../../src/source/read/OpenFiles.ts"
import type { Resource } from "../../../src/source/records/SourceRecord.ts"
import type { FhirVersionSetting } from "../../../src/source/versions/FhirVersion.ts"
import { present } from "../../present.ts"
import { runs, timeout } from "../../runs.ts"
import { anyRecord, type Json, json, maybe, record, reference } from "./world.ts"

const { plan } = await Effect.runPromise(
  loadMapping("mappings/fhir-r4/mapping.yaml", "mappings").pipe(
    Effect.map((loaded) => present(loaded.checked)),
    Effect.provide(NodeServices.layer)
  )
)
const status = new Map([["Observation", new Map([["done", "final"]])]])
const settings = [
  { plan, setting: "auto" },
  { plan, setting: "4.0.1" },
  { plan, setting: "3.0.2" },
  { plan: { ...plan, grouping: { ...plan.grouping, status } }, setting: "auto" },
  { plan: { ...plan, followed: { ...plan.followed, elements: new Set<string>() } }, setting: "auto" }
].map(({ plan, setting }) => ({
  linkRules: present(linkRulesOf(plan)),
  // Each is one of the settings.
  watch: () => watchVersions(plan, setting as FhirVersionSetting)
}))

const files = new OpenFiles()
const folder = mkdtempSync(join(tmpdir(), "fhir2visit-scan-"))

afterAll(() => {
  files.closeAll()
  rmSync(folder, { recursive: true })
})

/** What is read of the lines if each is parsed, and otherwise; and which lines are scanned. */
const bothWays = (text: string, { linkRules, watch }: (typeof settings)[number], blockBytes = 1000) => {
  const path = join(folder, "lines.ndjson")
  writeFileSync(path, text)
  const { facts } = new LineFile(files, { _tag: "File", name: path, path, named: true }, 0)
  const task = { file: facts, source: 1, from: 0, to: facts.size }
  const read = (scanner?: LineScanner) => {
    const versions = watch()
    const patients: Array<string> = []
    const chunk = readChunk(task, linkRules, {
      versions,
      blockBytes,
      onPatient: ({ origin }) => patients.push(origin.reference),
      ...(scanner === undefined ? {} : { scanner })
    })
    const { records } = chunk
    // Of a line that is parsed, it is not known whether it is written as usual.
    const marks = records.locations.marks.map((mark) => markOf(lineOf(mark), mustBeScanned(mark)))
    return {
      chunk: { ...chunk, records: { ...records, locations: { ...records.locations, marks } } },
      versions: versions.data(),
      patients
    }
  }
  const scanner = new LineScanner(linkRules, watch())
  const found = { parsed: read(), scanned: read(scanner), again: read(scanner) }
  files.close(facts.descriptor)
  const lines = text.split("\n").map((line) => {
    const bytes = Buffer.from(line)
    const isScanned = scanner.read(bytes, 0, bytes.length)
    // A line that is scanned is a resource.
    return { isScanned, ...(isScanned && scanner.isUsual ? { usual: JSON.parse(line) as Resource } : {}) }
  })
  return {
    ...found,
    isScanned: lines.map(({ isScanned }) => isScanned),
    usual: lines.flatMap(({ usual }) => usual ?? [])
  }
}

const names = fc.constantFrom(
  "Patient/1",
  "Observation/2",
  "urn:uuid:a",
  "a/b",
  "#c",
  "plain",
  "",
  "Å",
  "DeviceUsage/1"
)
const identifier = fc.record({ system: fc.constantFrom("s", "urn:example"), value: fc.oneof(names, fc.constant(7)) })
const contained: fc.Arbitrary<Json> = fc.oneof(
  record("ServiceRequest", { subject: reference("Patient"), identifier: maybe(identifier) }),
  record("MedicationOrder", {}),
  record("Observation", { related: fc.constant([{ type: "has-member" }]), status: fc.constantFrom("done", "final") }),
  fc.constant({ id: "x", resourceType: "Coverage" }),
  fc.record({ resourceType: fc.constant("List"), contained: fc.tuple(reference("Patient")) })
)
const origin = { file: "", line: 1, reference: "" }

/** Elements that any record may have, some of them wrong. */
const elements: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  contained: fc.oneof(fc.array(contained, { maxLength: 2 }), contained, names),
  identifier: fc.oneof(fc.array(identifier, { maxLength: 2 }), identifier, fc.constant([[{ value: "x" }]])),
  meta: fc.record({
    profile: fc.array(
      fc.constantFrom("http://hl7.org/fhir/StructureDefinition/x", "http://hl7.org/fhir/STU3/StructureDefinition/x"),
      { maxLength: 2 }
    )
  }),
  extension: fc.array(
    fc.record({
      url: fc.constant("u"),
      valueString: maybe(names),
      valueReference: maybe(reference("Patient", "Encounter")),
      valueDecimal: maybe(fc.constantFrom(1.5, 71.5, 1e300))
    }),
    { maxLength: 2 }
  ),
  basedOn: fc.array(
    fc.record({
      identifier: fc.oneof(identifier, fc.tuple(identifier)),
      reference: names,
      assigner: maybe(reference("Organization")),
      type: maybe(fc.constant("Patient"))
    }, { requiredKeys: [] }),
    { maxLength: 2 }
  ),
  reference: names,
  modifierExtension: fc.constant([{ url: "u", valueBoolean: true }]),
  implicitRules: names,
  _status: fc.constant({ extension: [] }),
  valueString: names,
  code: fc.oneof(fc.constant([{ text: "a" }]), fc.record({ text: names, resourceType: names, id: fc.constant(null) })),
  parameter: fc.constant([{ name: "a", resource: { resourceType: "Patient", active: "a" } }]),
  status: fc.constantFrom("done", "final"),
  note: fc.constantFrom("a\"b", "tab\t", "\ud83d", "\u{1f600}", "Ångström", "back\\slash"),
  related: fc.constant([{ type: "has-member", target: { reference: "Observation/1" } }]),
  context: reference("Encounter"),
  performer: fc.record({ actor: fc.constant({ reference: "DeviceComponent/1" }) }),
  subject: fc.record({
    identifier: fc.record({ assigner: reference("Organization"), value: names }),
    reference: names
  }, { requiredKeys: ["identifier"] })
}
const more = fc.subarray(Object.keys(elements), { maxLength: 3 }).chain((names) =>
  fc.record(Object.fromEntries(names.map((name) => [name, present(elements[name])])))
)

const plain = (...types: ReadonlyArray<string>) =>
  fc.constantFrom(...types).map((type) => ({ reference: `${type}/1`, display: "Ångström" }))
const plainRecord = fc.oneof(
  record("Observation", {
    status: fc.constant("final"),
    subject: plain("Patient"),
    encounter: maybe(plain("Encounter")),
    hasMember: fc.array(plain("Observation")),
    valueQuantity: fc.constantFrom({ value: 70 }, { value: 71.5 })
  }),
  record("DiagnosticReport", { subject: plain("Patient"), result: fc.array(plain("Observation")) }),
  record("Provenance", { target: fc.array(plain("Encounter", "Patient")) })
)

const pieces = fc.constantFrom(
  "",
  ",",
  "\"",
  "}",
  " ",
  "\\",
  "\t",
  "{\"a\":1}",
  "1e5",
  "\"id\":\"2\",",
  "\\u0041",
  "\\u00e9"
)
const change = fc.tuple(fc.nat(), fc.nat(2), pieces)

const line = fc.tuple(
  fc.oneof(anyRecord, plainRecord, plainRecord),
  maybe(more),
  fc.constantFrom(0, 0, 0, 1, 2),
  fc.option(change, { nil: undefined, freq: 1 })
).map(
  ([resource, elements, layout, changed]) => {
    const { id = "9", resourceType, ...rest } = resource
    const whole = layout === 2
      ? { ...rest, resourceType, id, ...elements }
      : { resourceType, id, ...rest, ...elements }
    const text = layout === 1 ? JSON.stringify(whole, null, 1).replaceAll("\n", "") : json(whole)
    if (changed === undefined) return text
    const [place, length, piece] = changed
    const at = place % text.length
    return text.slice(0, at) + piece + text.slice(at + length)
  }
)

describe("LineScanner", () => {
  it("finds in lines what is found in the records that are parsed from them", () => {
    let [scanned, all, asUsual] = [0, 0, 0]
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom(...settings),
        fc.nat(3000),
        (lines, setting, size) => {
          const { again, isScanned, parsed, scanned: found, usual } = bothWays(lines.join("\n"), setting, 1 + size)
          assert.deepStrictEqual(found, parsed)
          assert.deepStrictEqual(again, parsed)
          for (const resource of usual) {
            assert.strictEqual(oddElements(resource)?.size, 0)
            assert.isUndefined(unknownModifier({ origin, resource }, { understood: new Set(), elements: undefined }))
          }
          asUsual += usual.length
          all += isScanned.length
          scanned += isScanned.filter(Boolean).length
        }
      ),
      { numRuns: runs(500) }
    )
    // The property says something about both ways.
    assert.isAbove(scanned / all, 0.1)
    assert.isBelow(scanned / all, 0.9)
    assert.isAbove(asUsual / scanned, 0.1)
    assert.isBelow(asUsual / scanned, 0.9)
  }, timeout)

  it("scans what large exports consist of", () => {
    const [setting] = settings
    const observation = {
      resourceType: "Observation",
      id: "o-1",
      meta: { profile: ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-observation-lab"] },
      identifier: [{ system: "http://ours.example", value: "O-1" }],
      status: "final",
      code: { coding: [{ system: "http://loinc.org", code: "8302-2", display: "Körpergröße" }] },
      subject: { reference: "Patient/p1" },
      encounter: { reference: "Encounter/e1", display: "\"quoted\"" },
      performer: [{ identifier: { value: "17" } }, { reference: "#c" }],
      valueQuantity: { value: 169.66265001193716, unit: "cm" }
    }
    const claim = {
      resourceType: "Claim",
      id: "c-1",
      contained: [{ resourceType: "ServiceRequest", id: "c", subject: { reference: "Patient/p1" } }],
      item: [{ sequence: 1, encounter: [{ reference: "Encounter/e1" }] }]
    }
    const text = [observation, claim, { ...observation, id: "o-2" }].map((one) => JSON.stringify(one)).join("\n")
    const { isScanned, parsed, scanned } = bothWays(text.replace("169.66", "169.660"), present(setting))
    assert.deepStrictEqual(isScanned, [true, true, true])
    assert.deepStrictEqual(scanned, parsed)
  })
})
