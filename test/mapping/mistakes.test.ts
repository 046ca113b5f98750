import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { loadMapping } from "../../src/mapping/loadMapping.ts"

interface Mistake {
  readonly what: string
  readonly code: string
  /** The overlay; `«…»` marks where the caret must stand. */
  readonly overlay: string
  readonly says: RegExp
}

const head = "mapping: example\nextends: fhir-r4\n"

const mistakes: ReadonlyArray<Mistake> = [
  {
    what: "a misspelt word at the top",
    code: "unknown-key",
    overlay: "«constnat»:\n  a: b\n",
    says: /did you mean `constant`/
  },
  {
    what: "a misspelt section",
    code: "unknown-field",
    overlay: "visit:\n  «diagnoses»: null\n",
    says: /did you mean `diagnosis`/
  },
  {
    what: "a misspelt field",
    code: "unknown-field",
    overlay: "visit:\n  vital_signs:\n    «titel»: performer.who()\n",
    says: /did you mean `title`/
  },
  {
    what: "a misspelt attribute",
    code: "unknown-key",
    overlay: "visit:\n  patient:\n    phone: {path: telecom.value, «requird»: none}\n",
    says: /did you mean `required`/
  },
  {
    what: "a FHIRPath that is never closed",
    code: "invalid-path",
    overlay: "visit:\n  admitted_at: period.where(start.exists()«»\n",
    says: /this is not FHIRPath/
  },
  {
    what: "an unknown function, inside the expression",
    code: "unknown-function",
    overlay: "visit:\n  patient:\n    name: name.«humanNam»()\n",
    says: /did you mean `humanName`/
  },
  {
    what: "a function that depends on the moment",
    code: "unknown-function",
    overlay: "visit:\n  created_at: \"«today»()\"\n",
    says: /not available in mappings/
  },
  {
    what: "an element FHIR does not have",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    birthdate: «birthdate»\n",
    says: /Patient has no element `birthdate`.*did you mean `birthDate`/
  },
  {
    what: "an element of a nested element",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    phone: {path: contact.telecom.«val», take: first}\n",
    says: /ContactPoint has no element `val`/
  },
  {
    what: "a choice element by its JSON name",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    death_at: \"%patient.«deceasedDateTime»\"\n",
    says: /did you mean `deceased.ofType\(dateTime\)`/
  },
  {
    what: "an element in a condition",
    code: "unknown-element",
    overlay: "visit:\n  triages:\n    where: {code: \"«stauts» = 'final'\"}\n",
    says: /did you mean `status`/
  },
  {
    what: "an element of the wrong resource",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    started_at: «period».start\n",
    says: /Procedure has no element `period`/
  },
  {
    what: "a type that does not exist",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    started_at: performed.ofType(«Perod»).start\n",
    says: /did you mean `Period`/
  },
  {
    what: "a type the choice never has",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    started_at: performed.ofType(«Reference»)\n",
    says: /never of type `Reference`/
  },
  {
    what: "a resource type that does not exist",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    resource: «Procedures»\n",
    says: /did you mean `Procedure`/
  },
  {
    what: "an element in a reverse reference",
    code: "unknown-element",
    overlay: "visit:\n  followup_at: \"«reverseResolve»('Appointment.bassedOn').start\"\n",
    says: /did you mean `basedOn`/
  },
  {
    what: "an unknown constant",
    code: "unknown-constant",
    overlay: "visit:\n  patient:\n    spid: identifierIn(«%spid_sytem»)\n",
    says: /did you mean `spid_system`/
  },
  {
    what: "an unknown key",
    code: "unknown-key-name",
    overlay: "visit:\n  code: «keyOf»('vist')\n",
    says: /did you mean `visit`/
  },
  {
    what: "an unknown concept map of a field",
    code: "unknown-concept-map",
    overlay: "visit:\n  visit_type: {path: class, conceptMap: «visit-type»}\n",
    says: /did you mean `visit_type`/
  },
  {
    what: "an unknown concept map in an expression",
    code: "unknown-concept-map",
    overlay: "visit:\n  triages:\n    where: {code: \"code.«mapped»('vital_nam')\"}\n",
    says: /did you mean `vital_name`/
  },
  {
    what: "an unknown policy",
    code: "invalid-value",
    overlay: "conceptMap:\n  sex: {unmapped: «rejct»}\n",
    says: /did you mean `reject`/
  },
  {
    what: "an unknown standard-data list",
    code: "invalid-value",
    overlay: "conceptMap:\n  sex: {list: «visit_type»}\n",
    says: /did you mean `visit_types`/
  },
  {
    what: "a patient code that is minted",
    code: "invalid-value",
    overlay: "key:\n  patient: {path: id, mint: «P»}\n",
    says: /never minted/
  },
  {
    what: "a sort by a field that is not there",
    code: "unknown-field",
    overlay: "visit:\n  triages: {orderBy: [«recorded»]}\n",
    says: /cannot be ordered by/
  },
  {
    what: "rows from two places",
    code: "invalid-value",
    overlay: "visit:\n  triages: {«forEach»: $this}\n",
    says: /not both/
  },
  {
    what: "a key written twice",
    code: "invalid-yaml",
    overlay: "constant: {a: b}\n«constant»: {c: d}\n",
    says: /written twice/
  },
  { what: "a base that is not there", code: "unreadable-file", overlay: "", says: /cannot be read/ }
]

