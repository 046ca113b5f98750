import { assert, describe, it } from "@effect/vitest"
import { mappingSchema } from "../../../src/mapping/language/mappingSchema.ts"
import { cursorOf, namesFor, proposalsAt, takesPath } from "../../../src/studio/viewer/bench/completion.ts"
import { present } from "../../present.ts"

const at = (text: string) => cursorOf(text)

const proposed = (text: string) => proposalsAt(mappingSchema(), present(cursorOf(text))).map(({ label }) => label)

describe("Completion of a mapping", () => {
  it("finds the position by the indentation, and by the braces of a line", () => {
    assert.deepStrictEqual(at(""), { steps: [], at: "key" })
    assert.deepStrictEqual(at("visit:\n  patient:\n    "), { steps: ["visit", "patient"], at: "key" })
    assert.deepStrictEqual(at("visit:\n  patient:\n    name: x\n  "), { steps: ["visit"], at: "key" })
    assert.deepStrictEqual(at("visit:\n  # patient:\n  admitted_at: "), {
      steps: ["visit", "admitted_at"],
      at: "value"
    })
    assert.deepStrictEqual(at("visit:\n  sex: {path: gender, "), { steps: ["visit", "sex"], at: "key" })
    assert.deepStrictEqual(at("visit:\n  sex: {path: gender, conceptMap: "), {
      steps: ["visit", "sex", "conceptMap"],
      at: "value"
    })
    assert.deepStrictEqual(at("visit:\n  soaps:\n    orderBy:\n      - {field: x}\n      - {"), {
      steps: ["visit", "soaps", "orderBy", "[]"],
      at: "key"
    })
    assert.isUndefined(at("visit: # what"))
  })

  it("proposes the keys, fields and keywords that the grammar allows there, each with its description", () => {
    assert.includeMembers(proposed(""), ["extends", "visit", "conceptMap", "grouping"])
    assert.includeMembers(proposed("visit:\n  patient:\n    "), ["surname", "birthdate", "forEach", "where"])
    assert.includeMembers(proposed("visit:\n  patient:\n    sex: {"), ["path", "conceptMap", "default", "required"])
    assert.includeMembers(proposed("time:\n  partialEnd: "), ["end-of-day", "reject"])
    assert.includeMembers(proposed("conceptMap:\n  sex:\n    unmapped: "), ["reject", "warn"])
    assert.deepStrictEqual(proposed("nothing:\n  like: "), [])
    const patient = proposalsAt(mappingSchema(), present(cursorOf("visit:\n  patient:\n    ")))
    assert.match(patient.find(({ label }) => label === "surname")?.detail ?? "", /§2\.5/u)
  })

  it("proposes names for the keys that take one, and not for a key that every object has", () => {
    const names = { conceptMap: ["sex"], constant: ["ext"], function: ["codeIn"], assume: [] }
    assert.deepStrictEqual(namesFor(names, "conceptMap"), ["sex"])
    for (const key of ["path", "constructor", "toString", "__proto__"]) assert.isUndefined(namesFor(names, key))
    assert.isUndefined(namesFor(undefined, "conceptMap"))
  })

  it("proposes for a branch no key that applies to all branches together", () => {
    const section = "visit:\n  diagnosis:\n    "
    assert.includeMembers(proposed(section), ["orderBy", "where"])
    const branch = proposed(`${section}unionAll:\n      one:\n        `)
    assert.include(branch, "where")
    for (const word of ["orderBy", "onePer", "take", "sameAs", "unionAll"]) assert.notInclude(branch, word)
  })

  it("knows where a path is written, from the grammar", () => {
    const isPath = (text: string) => takesPath(mappingSchema(), present(cursorOf(text)))
    const section = "visit:\n  diagnosis:\n    "
    for (const word of ["forEach", "forEachOrNull", "where", "groupBy"]) {
      assert.isTrue(isPath(`${section}${word}: `), word)
    }
    assert.isTrue(isPath(`${section}diagnosis_code: {path: `))
    assert.isTrue(isPath(`${section}diagnosis_code: {path: [a, `))
    assert.isTrue(isPath("grouping:\n  partOf: "))
    assert.isTrue(isPath("grouping:\n  link:\n    Observation: "))
    for (const text of [`${section}take: `, "mapping: ", `${section}diagnosis_code: {join: `]) {
      assert.isFalse(isPath(text), text)
    }
  })
})
