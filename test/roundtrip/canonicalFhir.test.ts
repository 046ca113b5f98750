import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Bundle, Encounter, FhirResource, Observation } from "fhir/r4.d.ts"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { choiceElement, referenceTargets, typesOfElement } from "../../src/fhirpath/infer/Model.ts"
import { isJsonObject, jsonObjectOf } from "../../src/json/JsonObject.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { toEpochMillis } from "../../src/visit/values/Timestamp.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { captures } from "../captures.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")

const resourcesOf = (bundle: Bundle): ReadonlyArray<FhirResource> =>
  // The Bundles here come from `toFhir`, which makes resources of R4 only: the strict type check below compiles its output.
  (bundle.entry ?? []).map((entry) => entry.resource as FhirResource)

/** The forms of FHIR's primitive types (R4, Data Types), as the specification's regular expressions have them. */
const forms: Readonly<Record<string, RegExp>> = {
  boolean: /^(?:true|false)$/,
  // oxlint-disable-next-line no-control-regex
  string: /^(?=[^]*\S)[^\u0000-\u0008\u000B\u000C\u000E-\u001F]+$/,
  // oxlint-disable-next-line no-control-regex
  markdown: /^(?=[^]*\S)[^\u0000-\u0008\u000B\u000C\u000E-\u001F]+$/,
  code: /^\S+(?: \S+)*$/,
  id: /^[A-Za-z0-9\-.]{1,64}$/,
  uri: /^\S+$/,
  url: /^\S+$/,
  canonical: /^\S+$/,
  decimal: /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/,
  integer: /^-?(?:0|[1-9]\d*)$/,
  positiveInt: /^[1-9]\d*$/,
  unsignedInt: /^(?:0|[1-9]\d*)$/,
  date: /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/,
  dateTime:
    /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)$|^\d{4}-\d{2}-\d{2}$/,
  instant:
    /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)$/,
  xhtml: /^<div xmlns="http:\/\/www\.w3\.org\/1999\/xhtml">(?:[^<>&]|&(?:amp|lt|gt);|<br\/>)+<\/div>$/
}

interface Seen {
  /** Its path, with datatypes as roots: `Period.start`. */
  readonly path: string
  readonly type: string
  readonly value: unknown
}

const types: ReadonlySet<string> = new Set(Object.keys(forms))

const known = new Map<string, string | undefined>()

/** The type of an element in the R4 model. */
const typeOf = (place: string, key: string): string | undefined => {
  const path = `${place}.${key}`
  if (!known.has(path)) {
    const name = key.replace(/^_/, "")
    const type = choiceElement(place, name)?.type ?? [...(typesOfElement(place, name) ?? [])][0]
    // The model gives ids and addresses of extensions FHIRPath's own type.
    const own = type === "String" ? (name === "id" ? "id" : "uri") : type
    known.set(path, own !== undefined && key.startsWith("_") ? "Element" : own)
  }
  return known.get(path)
}

/** Every element of a resource with its type in the R4 model; an element the model does not have is a failure. */
const walk = (value: unknown, place: string, use: (seen: Seen) => void): void => {
  if (typeof value !== "object" || value === null || types.has(place)) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === "resourceType") continue
    const type = typeOf(place, key)
    if (type === undefined) assert.fail(`${place} has no element ${key}`)
    for (const one of Array.isArray(inner) ? inner : [inner]) {
      use({ path: `${place}.${key.replace(/^_/, "")}`, type, value: one })
      walk(one, type, use)
    }
    if (Array.isArray(inner) && inner.length === 0) assert.fail(`${place}.${key} is an empty array`)
  }
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "rawJSON" in value ? String(value.rawJSON) : String(value)

const { UcumLhcUtils } = createRequire(import.meta.url)("@lhncbc/ucum-lhc")
const ucum = UcumLhcUtils.getInstance()