const load = (text: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const file = `${folder}/mapping.yaml`
    yield* fs.writeFileString(file, text)
    return yield* loadMapping(file, "mappings")
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("A mapping is checked before any record is read", () => {
  for (const { what, code, overlay, says } of mistakes) {
    it.effect(`${what} is found at its place, with what to write instead`, () =>
      Effect.gen(function*() {
        const start = overlay.indexOf("«")
        const marked = overlay.slice(start + 1, overlay.indexOf("»"))
        const before = (head + overlay).slice(0, head.length + start)
        const text = code === "unreadable-file"
          ? "mapping: example\nextends: no-such-base\n"
          : head + overlay.replace(/[«»]/gu, "")
        const { checked, problems } = yield* load(text)
        assert.isUndefined(checked)
        assert.deepStrictEqual(problems.map((problem) => problem.code), [code])
        const [problem] = problems
        const words = [problem!.title, problem!.label, ...(problem!.help ?? [])].join(" ")
        assert.match(words, says)
        if (start < 0) return
        assert.strictEqual(problem!.mapping?.line, before.split("\n").length)
        assert.strictEqual(problem!.mapping?.column, before.split("\n").at(-1)!.length + 1)
        assert.isAtLeast(problem!.mapping!.endColumn - problem!.mapping!.column, Math.min(1, marked.length))
      }))
  }

  it.effect("anchors and aliases, which hide where a value was written", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(`${head}constant: {a: &x b, c: *x}\n`)
      assert.deepStrictEqual(problems.map((problem) => problem.title), [
        "anchors are not used in mappings",
        "aliases are not used in mappings"
      ])
    }))

  it.effect("a mapping that extends itself", () =>
    Effect.gen(function*() {
      const { problems } = yield* load("mapping: example\nextends: ./mapping.yaml\n")
      assert.deepStrictEqual(problems.map((problem) => problem.code), ["circular-extends"])
    }))

  it.effect("all mistakes of a file are reported at once", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(
        `${head}constnat: {a: b}\nvisit:\n  admited_at: period.start\n  code: keyOff('visit')\n  patient: {spid: identifierIn(%nothing)}\n`
      )
      assert.deepStrictEqual(problems.map((problem) => problem.code).toSorted(), [
        "unknown-constant",
        "unknown-field",
        "unknown-function",
        "unknown-key"
      ])
    }))

  it.effect("one mistake that several branches inherit is one message", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(`${head}visit:\n  medical_histories: {visit_code: keyOff('visit')}\n`)
      assert.strictEqual(problems.length, 1)
    }))

  it.effect("the shipped mappings have no mistake", () =>
    Effect.gen(function*() {
      for (const name of ["fhir-r4", "us-synthetic"]) {
        const { problems, checked } = yield* loadMapping(`mappings/${name}/mapping.yaml`, "mappings")
        assert.deepStrictEqual(problems, [])
        assert.strictEqual(checked?.plan.name, name)
      }
    }).pipe(Effect.provide(NodeServices.layer)))
})
