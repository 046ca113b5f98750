import { assert, describe, it } from "@effect/vitest"
import r4 from "fhirpath/fhir-context/r4"
import { readFileSync } from "node:fs"
import { choiceAt, definitionOf, elementAt, isDerivedFrom, typeNames } from "../../src/fhirpath/model/typeElements.ts"
import { modelElementsFile, renderModelElements } from "../../tools/modelElements.ts"

describe("The elements of FHIR R4", () => {
  it("equal those of the library; otherwise run  node tools/modelElements.ts", () => {
    assert.strictEqual(readFileSync(modelElementsFile, "utf8"), renderModelElements())
  })

  it("are found at the same paths as in the library", () => {
    const paths = [r4.path2Type, r4.choiceTypePaths, r4.pathsDefinedElsewhere].flatMap(Object.keys)
    for (const path of [...paths, "Patient", "Patient.nothing", "nothing.name", "constructor.name"]) {
      assert.deepStrictEqual(
        {
          type: elementAt(path)?.type,
          repeats: elementAt(path)?.repeats === true,
          targets: elementAt(path)?.targets,
          choice: choiceAt(path),
          definition: definitionOf(path)
        },
        {
          type: r4.path2Type[path],
          repeats: r4.path2Repeating[path] === true,
          targets: r4.path2RefType[path],
          choice: r4.choiceTypePaths[path],
          definition: r4.pathsDefinedElsewhere[path] ?? path
        },
        path
      )
    }
  })

  it("have types that are derived from others", () => {
    assert.isTrue(isDerivedFrom("Age", "Element"))
    assert.isTrue(isDerivedFrom("Age", "Age"))
    assert.isFalse(isDerivedFrom("Quantity", "Age"))
    assert.isTrue(typeNames().has("Resource"))
    assert.isFalse(typeNames().has("Patient.contact"))
  })
})
