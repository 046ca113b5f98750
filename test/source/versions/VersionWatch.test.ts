import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import { readFileSync } from "node:fs"
import type { Diagnostic } from "../../../src/diagnostic/Diagnostic.ts"
import { InvalidInput } from "../../../src/run/Conversion.ts"
import { findInputs } from "../../../src/source/read/findInputs.ts"
import { readInputs } from "../../../src/source/read/readInput.ts"
import type { Resource } from "../../../src/source/records/SourceRecord.ts"
import { otherVersionOf, otherVersionOfProfile } from "../../../src/source/versions/FhirVersion.ts"
import { VersionWatch } from "../../../src/source/versions/VersionWatch.ts"
import { otherVersions, otherVersionsFile, renderOtherVersions } from "../../../tools/otherVersions.ts"
import { only, present } from "../../present.ts"
import { converted, temporaryFolder, written } from "../../run/converted.ts"
import { encounter, lines, patient } from "../../run/smallRecords.ts"

/** What is found where nothing is converted. */
const found = (...resources: ReadonlyArray<Resource>) => {
  const watch = new VersionWatch(undefined, "4.0.1")
  for (const [index, resource] of resources.entries()) {
    watch.read(resource, { file: "a.ndjson", line: index + 1, reference: resource.resourceType })
  }
  return watch.problems()
}

/** The version that a problem's title names. */
const versionIn = (problem: Diagnostic | undefined) => problem?.title.split(" ")[6]?.replace(",", "")

describe("The table of other versions", () => {
  it("matches the types; otherwise run  node tools/otherVersions.ts", () => {
    assert.strictEqual(readFileSync(otherVersionsFile, "utf8"), renderOtherVersions())
  })

  it("finds each of its types and elements in a record, whatever else the record holds", () => {
    const { elements, types } = otherVersions()
    for (const [type, versions] of Object.entries(types)) {
      const [problem] = found({ resourceType: type, id: "a" })
      assert.include(versions, present(versionIn(problem)), type)
    }
    for (const [path, versions] of Object.entries(elements)) {
      const [type = "", name = "", ...inner] = path.replace(/\(\)$|\{\}$/u, "").split(".")
      const value = path.endsWith("{}") ? { text: "x" } : "x"
      const element = { [name]: inner.reduceRight<unknown>((value, name) => ({ [name]: value }), value) }
      const many = { [name]: [inner.reduceRight<unknown>((value, name) => ({ [name]: [value] }), value)] }
      for (const one of [element, many]) {
        const [problem, ...others] = found({ ...one, resourceType: type, id: "a", language: "en" })
        assert.deepStrictEqual(others, [])
        const version = versionIn(problem)
        assert.isTrue(version !== undefined && versions.split(" ").includes(version), `${path}: ${version}`)
      }
    }
  })
})

describe("The version of FHIR", () => {
  it("is known from its number; R4, R4B and their ballots are accepted", () => {
    const versions = {
      "0.5.0": "DSTU2",
      "1.0.2": "DSTU2",
      "1.4.0": "STU3",
      "3.0": "STU3",
      "3.0.2": "STU3",
      "3.5.0": undefined
    }
    const later = {
      "4.0.1": undefined,
      "4.3.0": undefined,
      "4.1.0": undefined,
      "5.0.0": "R5",
      "5.0.0-ballot": "R5",
      "4.6.0": "R5"
    }
    for (
      const [text, version] of Object.entries({
        ...versions,
        ...later,
        "6.0.0-ballot2": "R6",
        "R4": undefined,
        "": undefined
      })
    ) {
      assert.strictEqual(otherVersionOf(text), version, text)
    }
    assert.isUndefined(otherVersionOf(4))
  })

  it("is known from the address of a profile, never from the version of another guide", () => {
    assert.strictEqual(otherVersionOfProfile("http://hl7.org/fhir/STU3/StructureDefinition/Patient"), "STU3")
    assert.strictEqual(otherVersionOfProfile("http://hl7.org/fhir/5.0/StructureDefinition/Patient"), "R5")
    assert.strictEqual(otherVersionOfProfile("http://hl7.org/fhir/StructureDefinition/vitalsigns|3.0.2"), "STU3")
    assert.strictEqual(
      otherVersionOfProfile("https://registry.example/STU3/StructureDefinition/Local-Patient-1"),
      "STU3"
    )
    for (
      const profile of [
        "http://hl7.org/fhir/StructureDefinition/vitalsigns",
        "http://hl7.org/fhir/StructureDefinition/vitalsigns|4.0.1",
        "http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient|3.1.1",
        "http://hl7.org/fhir/us/core/STU3/StructureDefinition/us-core-patient",
        "https://registry.example/fhir/r4/StructureDefinition/Patient"
      ]
    ) assert.isUndefined(otherVersionOfProfile(profile), profile)
  })

  it("is stated by a CapabilityStatement of a server, and not by one of requirements", () => {
    const statement = { resourceType: "CapabilityStatement", fhirVersion: "3.0.1" }
    assert.include(only(found({ ...statement, kind: "instance" })).title, "STU3")
    assert.deepStrictEqual(found({ ...statement, kind: "requirements" }), [])
    assert.deepStrictEqual(found({ ...statement, kind: "instance", fhirVersion: "4.3.0" }), [])
  })

  it("is reported for each version of a file, with its first line, its records and the evidence", () => {
    const problems = found(
      { resourceType: "Patient", id: "p" },
      { resourceType: "Encounter", id: "a", actualPeriod: {}, reason: [{ value: [] }] },
      { resourceType: "Encounter", id: "b", reason: [{ text: "x" }] },
      { resourceType: "Encounter", id: "c", actualPeriod: {} },
      {
        resourceType: "Encounter",
        id: "d",
        diagnosis: [{ role: { text: "x" } }],
        contained: [{ resourceType: "Encounter", status: "finished" }]
      }
    )
    assert.deepStrictEqual(problems.map(({ facts, origin, title }) => [title.split(" ")[6], origin?.line, facts]), [
      ["STU3,", 3, [["records", "2"], ["shown by", "`Encounter.diagnosis.role` (1), `Encounter.reason` (1)"]]],
      ["R5,", 2, [["records", "2"], ["shown by", "`Encounter.actualPeriod` (2), `Encounter.reason` (1)"]]]
    ])
  })

  it("is found in contained resources, and by references to types of another version", () => {
    const contained = { resourceType: "Encounter", id: "e", hospitalization: {}, admission: {} }
    assert.lengthOf(found({ resourceType: "Observation", contained: [contained] }), 1)
    assert.lengthOf(found({ resourceType: "Observation", basedOn: [{ reference: "ProcedureRequest/1" }] }), 1)
    assert.lengthOf(found({ resourceType: "Observation", basedOn: [{ reference: "ServiceRequest/1" }] }), 0)
  })
})

