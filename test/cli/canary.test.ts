import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fhir2visit, inFolder, samples } from "./builtProgram.ts"

/** Every value of a visit about a person, except codes, times, and values of public lists. */
const valuesOf = (visit: Record<string, any>): ReadonlyArray<string> => {
  const { patient } = visit
  const texts: Array<unknown> = [
    patient.surname,
    patient.name,
    patient.phone,
    patient.birthdate,
    patient.occupation,
    patient.address.house_number,
    patient.address.location,
    ...patient.identifications.map((card: { readonly card_code: string }) => card.card_code),
    ...visit.triages.map((triage: { readonly chief_complaint: string }) => triage.chief_complaint),
    ...visit.diagnosis.map((diagnosis: { readonly diagnosis_description: string }) => diagnosis.diagnosis_description),
    ...visit.soaps.flatMap((
      soap: Record<string, unknown>
    ) => [soap.subjective, soap.objective, soap.assessment, soap.plan]),
    ...visit.consultations,
    ...visit.medical_histories.flatMap((history: { readonly value: ReadonlyArray<string> }) => history.value)
  ]
  return texts.filter((text): text is string => typeof text === "string" && text.length > 3)
}

describe("values of patients stay in the files of visits", () => {
  for (const sample of samples) {
    it(`${sample}: are not on stderr or stdout, in the report, or in the rejected file, at any log level`, () => {
      inFolder((folder) => {
        const visits = join(folder, "visits.ndjson")
        const common = [`samples/${sample}/input`, "--facility", `samples/${sample}`]
        const convert = fhir2visit(["convert", ...common, "-o", visits, "--log-level", "all"])
        const run = fhir2visit([
          "run",
          ...common,
          "--sandbox",
          "--report",
          join(folder, "report.json"),
          "--report",
          join(folder, "report.html"),
          "--rejected",
          join(folder, "rejected.ndjson"),
          "--log-level",
          "all"
        ])
        assert.isAtMost(convert.status ?? 9, 1, convert.stderr)
        assert.isAtMost(run.status ?? 9, 1, run.stderr)
        const canaries = readFileSync(visits, "utf8").trim().split("\n").flatMap((line) => valuesOf(JSON.parse(line)))
        assert.isAbove(canaries.length, 8)
        const seen = [
          convert.stdout,
          convert.stderr,
          run.stdout,
          run.stderr,
          readFileSync(join(folder, "report.json"), "utf8"),
          // The script and the style are the same in every page, and so is the name of the zone.
          readFileSync(join(folder, "report.html"), "utf8").replace(
            /<(style|script type="module")>[^]*?<\/(?:style|script)>/gu,
            ""
          ),
          readFileSync(join(folder, "rejected.ndjson"), "utf8")
        ].join("\n").replaceAll("Asia/Phnom_Penh", "")
        for (const canary of canaries) assert.isFalse(seen.includes(canary), `a value of ${canary.length} characters`)
        for (const name of readdirSync(folder)) {
          assert.strictEqual(statSync(join(folder, name)).mode & 0o077, 0, `${name} is for its owner`)
        }
      })
    })
  }

  it("counts free text of few visits without showing it, and shows text that many visits share", () => {
    inFolder((folder) => {
      const input = join(folder, "in.ndjson")
      const coded = (display: string) => ({ coding: [{ system: "urn:house", code: "X9", display }] })
      const visit = (id: string, disposition: object) => [
        {
          resourceType: "Patient",
          id,
          gender: "female",
          birthDate: "1990-01-01",
          identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/patient-code", value: `P-${id}` }]
        },
        {
          resourceType: "Encounter",
          id,
          status: "finished",
          class: { code: "AMB" },
          subject: { reference: `Patient/${id}` },
          period: { start: "2026-03-02T08:00:00+07:00", end: "2026-03-02T09:00:00+07:00" },
          hospitalization: { dischargeDisposition: disposition }
        }
      ]
      const records = [
        ...visit("1", { text: "home with Canary" }),
        ...visit("2", { text: "Canary came for her" }),
        ...["3", "4", "5"].flatMap((id) => visit(id, { text: "moved to the hill house" })),
        // The code is of three people, and each display of one.
        ...["6", "7", "8"].flatMap((id) => visit(id, coded(`Canary ${id}`)))
      ]
      writeFileSync(input, records.map((one) => JSON.stringify(one)).join("\n"))
      const [json, page, rejected, coverage] = [
        join(folder, "report.json"),
        join(folder, "report.html"),
        join(folder, "rejected.ndjson"),
        join(folder, "coverage.txt")
      ]
      const files = [json, page, rejected, coverage]
      const run = (more: ReadonlyArray<string>) => {
        const seen = fhir2visit([
          "convert",
          input,
          "--report",
          json,
          "--report",
          page,
          "--rejected",
          rejected,
          "--coverage",
          coverage,
          ...more
        ])
        assert.strictEqual(seen.status, 1, seen.stderr)
        return [seen.stdout, seen.stderr, ...files.map((file) => readFileSync(file, "utf8"))].join("\n")
      }
      const seen = run(["--log-level", "all"])
      assert.notInclude(seen, "Canary")
      for (const form of ["json", "html", "txt"]) {
        const file = join(folder, `profile.${form}`)
        const profiled = fhir2visit(["profile", input, "-o", file])
        assert.strictEqual(profiled.status, 0, profiled.stderr)
        const shown = profiled.stdout + profiled.stderr + readFileSync(file, "utf8")
        assert.include(shown, "X9")
        assert.notInclude(shown, "Canary")
      }
      const codes: ReadonlyArray<{ readonly table: string; readonly code: string; readonly count: number }> =
        JSON.parse(readFileSync(json, "utf8")).unmapped
      assert.deepStrictEqual(
        codes.filter(({ table }) => table === "discharge_type").map(({ code, count }) => [code, count]),
        [["X9", 3], ["moved to the hill house", 3], ["(words)", 2]]
      )
      assert.include(run(["--show-values"]), "home with Canary")
    })
  })
})
