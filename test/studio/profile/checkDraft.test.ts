import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { checkDraft } from "../../../src/studio/profile/draft/checkDraft.ts"
import { withoutLines } from "../../../src/studio/profile/draft/withoutLines.ts"
import { begun, sample } from "./begun.ts"

const checked = (draft: string) =>
  checkDraft("mapping.yaml", "mappings", draft).pipe(Effect.provide(NodeServices.layer))

const draft = `mapping: example
extends: fhir-r4
constant:
  # a valid line
  patient_code_system: "http://hospital.example/patient"
visit:
  patient:
    # a path that cannot be read
    occupation: "name.where("
  diagnosis:
    # an element that no Condition has
    diagnosis_code: {after: [code.codes]}
    diagnosis_name: code.text
`

describe("A draft of init", () => {
  it.effect("leaves out and names lines that are invalid, with the keys that would have nothing", () =>
    Effect.gen(function*() {
      const { draft: text, leftOut } = yield* checked(draft)
      assert.deepStrictEqual(parse(text), {
        mapping: "example",
        extends: "fhir-r4",
        constant: { patient_code_system: "http://hospital.example/patient" },
        visit: { diagnosis: { diagnosis_name: "code.text" } }
      })
      const names = ["occupation: \"name.where(\"", "diagnosis_code: {after: [code.codes]}"]
        .map((line) => `a proposed line is invalid, and is left out:  ${line}`)
      assert.sameMembers([...leftOut], names)
      for (const name of names) assert.include(text, `# - ${name}`)
      assert.notInclude(text, "cannot be read")
    }))

  it.effect("is not changed if it is valid, and is refused if no line of it is at fault", () =>
    Effect.gen(function*() {
      const valid = "mapping: example\nextends: fhir-r4\n"
      assert.strictEqual((yield* checked(valid)).draft, valid)
      const refused = yield* Effect.exit(checked("mapping: example\nextends: nowhere\n"))
      assert.isTrue(refused._tag === "Failure")
    }))

  it.effect("is a mapping without any of its lines, too: no key remains without a value", () =>
    Effect.gen(function*() {
      const { text } = yield* begun(sample((_, at) => ({ status: at === 0 ? "cancelled" : "finished" })))
      for (let at = 1; at <= text.split("\n").length; at++) {
        const left = withoutLines(text, [at]).text
        JSON.stringify(parse(left), (key, value) => assert.isNotNull(value, `${at}: ${key}`) ?? value)
      }
    }))
})