describe("Samples of R4", () => {
  for (const sample of ["samples"]) {
    it.effect(`${sample} show no other version`, () =>
      Effect.gen(function*() {
        const versions = new VersionWatch(undefined, "4.0.1")
        const { inputs } = yield* findInputs([sample])
        let records = 0
        yield* Stream.runForEach(readInputs(inputs, { versions }), (item) =>
          Effect.sync(() => {
            if (item._tag === "Record") records++
          }))
        assert.isAbove(records, 100)
        assert.deepStrictEqual(versions.problems(), [])
      }))
  }
})

describe("A run", () => {
  const stu3 = { resourceType: "Condition", id: "c", clinicalStatus: "active", context: { reference: "Encounter/e3" } }
  const kickoff = { exportId: "1", eventId: "kickoff", eventDetail: { fhirVersion: "3.0.1" } }
  const failureOf = (files: Readonly<Record<string, string>>, maxInMemoryBytes?: number) =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const exit = yield* Effect.exit(
        converted(
          written(folder, files),
          maxInMemoryBytes === undefined
            ? { fhirVersion: "4.0.1" }
            : { fhirVersion: "4.0.1", memoryLimits: { maxInMemoryBytes, chunkBytes: 512, workers: 0 } }
        )
      )
      if (Exit.isSuccess(exit)) return undefined
      const error = exit.cause.reasons.flatMap((reason) => ("error" in reason ? [reason.error] : []))[0]
      return error instanceof InvalidInput ? error.problems : []
    })

  it.effect("stops before anything is converted, in memory and on disk, and reports only the affected files", () =>
    Effect.gen(function*() {
      const good = lines(patient("1"), encounter("e3", "1"))
      const many = lines(...Array.from({ length: 30 }, (_, at) => patient(`x${at}`)))
      for (const maxInMemoryBytes of [undefined, 0]) {
        const problems = yield* failureOf({ "good.ndjson": good, "bad.ndjson": many + lines(stu3) }, maxInMemoryBytes)
        assert.deepStrictEqual(
          problems?.map(({ code, origin }) => [code, origin?.file.split("/").at(-1), origin?.line]),
          [
            ["other-fhir-version", "bad.ndjson", 31]
          ]
        )
      }
      assert.isUndefined(yield* failureOf({ "good.ndjson": good }))
    }))

  it.effect("rejects a record that only has an element in another form, unless most records of its type are like that", () =>
    Effect.gen(function*() {
      const withClass = (id: string, value: unknown) => ({ ...encounter(id, "1"), class: value })
      const good = [patient("1"), encounter("e1", "1"), encounter("e2", "1"), encounter("e3", "1")]
      for (const memoryLimits of [{}, { maxInMemoryBytes: 0, chunkBytes: 512, workers: 0 }]) {
        for (const value of ["outpatient", 5]) {
          const folder = yield* temporaryFolder
          const some = lines(...good, withClass("bad", value))
          const run = yield* converted(written(folder, { "a.ndjson": some }), { memoryLimits })
          assert.deepStrictEqual(run.visits.map(({ source }) => source), [
            "Encounter/e1",
            "Encounter/e2",
            "Encounter/e3"
          ])
          assert.strictEqual(run.unreadable, 1)
        }
      }
      const most = lines(
        patient("1"),
        encounter("e1", "1"),
        withClass("e2", "outpatient"),
        withClass("e3", "outpatient")
      )
      assert.lengthOf(present(yield* failureOf({ "a.ndjson": most })), 1)
    }))

  it.effect("stops if the log of the export states another version", () =>
    Effect.gen(function*() {
      const good = lines(patient("1"), encounter("e3", "1"))
      assert.lengthOf(present(yield* failureOf({ "good.ndjson": good, "log.ndjson": lines(kickoff) })), 1)
      const r4 = { ...kickoff, eventDetail: { fhirVersion: "4.0.1" } }
      assert.isUndefined(yield* failureOf({ "good.ndjson": good, "log.ndjson": lines(r4) }))
    }))
})
