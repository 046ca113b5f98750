import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { at } from "../../src/at.ts"
import { rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import type { Elements, PathEngine, PathFunction } from "../../src/fhirpath/FhirPath.ts"
import { makeFhirPath, valueOf } from "../../src/fhirpath/FhirPath.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { expression, parses, resource } from "./generate.ts"
import { comparable, isSame, outcome, processScope } from "./outcome.ts"

/** Functions of a mapping: a nested call, one with arguments, one that reads a variable. */
const functions = (by: PathEngine): ReadonlyMap<string, PathFunction> => {
  const table = new Map<string, PathFunction>()
  const engine = makeFhirPath(table, by)
  const text = "extension.where(url = %text).value | name.given"
  const own = engine.compile(text)
  table.set("own", {
    parameters: [],
    body: { text, over: "item" },
    call: (input, _args, scope, _made, variables = {}) => input.flatMap((one) => own.evaluate([one], variables, scope))
  })
  table.set("twice", { parameters: [], call: (input) => [...input, ...input] })
  table.set("telling", {
    parameters: [],
    readsValues: true,
    call: (input) => input.map((one) => String(comparable(valueOf(one))))
  })
  table.set("lone", { parameters: [], chooses: true, call: (input) => (input.length === 1 ? input : []) })
  table.set("without", {
    parameters: ["text"],
    chooses: true,
    call: (input, [text]) => input.filter((one) => comparable(valueOf(one)) !== comparable(valueOf(text?.[0])))
  })
  table.set("echo", { parameters: ["value"], call: (_, [value]) => present(value) })
  table.set("pair", { parameters: ["one", "other"], least: 1, call: (input, args) => [input.length, args.length, "p"] })
  return table
}

const closures = makeFhirPath(functions("definition"))
const library = makeFhirPath(functions("library"), "library")

const evaluated = (text: string, focus: Elements, variables: Readonly<Record<string, unknown>>) => ({
  closures: outcome(closures.compile(text), focus, variables, processScope()),
  library: outcome(library.compile(text), focus, variables, processScope())
})

const variablesOf = (one: object) => ({
  resource1: [rootNode(one)],
  several: [rootNode({ resourceType: "Patient", birthDate: "1988-01-31", active: false }), "word"],
  words: ["a", "final"],
  number: 3,
  nothing: [],
  text: "http://ex.example/a"
})

describe("an expression compiled to closures", () => {
  it("finds what the library finds, and throws when it throws", () => {
    const warn = console.warn
    // The library logs a warning about a wrong number of arguments.
    console.warn = () => undefined
    try {
      fc.assert(
        fc.property(
          expression.filter(parses),
          fc.array(resource, { minLength: 1, maxLength: 2 }),
          (text, resources) => {
            const focus = resources.map(rootNode)
            const { closures: ours, library: theirs } = evaluated(text, focus, variablesOf(at(resources, 0)))
            if (!/\b(?:and|or|implies)\b/u.test(text) || !isSame(ours, theirs)) {
              assert.deepStrictEqual(ours, theirs, text)
            }
          }
        ),
        { numRuns: runs(1500) }
      )
    } finally {
      console.warn = warn
    }
  }, timeout)
})
