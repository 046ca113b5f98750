import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import type { PathEngine } from "../../src/fhirpath/FhirPath.ts"
import { isJsonObject } from "../../src/json/JsonObject.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import type { SourceText } from "../../src/studio/proof/recordsOf.ts"
import { recordsOf } from "../../src/studio/proof/recordsOf.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { checkChanged, documentsIn, fileTextsOf } from "../generate/changedRecords.ts"
import { conversionSettings } from "../generate/everyResultOf.ts"
import { present } from "../present.ts"
import { timeout } from "../runs.ts"

const engines: ReadonlyArray<PathEngine> = ["definition", { after: 1 }]
const mappings = new Map<PathEngine, CheckedMapping>()
beforeAll(async () => {
  for (const engine of engines) mappings.set(engine, await loadFor("fhir-r4", engine))
})

describe("Visits that are made together", () => {
  for (const engine of engines) {
    const name = engine === "definition" ? engine : "generated code"
    it.each(["clinic-day", "emergency-labs-imaging", "inpatient-surgery-referral"])(
      `are those that are made one by one, by ${name}: samples/%s`,
      (sample) => {
        checkChanged(sample, 8, (texts) => {
          const { oneByOne, together } = bothWays(engine, texts)
          assert.deepStrictEqual(together, oneByOne)
        })
      },
      timeout
    )

    it(`are those that are made one by one, by ${name}, if there are more than are made at once`, () => {
      const documents = documentsIn("samples/clinic-day/input")
      const texts = Array.from({ length: 16 }, (_, number) => fileTextsOf(renamed(documents, number)))
      const { oneByOne, together } = bothWays(engine, texts.flat())
      assert.isAbove(oneByOne.length, 64)
      assert.deepStrictEqual(together, oneByOne)
    }, timeout)
  }
})

/** Returns the visits of some records: those of a whole run, and those that are made alone in the same order. */
const bothWays = (engine: PathEngine, texts: ReadonlyArray<SourceText>) => {
  const checked = present(mappings.get(engine))
  const convert = () => convertRecords({ ...conversionSettings, checked, records: recordsOf(texts).index })
  const alone = convert()
  return {
    oneByOne: alone.grouping.groups.map((group) => alone.visitOf(group).converted),
    together: [...convert().visits]
  }
}

/** Returns a copy of documents whose records have other ids. */
const renamed = (documents: ReturnType<typeof documentsIn>, number: number): ReturnType<typeof documentsIn> => {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename)
    if (!isJsonObject(value)) return value
    const copy = Object.entries(value).map(([key, inner]): [string, unknown] => {
      const isName = (key === "id" && "resourceType" in value) || key === "reference" || key === "fullUrl"
      return [key, key === "contained" ? inner : isName ? `${String(inner)}-${number}` : rename(inner)]
    })
    return Object.fromEntries(copy)
  }
  return documents.map(({ file, lines }) => ({ file: `${number}-${file}`, lines: lines.map(rename) }))
}
