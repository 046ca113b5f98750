import { assert, describe, it } from "@effect/vitest"
import type { Encounter, FhirResource, Invoice, Observation, Period } from "fhir/r4.d.ts"
import * as r4 from "fhirpath/fhir-context/r4"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { parse } from "yaml"
import { jsonObjectOf, jsonObjectsIn, jsonTextOf, oneOrMore } from "../../src/json/JsonObject.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")
const folder = join(root, "samples")

/** A resource of a sample, and the names by which references find it. */
interface Found {
  readonly resource: FhirResource
  readonly file: string
  readonly names: ReadonlyArray<string>
}

const foundIn = (resource: FhirResource, file: string, fullUrl: ReadonlyArray<string> = []): Found => ({
  resource,
  file,
  names: [`${resource.resourceType}/${resource.id}`, ...fullUrl]
})

const resourcesIn = (file: string): ReadonlyArray<Found> => {
  const bytes = readFileSync(file)
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
  if (/\.ndjson(\.gz)?$/.test(file)) return text.trimEnd().split("\n").map((line) => foundIn(JSON.parse(line), file))
  const bundle: { readonly entry: ReadonlyArray<{ fullUrl: string; resource: FhirResource }> } = JSON.parse(text)
  return bundle.entry.map(({ fullUrl, resource }) => foundIn(resource, file, [fullUrl]))
}

/** The samples whose input is FHIR. */
const isFhir = (name: string): boolean =>
  readdirSync(join(folder, name, "input")).every((file) => !file.endsWith(".csv"))

const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const samples = folders.filter(({ name }) => isFhir(name)).map(({ name }) => {
  const input = join(folder, name, "input")
  return { name, found: readdirSync(input).toSorted().flatMap((file) => resourcesIn(join(input, file))) }
})
const everything = samples.flatMap(({ found }) => found)
type Of<T> = Extract<FhirResource, { readonly resourceType: T }>
const all = <T extends FhirResource["resourceType"]>(found: ReadonlyArray<Found>, type: T): ReadonlyArray<Of<T>> =>
  found.map(({ resource }) => resource).filter((resource): resource is Of<T> => resource.resourceType === type)

/** Calls `visit` with each member of a resource: its key, its value, and its path with datatypes as roots (`Period.start`). */
const walk = (value: unknown, path: string, visit: (key: string, value: unknown, path: string) => void): void => {
  if (Array.isArray(value)) return value.forEach((item) => walk(item, path, visit))
  if (value === null || typeof value !== "object") return
  for (const [key, member] of Object.entries(value)) {
    const here = `${path}.${key}`
    visit(key, member, here)
    walk(member, typeOf(here), visit)
  }
}
const elementTypes: Readonly<Record<string, unknown>> = r4.path2TypeWithoutElements
const referenceTargets: Readonly<Record<string, ReadonlyArray<string>>> = r4.path2RefType
const typeOf = (path: string): string => {
  const type = elementTypes[path]
  return typeof type === "string" && /^[A-Z][A-Za-z]+$/.test(type) ? type : path
}

const { UcumLhcUtils } = createRequire(import.meta.url)("@lhncbc/ucum-lhc")

/** The reference in an element of a resource. */
const referenceIn = (resource: FhirResource, element: string): string | undefined =>
  jsonTextOf(jsonObjectOf(jsonObjectOf(resource)[element]).reference)

/** The begin and the end of a period, in milliseconds. */
const spanOf = (period: Period | undefined) => ({
  start: Date.parse(period?.start ?? ""),
  end: Date.parse(period?.end ?? "")
})

/** The only dangling reference of the samples, in `clinic-day`, which shows the result. */
const orphan = "Encounter/39877"

