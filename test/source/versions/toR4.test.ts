import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { at } from "../../../src/at.ts"
import { RecordExtractor } from "../../../src/source/read/RecordExtractor.ts"
import type { Resource } from "../../../src/source/records/SourceRecord.ts"
import { fromR5 } from "../../../src/source/versions/fromR5.ts"
import { fromStu3 } from "../../../src/source/versions/fromStu3.ts"
import type { VersionRules } from "../../../src/source/versions/Rule.ts"
import { toR4 } from "../../../src/source/versions/toR4.ts"
import { VersionWatch } from "../../../src/source/versions/VersionWatch.ts"
import { toFhir } from "../../../src/studio/canonical/toFhir.ts"
import { arbitraryVisit } from "../../../src/studio/proof/arbitraryVisit.ts"
import { otherVersions, type Types, typesOf } from "../../../tools/otherVersions.ts"
import { readByBase } from "../../../tools/renderNeverRead.ts"
import { present } from "../../present.ts"
import { readJson } from "../../readJson.ts"
import { converted, temporaryFolder, written } from "../../run/converted.ts"
import { runs, timeout } from "../../runs.ts"
import type { Json } from "./writeVersion.ts"
import { writeVersion } from "./writeVersion.ts"

const versions = [["R5", fromR5, "r5"], ["STU3", fromStu3, "r3"]] as const

/** Types that the base mapping reads, and that are not converted: STU3 has the amounts of a benefit in other places. */
const unconverted: Readonly<Record<(typeof versions)[number][0], ReadonlyArray<string>>> = {
  R5: [],
  STU3: ["ExplanationOfBenefit"]
}

const json = Schema.Record(Schema.String, Schema.Unknown)

type Written = Readonly<Record<string, ReadonlyArray<Json>>>

/** The records of a sample by file. */
const sampleRecords = (folder: string): Written =>
  Object.fromEntries(
    readdirSync(folder).map((name) => {
      const bytes = readFileSync(join(folder, name))
      const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
      return [
        name.replace(/\.gz$/u, ""),
        name.includes(".ndjson")
          ? text.split("\n").filter((line) => line !== "").map((line) => readJson(json, line))
          : [readJson(json, text)]
      ]
    })
  )

const textsOf = (records: Written, version?: "R5" | "STU3"): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(records).map(([name, list]) => [
      name,
      list.map((record) => JSON.stringify(version === undefined ? record : writeVersion(record, version))).join("\n")
    ])
  )

/** The visits that are made of some files. */
const visitsOf = (files: Readonly<Record<string, string>>, mapping?: string, maxInMemoryBytes?: number) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const { totals, visits } = yield* converted(written(folder, files), {
      ...(mapping === undefined ? {} : { mapping }),
      ...(maxInMemoryBytes === undefined
        ? {}
        : { memoryLimits: { maxInMemoryBytes, chunkBytes: 4096, workers: 1 } })
    })
    return {
      visits: visits.map(({ json }) => json),
      notes: totals.problems.filter(({ code }) => code === "other-fhir-version").map(({ facts }) => facts)
    }
  })

describe("Samples written as R5 and STU3", () => {
  for (const sample of ["outpatient-fever", "inpatient-surgery-referral", "emergency-labs-imaging", "clinic-day"]) {
    it.effect(`${sample} gives the bytes of R4`, () =>
      Effect.gen(function*() {
        const records = sampleRecords(`samples/${sample}/input`)
        const own = `samples/${sample}/mapping.yaml`
        const mapping = existsSync(own) ? own : undefined
        const { visits } = yield* visitsOf(textsOf(records), mapping)
        assert.isAbove(visits.length, 0)
        for (const [version] of versions) {
          const other = yield* visitsOf(textsOf(records, version), mapping)
          assert.deepStrictEqual(other.visits.toSorted(), visits.toSorted(), version)
          if (sample !== "clinic-day") continue
          const large = yield* visitsOf(textsOf(records, version), mapping, 0)
          assert.deepStrictEqual(large, other, version)
        }
      }), timeout)
  }
})

