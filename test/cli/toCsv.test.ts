import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { extractTables } from "../../src/studio/canonical/extractTables.ts"
import { fhir2visit, inFolder } from "./builtProgram.ts"

describe("to-csv", () => {
  it("converts records to visits, to tables, and back to the same bytes, with mode 0600", () => {
    inFolder((folder) => {
      const [visits, extract] = [join(folder, "visits.ndjson"), join(folder, "extract")]
      fhir2visit(["convert", "samples/clinic-day/input", "--facility", "samples/clinic-day", "-o", visits, "--quiet"])
      const written = fhir2visit(["to-csv", visits, "-o", extract])
      assert.strictEqual(written.status, 0, written.stderr)
      assert.include(written.stderr, "4 visits as CSV")
      assert.sameMembers(readdirSync(extract), extractTables.map(({ name }) => `${name}.csv`))
      for (const file of readdirSync(extract)) assert.strictEqual(statSync(join(extract, file)).mode & 0o777, 0o600)
      const facility = join(folder, "facility.yaml")
      writeFileSync(facility, "facility: HF0004\nsystem: TEST\ntimezone: Asia/Phnom_Penh\nmapping: csv\n")
      const back = fhir2visit(["convert", extract, "--facility", facility, "-o", "-", "--quiet"])
      assert.strictEqual(back.stdout, readFileSync(visits, "utf8"))
    })
  })

  it("drops and reports a second visit with one code, and escapes formulas with an apostrophe", () => {
    inFolder((folder) => {
      const visit = JSON.parse(readFileSync("samples/outpatient-fever/expected.json", "utf8"))
      const file = join(folder, "visits.ndjson")
      const line = JSON.stringify({ ...visit, patient: { ...visit.patient, surname: "=1+1" } })
      writeFileSync(file, `${line}\n${line}\n`)
      const { status, stderr } = fhir2visit(["to-csv", file, "-o", join(folder, "extract")])
      assert.strictEqual(status, 1)
      assert.include(stderr, "duplicate-code")
      assert.include(stderr, "1 visit as CSV, 1 rejected")
      assert.include(readFileSync(join(folder, "extract/patient.csv"), "utf8"), ",'=1+1,")
    })
  })
})
