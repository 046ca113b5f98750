import { isDeepStrictEqual } from "node:util"
import type { PathEngine } from "../../src/fhirpath/FhirPath.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import type { SourceText } from "../../src/studio/proof/recordsOf.ts"
import { makeReferenceList } from "../../src/visit/values/ReferenceList.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { documentsIn, fileTextsOf } from "./changedRecords.ts"
import { everyResultOf } from "./everyResultOf.ts"

const sample = (name: string): ReadonlyArray<SourceText> => fileTextsOf(documentsIn(`samples/${name}/input`))

const fever = sample("outpatient-fever")
const emergency = sample("emergency-labs-imaging")
const surgery = sample("inpatient-surgery-referral")
const day = sample("clinic-day")

const changed = (texts: ReadonlyArray<SourceText>, pattern: RegExp, by: string): ReadonlyArray<SourceText> =>
  texts.map(({ file, text }) => ({ file, text: text.replaceAll(pattern, by) }))

/** Sources, each with the mapping that converts it. First those that show most faults soonest. */
const cases: ReadonlyArray<readonly [mapping: string, source: ReadonlyArray<SourceText>]> = [
  ["test/generate/reporting.yaml", fever],
  ["test/generate/reporting.yaml", emergency],
  // Codes without their dots, which the list of diagnoses has.
  ["test/generate/reporting.yaml", changed(day, /"code":"([A-Z]\d\d)\.(\d)"/gu, "\"code\":\"$1$2\"")],
  // Several concepts where one is usual.
  [
    "test/generate/reporting.yaml",
    changed(day, /"(category|type)":\[(\{(?:[^[\]]|\[[^[\]]*\])*\})\]/gu, "\"$1\":[$2,{\"text\":\"another\"}]")
  ],
  // A value with a companion.
  [
    "test/generate/reporting.yaml",
    changed(fever, /"gender":"(\w+)"/gu, "\"gender\":\"$1\",\"_gender\":{\"id\":\"a\"}")
  ],
  ["fhir-r4", fever],
  ["fhir-r4", surgery],
  ["fhir-r4", emergency],
  ["fhir-r4", day],
  // A control character, which cannot be sent.
  ["fhir-r4", changed(surgery, /"(display|text|name|unit|family)":"/gu, "\"$1\":\"\\u0007")],
  // A date that is written as the time that another field sends.
  ["fhir-r4", changed(fever, /"birthDate":"[^"]*"/gu, "\"birthDate\":\"2025-07-08T08:05:00+07:00\"")],
  // An element of one of several observations in a row: not of the first.
  [
    "fhir-r4",
    changed(emergency, /("id":"5a6d0300-0000-4000-8000-000000000020".*?"valueQuantity":)(\{[^{}]*\})/gu, "$1[$2]")
  ],
  // Elements that no type has: their values are missing.
  ["fhir-r4", changed(surgery, /"(family|dischargeDisposition|alias|complication|reasonCode)":/gu, "\"no_$1\":")]
]

const lists = new Map(
  [
    [
      "diagnoses",
      makeReferenceList(["A09", "E11.9", "I10", "J06.9", "J18.9", "T63.0"].map((code) => ({ code, name: code })))
    ]
  ] as const
)

let known: ReadonlyArray<unknown> | undefined

/** Makes the visits of the cases, one case after the other. As in a run, the code of a mapping is that of all its cases. */
async function* visitsBy(by: PathEngine): AsyncGenerator {
  const loaded = new Map<string, CheckedMapping>()
  for (const [mapping, texts] of cases) {
    const checked = loaded.get(mapping) ?? await loadFor(mapping, by, lists)
    loaded.set(mapping, checked)
    yield everyResultOf(checked, texts)
  }
}

/** Returns whether some visits differ from those that the definition makes. */
export const hasWrongVisit = async (by: PathEngine): Promise<boolean> => {
  if (known === undefined) {
    const made: Array<unknown> = []
    for await (const visits of visitsBy("definition")) made.push(visits)
    known = made
  }
  let at = 0
  for await (const visits of visitsBy(by)) if (!isDeepStrictEqual(visits, known[at++])) return true
  return false
}
