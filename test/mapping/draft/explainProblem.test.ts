import { assert, describe, it } from "@effect/vitest"
import { explainProblem } from "../../../src/mapping/draft/explainProblem.ts"

const place = { file: "mapping.yaml", line: 1, column: 1, endColumn: 2 }
const draft = {
  root: { origin: { file: "in.ndjson", line: 1, reference: "Encounter/e1" } },
  visit: {},
  provenanceOf: () => ({ mapping: place, path: "period.end", required: "error" as const })
}
const helpFor = (name: string): string =>
  (explainProblem(draft, { code: "required-field", severity: "error", path: [name], title: `\`${name}\` is null` })
    ?.help ?? [])
    .join("\n")

describe("The help for a mandatory field without a value", () => {
  it("offers one value for every visit, but not for times and codes", () => {
    assert.include(helpFor("visit_type"), "send a fixed value:   visit_type: {path: PATH, default: …}")
    for (const name of ["admitted_at", "patient_code", "code", "spid"]) {
      assert.notInclude(helpFor(name), "fixed value", name)
      assert.include(helpFor(name), "add another path", name)
    }
  })

  it("mentions the system and the record of identifiers that are read from another record", () => {
    const systems = () => ({ of: "identifier", constant: "facility_code_system", found: [] }) as const
    const help = (explainProblem({
      ...draft,
      provenanceOf: () => ({
        ...draft.provenanceOf(),
        path: "performer.resolve().identifierIn(%facility_code_system)",
        systems
      })
    }, { code: "required-field", severity: "error", path: ["code"], title: "`code` is null" })?.help ?? []).join("\n")
    assert.include(help, "constant: {facility_code_system: \"SYSTEM\"}")
    assert.include(help, "not in the input")
    assert.notInclude(helpFor("code"), "not in the input")
  })

  it("mentions that the end of a visit may not have come yet", () => {
    for (const name of ["discharged_at", "ended_at"]) assert.include(helpFor(name), "not ended yet", name)
    assert.notInclude(helpFor("started_at"), "not ended yet")
  })

  it("states what to do about an encounter without an end in a visit that is over", () => {
    const help = (explainProblem({ ...draft, visit: { discharged_at: "2026-03-02T09:00:00.000+07:00" } }, {
      code: "required-field",
      severity: "error",
      path: ["outpatients", 1, "ended_at"],
      title: "`ended_at` is null"
    })?.help ?? []).join("\n")
    assert.notInclude(help, "not ended yet")
    assert.include(help, "write its end into the source")
    assert.include(help, "outpatients: {ended_at: {after: [{path: \"%visit.period.end\", warn: ")
  })

  describe("with identifiers in other systems", () => {
    const explained = (name: string, constant: string, found: ReadonlyArray<string>) =>
      explainProblem({
        ...draft,
        provenanceOf: () => ({
          mapping: place,
          path: "identifierIn(%x)",
          required: "error" as const,
          systems: () => ({ constant, of: "identifier" as const, found })
        })
      }, { code: "required-field", severity: "error", path: ["patient", name], title: `\`${name}\` is null` })
    const helpOf = (...given: Parameters<typeof explained>): string => (explained(...given)?.help ?? []).join("\n")

    it("proposes the only one, and none of several", () => {
      assert.include(helpOf("code", "visit_code_system", ["urn:a"]), "constant: {visit_code_system: \"urn:a\"}")
      assert.include(
        helpOf("code", "visit_code_system", ["urn:a", "urn:b"]),
        "constant: {visit_code_system: \"SYSTEM\"}"
      )
    })

    it("proposes to read the one of a key in addition, because other patients can have another", () => {
      const help = (explainProblem({
        ...draft,
        provenanceOf: () => ({
          ...draft.provenanceOf(),
          systems: () =>
            ({ constant: "patient_code_system", of: "identifier", found: ["urn:a"], key: "patient" }) as const
        })
      }, { code: "required-field", severity: "error", path: ["patient_code"], title: "`patient_code` is null" })
        ?.help ?? []).join("\n")
      assert.include(help, "if all records have one of them, name it:   constant: {patient_code_system: \"urn:a\"}")
      assert.include(help, "add it:   key: {patient: {path: {after: [\"identifierIn('urn:a')\"]}}}")
    })

    it("proposes none as the patient's number at the service (§2.5)", () => {
      // A mapping may call the constant of the system anything.
      for (const constant of ["spid_system", "national_number"]) {
        const help = helpOf("spid", constant, ["http://records.example/mrn"])
        assert.include(help, "not a medical record number")
        assert.include(help, "http://records.example/mrn")
        assert.include(help, `constant: {${constant}: "SYSTEM"}`)
        assert.include(help, "beneficiary: {fill: [spid]}")
        assert.isUndefined(explained("spid", constant, ["http://records.example/mrn"])?.fix)
      }
      assert.isDefined(explained("code", "spid_system", ["urn:a"])?.fix)
    })
  })
})