describe("An encounter of R5", () => {
  it.effect("has its coded diagnoses and its claim in the visit, in memory and on disk", () =>
    Effect.gen(function*() {
      const subject = { reference: "Patient/1" }
      const period = { start: "2026-03-02T08:00:00+07:00", end: "2026-03-02T09:00:00+07:00" }
      const concept = { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: "A09", display: "Diarrhoea" }] }
      const files = textsOf({
        "a.ndjson": [
          { resourceType: "Patient", id: "1", gender: "female", birthDate: "1990-04-12" },
          {
            resourceType: "Encounter",
            id: "1",
            status: "discontinued",
            class: [{ coding: [{ code: "AMB" }] }],
            subject,
            actualPeriod: period,
            diagnosis: [{ condition: [{ concept }] }]
          }
        ],
        "b.ndjson": [{
          resourceType: "Claim",
          id: "1",
          status: "active",
          use: "claim",
          patient: subject,
          created: "2026-03-02T09:00:00+07:00",
          encounter: [{ reference: "Encounter/1" }],
          total: { value: 5 }
        }]
      })
      const folder = yield* temporaryFolder
      const mapping = join(folder, "mapping.yaml")
      writeFileSync(mapping, "mapping: x\nextends: fhir-r4\nvisit: {invoices: {unionAll: {claim: {enabled: true}}}}\n")
      const { visits } = yield* visitsOf(files, mapping)
      const [visit] = visits.map((text) =>
        readJson(Schema.Struct({ diagnosis: Schema.Array(json), invoices: Schema.Array(json) }), text)
      )
      assert.deepStrictEqual(visit?.diagnosis.map((one) => one["diagnosis_code"]), ["A09"])
      assert.deepStrictEqual(visit?.invoices.map((one) => one["total"]), [5])
      const large = yield* visitsOf(files, mapping, 0)
      assert.deepStrictEqual(large.visits, visits)
    }))
})

describe("Invented visits written as R5 and STU3", () => {
  it.effect("give the bytes of R4", () =>
    Effect.gen(function*() {
      const bundles = fc.sample(arbitraryVisit, { numRuns: runs(3), seed: 20_260_705 }).map((visit) => toFhir(visit))
      for (const bundle of bundles) {
        const records = { "visit.json": [{ ...bundle }] }
        const { visits } = yield* visitsOf(textsOf(records))
        for (const [version] of versions) {
          const other = yield* visitsOf(textsOf(records, version))
          for (const [index, visit] of visits.entries()) {
            assert.isTrue(visit === other.visits[index], `${version}: ${difference(visit, other.visits[index])}`)
          }
        }
      }
    }), timeout)
})

/** Where two texts part, without what is around it. */
const difference = (one: string, other = ""): string => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return `${one.slice(at - 60, at + 20)}\n${other.slice(at - 60, at + 20)}`
}

/** A record of a type with every element that its version has, each text another. */
const fullRecord = (types: Types, type: string): Resource => {
  let count = 0
  const elementsOf = (
    members: NonNullable<ReturnType<Types["get"]>>,
    depth: number
  ): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      [...members].flatMap(([member, { isList, type: inner }]) => {
        if (member.startsWith("_") || skipped.has(member)) return []
        const value = valueOf(inner, depth - 1)
        return value === undefined ? [] : [[member, isList ? [value] : value]]
      })
    )
  const valueOf = (name: string, depth: number): unknown => {
    if (name === "boolean") return true
    if (name === "number") return ++count
    const members = types.get(name.replace(/\|.*$/u, ""))
    if (members === undefined || (members.has("resourceType") && name !== type)) return `text-${++count}`
    if (name === "Extension" || name === "Meta" || depth === 0) return undefined
    return elementsOf(members, depth)
  }
  return { ...elementsOf(present(types.get(type)), 6), resourceType: type }
}

const skipped = new Set([
  "id",
  "extension",
  "modifierExtension",
  "contained",
  "meta",
  "resourceType",
  "fhir_comments",
  "text_div"
])