const assertValid = (visit: Visit): void => {
  const bundle = toFhir(visit)
  const resources = resourcesOf(bundle)
  const byName = new Map(resources.map((resource) => [`${resource.resourceType}/${resource.id}`, resource]))
  assert.strictEqual(byName.size, resources.length, "ids are unique")
  for (const { fullUrl, request, resource } of present(bundle.entry)) {
    const name = `${resource?.resourceType}/${resource?.id}`
    assert.strictEqual(fullUrl, `https://fhir2visit.example/fhir/${name}`)
    assert.deepStrictEqual(request, { method: "PUT", url: name })
  }
  for (const resource of resources) {
    walk(resource, resource.resourceType, ({ path, type, value }) => {
      if (types.has(type)) {
        if (!present(forms[type]).test(textOf(value))) {
          assert.fail(`${path} is not the form of ${type}: ${textOf(value)}`)
        }
        return
      }
      if (!isJsonObject(value)) return assert.fail(`${path} is no object`)
      assert.isNotEmpty(Object.keys(value), path)
      if (type === "Reference" && typeof value.reference === "string") {
        const target = byName.get(value.reference)
        if (target === undefined) return assert.fail(`${path} leads nowhere`)
        const allowed = referenceTargets(path) ?? []
        if (allowed.length > 0 && !allowed.includes("Resource")) {
          assert.include(allowed, target.resourceType, path)
        }
      }
      if (type === "Period") {
        const { end, start } = value
        if (end !== undefined) assert.isAtMost(toEpochMillis(String(start)), toEpochMillis(String(end)), path)
      }
      if (type === "Extension") {
        const values = Object.keys(value).filter((key) => key.startsWith("value"))
        assert.strictEqual(
          values.length + (value.extension === undefined ? 0 : 1),
          1,
          `${path}: a value or extensions`
        )
      }
      if (value.system === "http://unitsofmeasure.org") {
        assert.strictEqual(ucum.validateUnitString(String(value.code)).status, "valid", path)
      }
    })
  }
  for (const observation of resources.filter((one): one is Observation => one.resourceType === "Observation")) {
    const { component, dataAbsentReason } = observation
    const values = Object.keys(observation).filter((key) => key.startsWith("value")).length
    // obs-6: a reason for a missing value only where it is missing; and none goes without either.
    assert.strictEqual(values + (dataAbsentReason === undefined ? 0 : 1) + (component === undefined ? 0 : 1), 1)
  }
  for (const resource of resources) {
    if (resource.resourceType !== "Composition") continue
    // cmp-1: a section has a text.
    for (const section of resource.section ?? []) assert.isDefined(section.text)
  }
  const encounters = resources.filter((one): one is Encounter => one.resourceType === "Encounter")
  const [top, ...members] = encounters.toSorted((one, other) =>
    Number(one.partOf !== undefined) - Number(other.partOf !== undefined)
  )
  assert.isUndefined(present(top).partOf)
  assert.strictEqual(members.length, visit.outpatients.length + visit.inpatients.length + visit.emergencies.length)
  for (const { partOf } of members) assert.strictEqual(partOf?.reference, `Encounter/${top?.id}`)
}

describe("toFhir gives FHIR R4", () => {
  it(
    "law: has only elements of the model, valid primitives, resolvable references, UCUM units, and satisfies the invariants",
    {
      timeout
    },
    () => {
      assertValid(exampleVisit)
      fc.assert(fc.property(arbitraryVisit, assertValid), { numRuns: runs(60) })
    }
  )

  it("has the types, required elements and required codes of R4 in a strict type check", () => {
    const visits = [exampleVisit, ...fc.sample(arbitraryVisit, { numRuns: 12, seed: 4 })]
    const program = visits.map((visit, index) =>
      `export const b${index}: f.Bundle<f.FhirResource> = ${JSON.stringify(toFhir(visit))}`
    )
    const directory = mkdtempSync(join(tmpdir(), "canonical-"))
    try {
      const file = join(directory, "bundles.ts")
      const r4 = join(root, "node_modules/@types/fhir/r4.d.ts")
      writeFileSync(file, [`import type * as f from ${JSON.stringify(r4)}`, ...program].join("\n"))
      const options = "--ignoreConfig --noEmit --strict --skipLibCheck --target es2022 --module nodenext --types"
      const tsc = join(root, "node_modules/typescript/bin/tsc")
      execFileSync(process.execPath, [tsc, ...options.split(" "), "", file], { encoding: "utf8" })
    } catch (error) {
      assert.fail(String(jsonObjectOf(error).stdout ?? error).slice(0, 4000))
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it("uses LOINC codes and UCUM units for the vital signs of §2.6", () => {
    const observations = resourcesOf(toFhir(exampleVisit)).flatMap((resource) =>
      resource.resourceType === "Observation" && resource.valueQuantity?.system === "http://unitsofmeasure.org"
        ? [`${resource.code.coding?.[0]?.code} ${resource.valueQuantity.code}`]
        : []
    )
    assert.includeMembers(observations, ["8480-6 mm[Hg]", "8462-4 mm[Hg]", "8867-4 /min", "8310-5 Cel", "59408-5 %"])
  })

  it("uses only documented extensions", () => {
    const page = readFileSync(join(root, "docs/canonical-fhir.md"), "utf8")
    const stated = new Set(captures(page, /`([a-z][A-Za-z-]*)`/g))
    const ours = "https://fhir2visit.example/fhir/StructureDefinition/"
    const used = new Set<string>()
    for (const visit of fc.sample(arbitraryVisit, { numRuns: 40, seed: 5 })) {
      for (const resource of resourcesOf(toFhir(visit))) {
        walk(resource, resource.resourceType, ({ type, value }) => {
          const url = String(jsonObjectOf(value).url)
          if (type === "Extension" && url.startsWith(ours)) {
            used.add(url.slice(ours.length).replace(/^(row|part|stated)-.*/, "$1-"))
          }
        })
      }
    }
    assert.isAbove(used.size, 20)
    assert.deepStrictEqual([...used].filter((name) => !stated.has(name)).toSorted(), [])
  })
})