describe("the samples are FHIR R4", () => {
  it("has elements, required elements and required codes as R4 defines them", () => {
    const types = join(root, "node_modules/@types/fhir/r4.d.ts")
    const program = everything.map(({ resource }, index) =>
      `export const r${index}: f.${resource.resourceType} = ${JSON.stringify(resource)}`
    )
    const directory = mkdtempSync(join(tmpdir(), "samples-"))
    try {
      const file = join(directory, "samples.ts")
      writeFileSync(file, [`import type * as f from ${JSON.stringify(types)}`, ...program].join("\n"))
      const options = "--ignoreConfig --noEmit --strict --skipLibCheck --target es2022 --module nodenext --types".split(
        " "
      )
      const tsc = join(root, "node_modules/typescript/bin/tsc")
      execFileSync(process.execPath, [tsc, ...options, "", file], { encoding: "utf8" })
    } catch (error) {
      assert.fail(String(jsonObjectOf(error).stdout ?? error))
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it("has no empty value, and an offset in each time", () => {
    const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/
    for (const { resource, file } of everything) {
      walk(resource, resource.resourceType, (key, value, path) => {
        const empty = value === "" || value === null || (Array.isArray(value) && value.length === 0)
        assert.isFalse(empty, `${path} in ${file}`)
        if (typeof value === "string" && /^\d{4}-\d{2}-\d{2}T/.test(value)) {
          assert.match(value, time, `${key} in ${file}`)
        }
      })
    }
  })

  it("has units that are UCUM codes", () => {
    const codes = new Set<string>()
    for (const { resource } of everything) {
      walk(resource, resource.resourceType, (_, value) => {
        const { code, system } = jsonObjectOf(value)
        if (system === "http://unitsofmeasure.org") codes.add(jsonTextOf(code) ?? "")
      })
    }
    const ucum = UcumLhcUtils.getInstance()
    for (const code of codes) assert.strictEqual(ucum.validateUnitString(code).status, "valid", code)
    assert.includeMembers([...codes], ["mm[Hg]", "Cel", "[degF]", "%", "/min", "mg/dL", "mmol/L", "cm", "m", "kg"])
  })
})

for (const { name, found } of samples) {
  describe(`samples/${name}`, () => {
    const byName = new Map(found.flatMap((item) => item.names.map((each) => [each, item] as const)))

    it("is a facility folder with its own input", () => {
      const settings = parse(readFileSync(join(folder, name, "facility.yaml"), "utf8"))
      assert.sameMembers(Object.keys(settings), ["facility", "system", "timezone", "mapping", "service"])
      assert.strictEqual(settings["timezone"], "Asia/Phnom_Penh")
      assert.isNotEmpty(readFileSync(join(folder, name, "README.md"), "utf8"))
      const own = all(found, "Encounter").flatMap((encounter) => encounter.serviceProvider?.reference ?? [])
        .map((reference) => byName.get(reference)?.resource)
      for (const organization of own) {
        assert.strictEqual(
          organization?.resourceType === "Organization" && organization.identifier?.[0]?.value,
          settings["facility"]
        )
      }
    })

    it("has each resource once", () => {
      const ids = found.map(({ resource }) => `${resource.resourceType}/${resource.id}`)
      assert.deepStrictEqual(ids.filter((id, index) => ids.indexOf(id) !== index), [])
    })

    it("refers only to resources of the sample, of types that R4 allows", () => {
      const dangling = new Set<string>()
      for (const { resource, file } of found) {
        walk(resource, resource.resourceType, (key, value, path) => {
          if (key !== "reference" || typeof value !== "string") return
          assert.strictEqual(path, "Reference.reference", `${path} in ${file}`)
          if (!byName.has(value)) dangling.add(value)
        })
        walk(resource, resource.resourceType, (_, value, path) => {
          const allowed = referenceTargets[path]
          if (allowed === undefined || allowed.length === 0 || allowed.includes("Resource")) return
          for (const { reference } of jsonObjectsIn(oneOrMore(value))) {
            const target = byName.get(String(reference))?.resource.resourceType
            if (target !== undefined) assert.include(allowed, target, `${path} in ${file}`)
          }
        })
      }
      assert.deepStrictEqual([...dangling], name === "clinic-day" ? [orphan] : [])
    })

    it("has unique visit and encounter codes, and encounters within their visit", () => {
      const coded = (encounter: Encounter, kind: string) =>
        (encounter.identifier ?? []).filter(({ system }) => system?.endsWith(`/NamingSystem/${kind}`)).length
      for (const encounter of all(found, "Encounter").filter(({ status }) => status === "finished")) {
        const parent = encounter.partOf === undefined
          ? undefined
          : byName.get(encounter.partOf.reference ?? "")?.resource
        if (parent?.resourceType !== "Encounter") {
          assert.strictEqual(coded(encounter, "visit-code"), 1, encounter.id)
          continue
        }
        assert.strictEqual(coded(encounter, "encounter-code"), 1, encounter.id)
        const [outer, inner] = [spanOf(parent.period), spanOf(encounter.period)]
        assert.isTrue(
          outer.start <= inner.start && inner.start < inner.end && inner.end <= outer.end,
          encounter.id
        )
      }
    })

    it("has records of one patient in one encounter", () => {
      for (const { resource } of found) {
        const link = referenceIn(resource, "encounter") ?? referenceIn(resource, "context")
        const within = link === undefined ? undefined : byName.get(link)?.resource
        if (within?.resourceType !== "Encounter") continue
        const [own, other] = [referenceIn(resource, "subject"), within.subject?.reference].map((each) =>
          byName.get(each ?? "")?.resource.id
        )
        assert.isDefined(other, `${resource.resourceType}/${resource.id}`)
        if ("subject" in resource) assert.strictEqual(own, other, `${resource.resourceType}/${resource.id}`)
      }
    })

    const encounterAt = (reference: string | undefined): Encounter | undefined => {
      const resource = byName.get(reference ?? "")?.resource
      return resource?.resourceType === "Encounter" ? resource : undefined
    }

    it("has observations during the visit, with possible values", () => {
      const range: Record<string, readonly [number, number, string]> = {
        "8480-6": [70, 230, "mm[Hg]"],
        "8462-4": [40, 130, "mm[Hg]"],
        "8867-4": [40, 180, "/min"],
        "9279-1": [8, 50, "/min"],
        "59408-5": [70, 100, "%"],
        "2339-0": [40, 600, "mg/dL"],
        "15074-8": [2, 35, "mmol/L"]
      }
      const check = ({ code, valueQuantity }: Pick<Observation, "code" | "valueQuantity">) => {
        const [low, high, unit] = range[code.coding?.[0]?.code ?? ""] ?? [-Infinity, Infinity, valueQuantity?.code]
        if (valueQuantity === undefined) return
        assert.strictEqual(valueQuantity.code, unit)
        assert.isTrue((valueQuantity.value ?? NaN) >= low && (valueQuantity.value ?? NaN) <= high, code.text)
      }
      for (const observation of all(found, "Observation")) {
        check(observation)
        observation.component?.forEach(check)
        const encounter = encounterAt(observation.encounter?.reference)
        const visit = encounterAt(encounter?.partOf?.reference) ?? encounter
        if (visit === undefined) continue
        const at = Date.parse(observation.effectiveDateTime ?? "")
        assert.isTrue(
          Date.parse(visit.period?.start ?? "") <= at && at <= Date.parse(visit.period?.end ?? ""),
          observation.id
        )
      }
    })

    it("has invoices whose lines and totals agree", () => {
      for (const invoice of all(found, "Invoice")) {
        const cents = (value: number | undefined) => Math.round((value ?? 0) * 100)
        const lines = (invoice.lineItem ?? []).map((line) => {
          const charge = byName.get(line.chargeItemReference?.reference ?? "")?.resource
          const quantity = charge?.resourceType === "ChargeItem" ? charge.quantity?.value ?? NaN : NaN
          const amount = (type: string) => cents(line.priceComponent?.find((part) => part.type === type)?.amount?.value)
          const payment = cents(line.extension?.find(({ url }) => url.endsWith("/payment"))?.valueMoney?.value)
          assert.strictEqual(
            payment,
            amount("base") * quantity - amount("discount"),
            line.chargeItemReference?.reference ?? ""
          )
          return { payment, discount: amount("discount") }
        })
        const sum = (part: (line: { payment: number; discount: number }) => number) =>
          lines.reduce((n, line) => n + part(line), 0)
        const totals = (invoice: Invoice) => [cents(invoice.totalNet?.value), cents(invoice.totalGross?.value)]
        assert.deepStrictEqual(totals(invoice), [
          sum((line) => line.payment),
          sum((line) => line.payment + line.discount)
        ])
      }
    })

    it("has quantities of medicines that match dose and days", () => {
      const perDay = (times: ReadonlyArray<string> | undefined) => times?.length ?? NaN
      for (const order of [...all(found, "MedicationRequest"), ...all(found, "MedicationDispense")]) {
        const dosage = order.dosageInstruction?.[0]
        const dose = dosage?.doseAndRate?.[0]?.doseQuantity
        const repeat = dosage?.timing?.repeat
        const quantity = order.resourceType === "MedicationRequest" ? order.dispenseRequest?.quantity : order.quantity
        const days = order.resourceType === "MedicationRequest"
          ? order.dispenseRequest?.expectedSupplyDuration
          : order.daysSupply
        if (repeat === undefined || quantity?.unit !== dose?.unit) continue
        assert.strictEqual(repeat.boundsDuration?.value, days?.value, order.id)
        assert.strictEqual(
          quantity?.value,
          (dose?.value ?? NaN) * perDay(repeat.when ?? repeat.timeOfDay) * (days?.value ?? NaN),
          order.id
        )
      }
    })
  })
}