/** Every text and number of a record with its path. */
const leavesOf = (value: unknown, path: string): ReadonlyArray<readonly [path: string, leaf: unknown]> =>
  typeof value !== "object" || value === null
    ? typeof value === "boolean" ? [] : [[path, value]]
    : Array.isArray(value)
    ? value.flatMap((one) => leavesOf(one, path))
    : Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}.${key}`))

describe("What a version writes differently", () => {
  for (const [version, rules, file] of versions) {
    const types = typesOf(file)

    it(`converts or reports each element of ${version}`, () => {
      const missing = Object.keys(rules.elements).flatMap((type) => {
        const record = fullRecord(types, type)
        const { rejectedFor, resource, unread } = present(toR4(record, version))
        assert.isAbove(leavesOf(record, type).length, 20, type)
        const kept = new Set(leavesOf(resource, "").map(([, leaf]) => leaf))
        return leavesOf(record, type).filter(([path, leaf]) =>
          !kept.has(leaf) &&
          ![...unread, ...(rejectedFor === undefined ? [] : [rejectedFor])].some((one) =>
            path === one || path.startsWith(`${one}.`)
          )
        ).map(([path]) => path).filter((path) => !implied.test(path))
      })
      assert.deepStrictEqual(missing, [])
    })

    it(`converts or reports each element of ${version} that R4 lacks`, () => {
      for (const [path, list] of Object.entries(otherVersions().elements)) {
        const [type = "", ...names] = path.replace(/\(\)$|\{\}$/u, "").split(".")
        if (!list.split(" ").includes(version) || !Object.hasOwn(rules.elements, type)) continue
        const known = ruleOf(rules, type, names)
        assert.isTrue(known, `${version} ${path}`)
      }
    })
  }

  it("has rules for each type that the base mapping reads, so that no record of it ends a run", async () => {
    const { types } = await readByBase()
    const isRead = (type: string): boolean => types.includes(type)
    for (const [version, { elements }] of versions) {
      const differing = Object.entries(otherVersions().elements)
        .filter(([, list]) => list.split(" ").includes(version)).map(([path]) => path.split(".")[0] ?? "")
      const without = [...new Set(differing)].filter((type) => isRead(type) && !Object.hasOwn(elements, type))
      assert.deepStrictEqual(without, unconverted[version], version)
    }
  })

  it("rejects a record that would mean something else in R4, and the visit that needs it", () => {
    const watch = new VersionWatch(undefined)
    const reading = new RecordExtractor("a.json", { versions: watch })
    reading.value(
      {
        resourceType: "Task",
        id: "t",
        doNotPerform: true
      },
      1
    )
    const [problem, ...others] = reading.take()
    assert.deepStrictEqual(others, [])
    assert.isTrue(problem?._tag === "Problem")
    if (problem?._tag !== "Problem") return
    assert.strictEqual(problem.diagnostic.code, "other-fhir-version")
    assert.deepStrictEqual(problem.lost?.map(({ type }) => type), ["Task"])
  })

  it("reads a diagnosis that is only a code in an encounter of R5 as a condition in this encounter", () => {
    const subject = { reference: "Patient/1" }
    const { resource, unread } = present(toR4({
      resourceType: "Encounter",
      contained: [{ resourceType: "Condition", id: "code-1", code: { text: "Fever" } }],
      subject,
      diagnosis: [
        { condition: [{ concept: { text: "Cough" } }, { reference: { reference: "#code-1" } }] },
        { condition: [{ concept: { text: "Rash" }, reference: { reference: "Condition/2" } }] }
      ]
    }, "R5"))
    assert.deepStrictEqual(resource["diagnosis"], [
      { condition: { reference: "#code-2" } },
      { condition: { reference: "#code-1" } },
      { condition: { reference: "Condition/2" } }
    ])
    assert.deepStrictEqual(resource["contained"], [
      { resourceType: "Condition", id: "code-1", code: { text: "Fever" } },
      { resourceType: "Condition", id: "code-2", subject, code: { text: "Cough" } }
    ])
    assert.deepStrictEqual(unread, ["Encounter.diagnosis.condition.concept"])
  })

  it("keeps what R4 has no element or code for in the extensions that HL7 has defined for it", () => {
    const urlOf = (path: string): string => `http://hl7.org/fhir/5.0/StructureDefinition/extension-${path}`
    const reference = { reference: "Encounter/1" }
    const extension = [{ url: "http://our-hospital.example/x", valueCode: "y" }]
    const claim = present(toR4({ resourceType: "Claim", extension, encounter: [reference] }, "R5")).resource
    const valueReference = { url: urlOf("Claim.encounter"), valueReference: reference }
    assert.deepStrictEqual(claim, { resourceType: "Claim", extension: [...extension, valueReference] })
    const stopped = present(toR4({ resourceType: "Encounter", status: "discontinued", actualPeriod: {} }, "R5"))
    assert.strictEqual(stopped.resource.status, "finished")
    assert.deepStrictEqual(stopped.resource.extension, [{
      url: urlOf("Encounter.status"),
      valueCode: "discontinued"
    }])
    assert.isUndefined(present(toR4({ resourceType: "Encounter", status: "completed" }, "R5")).resource.extension)
  })

  it("reads the class of R5 that HL7 has a code for, and keeps others in an extension", () => {
    const own = { system: "http://our-hospital.example/class", code: "E" }
    const emergency = { system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "EMER" }
    const inpatient = { coding: [{ code: "IMP" }] }
    const { resource } = present(
      toR4({ resourceType: "Encounter", class: [{ coding: [own, emergency] }, inpatient] }, "R5")
    )
    const url = "http://hl7.org/fhir/5.0/StructureDefinition/extension-Encounter.class"
    const extension = [{ url, valueCodeableConcept: inpatient }]
    assert.deepStrictEqual(resource, { resourceType: "Encounter", class: emergency, extension })
  })

  it("reads each status of R5 as one that R4 has", () => {
    const statusOf = (resource: Resource, name = "status") => present(toR4(resource, "R5")).resource[name]
    const draft = {
      resourceType: "MedicationStatement",
      status: "draft",
      adherence: { code: { coding: [{ code: "taking" }] } }
    }
    assert.strictEqual(statusOf(draft), "unknown")
    assert.strictEqual(statusOf({ resourceType: "ClinicalImpression", status: "not-done" }), "entered-in-error")
    for (const status of ["registered", "cancelled", "deprecated"]) {
      assert.strictEqual(statusOf({ resourceType: "Composition", status }), "entered-in-error")
      assert.strictEqual(
        statusOf({ resourceType: "DocumentReference", docStatus: status }, "docStatus"),
        "entered-in-error"
      )
    }
    assert.strictEqual(statusOf({ resourceType: "Composition", status: "corrected" }), "amended")
  })

  it("reads the price of a charge of R5, and rejects one whose price is something else", () => {
    const amount = { value: 5, currency: "KHR" }
    const read = (type: string) =>
      present(toR4({ resourceType: "ChargeItem", totalPriceComponent: { type, amount } }, "R5"))
    assert.deepStrictEqual(read("base").resource, { resourceType: "ChargeItem", priceOverride: amount })
    assert.strictEqual(read("tax").rejectedFor, "ChargeItem.totalPriceComponent.type")
  })

  it("reads the decision of a consent of R5 as its provision, and the exceptions as provisions below it", () => {
    const { resource } = present(toR4({
      resourceType: "Consent",
      subject: { reference: "Patient/1" },
      decision: "deny",
      period: { start: "2026-01-01" },
      provision: [{ purpose: [{ code: "TREAT" }] }]
    }, "R5"))
    assert.deepStrictEqual(resource, {
      resourceType: "Consent",
      patient: { reference: "Patient/1" },
      provision: { type: "deny", period: { start: "2026-01-01" }, provision: [{ purpose: [{ code: "TREAT" }] }] }
    })
  })

  it("reads a consent of STU3 that opts out as a policy, and its exceptions as provisions", () => {
    const { resource } = present(toR4({
      resourceType: "Consent",
      consentingParty: [{ reference: "Patient/1" }],
      period: { start: "2026-01-01" },
      policyRule: "http://hl7.org/fhir/ConsentPolicy/opt-out",
      except: [{ type: "permit" }]
    }, "STU3"))
    assert.deepStrictEqual(resource, {
      resourceType: "Consent",
      performer: [{ reference: "Patient/1" }],
      policyRule: { coding: [{ system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "OPTOUT" }] },
      provision: { period: { start: "2026-01-01" }, provision: [{ type: "permit" }] }
    })
  })

  it("keeps records of two STU3 types apart that become one R4 type, and records entered in error", () => {
    const read = (resource: Resource) => present(toR4(resource, "STU3")).resource
    const order = read({ resourceType: "ProcedureRequest", id: "1" })
    const referral = read({ resourceType: "ReferralRequest", id: "1", basedOn: [{ reference: "ReferralRequest/2" }] })
    assert.deepStrictEqual([order.resourceType, order.id], ["ServiceRequest", "1"])
    assert.deepStrictEqual([referral.resourceType, referral.id], ["ServiceRequest", "ReferralRequest-1"])
    assert.deepStrictEqual(referral.basedOn, [{ reference: "ServiceRequest/ReferralRequest-2" }])
    const specimen = read({ resourceType: "Specimen", request: [{ reference: "ProcedureRequest/1" }] })
    assert.deepStrictEqual(specimen.request, [{ reference: "ServiceRequest/1" }])
    assert.strictEqual(read({ resourceType: "Claim", use: "complete" })["use"], "claim")
    const procedure = { resourceType: "Procedure", notDone: true }
    assert.strictEqual(read({ ...procedure, status: "completed" }).status, "not-done")
    assert.strictEqual(read({ ...procedure, status: "entered-in-error" }).status, "entered-in-error")
  })

  it("reports a version that differs from the setting as a problem of the run", () => {
    const encounter = { resourceType: "Encounter", actualPeriod: { start: "2026-01-01" } }
    const origin = { file: "a.ndjson", line: 1, reference: "Encounter" }
    for (
      const [setting, version] of [["auto", "R5"], ["5.0.0", "R5"], ["3.0.2", undefined], ["4.0.1", undefined]] as const
    ) {
      const watch = new VersionWatch(undefined, setting)
      assert.strictEqual(watch.read(encounter, origin)?.version, version, setting)
      assert.lengthOf(watch.problems(), version === undefined ? 1 : 0, setting)
    }
    const silent = { resourceType: "Encounter", status: "completed" }
    assert.isUndefined(new VersionWatch(undefined).read(silent, origin))
    assert.strictEqual(new VersionWatch(undefined, "5.0.0").read(silent, origin)?.resource.status, "finished")
    const old = new VersionWatch(undefined)
    assert.isUndefined(old.read({ resourceType: "MedicationOrder" }, origin))
    assert.include(at(old.problems(), 0).title, "DSTU2")
  })

  it("reports an element by its name in the source", () => {
    const encounter = { resourceType: "Encounter", actualPeriod: {}, class: [{ coding: [{ code: "AMB" }] }] }
    const { nameOf } = present(toR4(encounter, "R5"))
    assert.strictEqual(nameOf("Encounter.period.start"), "Encounter.actualPeriod.start")
    assert.strictEqual(nameOf("Encounter.class.code"), "Encounter.class.coding.code")
    assert.isUndefined(nameOf("Encounter.status"))
    const condition = { resourceType: "Condition", clinicalStatus: "active" }
    const name = present(toR4(condition, "STU3")).nameOf("Condition.clinicalStatus.coding.code")
    assert.strictEqual(name, "Condition.clinicalStatus")
  })

  it("is reported for each file, with the number of its records", () => {
    const watch = new VersionWatch(undefined)
    const encounter = { resourceType: "Encounter", actualPeriod: {}, plannedStartDate: "2026-01-01" }
    for (const line of [1, 2]) watch.read(encounter, { file: "a.ndjson", line, reference: "Encounter" })
    assert.deepStrictEqual(watch.problems(), [])
    const [note, ...others] = watch.notes()
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(note?.facts, [["records", "2"], ["not read", "`Encounter.plannedStartDate` (2)"]])
  })
})

/** What differs in R4: the type, a status, a role, and the system and display of a code that is required. */
const implied =
  /^(?:ProcedureRequest|ReferralRequest)\.resourceType$|^\w+\.status$|\.related\.type$|\.participant\.function\.|\.coding\.(?:system|version|display)$/u

/** Whether a rule is about an element, or about one that it is in. */
const ruleOf = (rules: VersionRules, type: string, names: ReadonlyArray<string>): boolean => {
  let at: any = rules.elements[type]
  for (const name of names) {
    if (at === undefined || !Object.hasOwn(at, name)) return false
    const rule = at[name]
    if (rule === null || typeof rule === "string") return true
    at = rule.below ?? rule.up
    if (at === undefined) return true
  }
  return true
}
