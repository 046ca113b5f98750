import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fhir2visit, inFolder, samples } from "./builtProgram.ts"

describe("to-fhir", () => {
  for (const sample of samples) {
    it(`${sample}: converts records to visits, to FHIR, and back to the same bytes`, () => {
      const settings = ["--facility", `samples/${sample}`, "--quiet", "-o", "-"]
      const visits = fhir2visit(["convert", `samples/${sample}/input`, ...settings]).stdout
      assert.isAbove(visits.length, 1000)
      inFolder((folder) => {
        const file = join(folder, "visits.ndjson")
        writeFileSync(file, visits)
        const bundles = fhir2visit(["to-fhir", file, "-o", "-"])
        assert.strictEqual(bundles.status, 0, bundles.stderr)
        // The order of visits is that of their patients, whose ids are now their codes.
        const lines = (text: string) => text.split("\n").toSorted()
        assert.deepStrictEqual(lines(fhir2visit(["convert", "-", ...settings], bundles.stdout).stdout), lines(visits))
      })
    })
  }

  it("reports and rejects invalid visits, and writes the others", () => {
    inFolder((folder) => {
      const file = join(folder, "visits.ndjson")
      const good = JSON.stringify(JSON.parse(readFileSync("samples/outpatient-fever/expected.json", "utf8")))
      writeFileSync(file, `{"code":"V1"}\n${good}\n`)
      const { status, stderr, stdout } = fhir2visit(["to-fhir", file])
      assert.strictEqual(status, 1)
      assert.strictEqual(stdout.trim().split("\n").length, 1)
      assert.include(stderr, "1 visit as FHIR, 1 rejected")
      assert.include(stderr, "required-field")
    })
  })
})
