import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { afterAll, beforeAll, vi } from "vitest"
import { rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import type { CompiledPath, Element, Elements, Variables } from "../../src/fhirpath/FhirPath.ts"
import { nothingGiven, type Task } from "../../src/fhirpath/generate/Units.ts"
import { Variants } from "../../src/fhirpath/generate/Variants.ts"
import { notGenerated } from "../../src/fhirpath/generate/write/Code.ts"
import type { Writer } from "../../src/fhirpath/generate/write/Writer.ts"
import { compileByLibrary } from "../../src/fhirpath/library/ask.ts"
import { expression, parses, regularResource, resource } from "../fhirpath/generate.ts"
import { comparable } from "../fhirpath/outcome.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { everythingFound, onceRead } from "./everythingFound.ts"
import { generatedAtOnce } from "./generatedCode.ts"
import { recordWith } from "./recordWith.ts"
import { engineWithCalls, type NotingScope, notingScope, withEachKind } from "./reportedCalls.ts"

const definition = engineWithCalls("definition")

const childrenOf = compileByLibrary("children()")

const variablesOf = (one: Element): Variables =>
  Object.assign(Object.create({ text: "http://ex.example/a", words: ["a", "final"] }), {
    resource1: [one],
    several: [rootNode({ resourceType: "Patient", birthDate: "1988-01-31", active: false }), "word"],
    number: 3,
    nothing: []
  })

const callingExpression = fc.tuple(expression, fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }))
  .map(([text, kinds]) => withEachKind(text, kinds))
  .filter(parses)

const someRecords = fc.array(
  fc.oneof({ weight: 4, arbitrary: regularResource }, { weight: 1, arbitrary: resource }),
  { minLength: 1, maxLength: 3 }
)

/** A function of generated code that is called as that of a field or of a condition. */
type RunOn = (focus: unknown, variables: Variables, scope: NotingScope) => Elements | null

/** Writes what `writeFields` does with an expression: the values of one field. */
const writeValues = (writer: Writer, text: string): void => {
  const values = writer.values(text)
  if (values === undefined) throw notGenerated
  writer.line(
    values.form === "none"
      ? "return []"
      : values.form === "list"
      ? `return ${values.value} ?? []`
      : `return ${values.value} === undefined ? [] : [${values.value}]`
  )
}

/** Writes what `writeTests` does with an expression: whether it holds. */
const writeTruth = (writer: Writer, text: string): void => {
  const truth = writer.holds(text)
  if (truth === undefined) throw notGenerated
  writer.line(`return [${truth} === true]`)
}

/** What an evaluation finds; without values if it fails. */
interface FoundValues {
  readonly values?: ReadonlyArray<unknown>
  readonly noted: ReadonlyArray<unknown>
}

/** Returns what generated code finds; `undefined` if it leaves the case to the definition. It fails only if the definition does. */
const runOn = (
  variants: Variants<RunOn>,
  focus: Elements,
  variables: Variables,
  { values: theirs }: FoundValues
): FoundValues | undefined => {
  const run = variants.find(focus, variables)
  const scope = notingScope()
  try {
    const values = run?.(focus.length === 1 ? focus[0] : focus, variables, scope)
    return values === undefined || values === null
      ? undefined
      : { values: values.map(comparable), noted: onceRead(scope.noted) }
  } catch (cause) {
    // Code that leaves a case to the definition throws a symbol.
    if (typeof cause !== "symbol" && theirs !== undefined) throw cause
    return undefined
  }
}

const valuesBy = (path: CompiledPath<NotingScope>, focus: Elements, variables: Variables): FoundValues => {
  const scope = notingScope()
  try {
    return { values: path.values(focus, variables, scope).map(comparable), noted: onceRead(scope.noted) }
  } catch {
    return { noted: onceRead(scope.noted) }
  }
}

/** The elements that an expression is evaluated on: a record, several, and elements within them. */
const focusesIn = (roots: Elements): ReadonlyArray<Elements> => {
  const inner = roots.flatMap((root) => childrenOf([root], {}))
  return [[], ...roots.map((root) => [root]), roots, ...inner.slice(0, 3).map((one) => [one]), inner.slice(0, 2)]
}

// The library logs a warning about a wrong number of arguments.
beforeAll(() => void vi.spyOn(console, "warn").mockReturnValue())
afterAll(() => void vi.restoreAllMocks())

describe("generated code for an expression", () => {
  it("finds what the definition finds, throws when it throws, and reports the same", () => {
    let generatedTexts = 0
    let tried = 0
    fc.assert(
      fc.property(
        callingExpression,
        someRecords,
        (text, resources) => {
          const { by, texts } = generatedAtOnce()
          const generated = engineWithCalls(by)
          const records = resources.map(recordWith)
          const [ours, theirs] = [generated, definition].map(({ compile, elementOf }) => {
            const path = compile(text)
            const roots = records.map(elementOf)
            // Twice: the second evaluation uses the same code.
            return [1, 2].map(() =>
              focusesIn(roots).map((focus) => everythingFound(path, focus, variablesOf(roots[0]), notingScope()))
            )
          })
          assert.deepStrictEqual(ours, theirs, text)
          tried++
          if (texts.length > 0) generatedTexts++
        }
      ),
      { numRuns: runs(1500) }
    )
    // Otherwise the law would test little.
    assert.isAbove(generatedTexts, tried / 4)
  }, timeout)

  it("finds the same as a field and as a condition, if it finds something", () => {
    let compared = 0
    fc.assert(
      fc.property(callingExpression, someRecords, (text, resources) => {
        const { compile, elementOf, units } = engineWithCalls(generatedAtOnce().by)
        const known = present(units)
        const taskOf = (form: string): Task => ({ name: `${form} ${text}`, given: nothingGiven })
        const asField = new Variants<RunOn>(known, taskOf("field"), "v, s", (writer) => writeValues(writer, text))
        const asCondition = new Variants<RunOn>(
          known,
          taskOf("condition"),
          "v, s",
          (writer) => writeTruth(writer, text)
        )
        const records = resources.map(recordWith)
        const roots = records.map(elementOf)
        const theirRoots = records.map(definition.elementOf)
        const theirFocuses = focusesIn(theirRoots)
        for (const _ of [1, 2]) {
          for (const [at, focus] of focusesIn(roots).entries()) {
            const variables = variablesOf(roots[0])
            const theirs = valuesBy(definition.compile(text), theirFocuses[at] ?? [], variablesOf(theirRoots[0]))
            const field = runOn(asField, focus, variables, theirs)
            if (field !== undefined) {
              compared++
              assert.deepStrictEqual(field, theirs, text)
            }
            const condition = runOn(asCondition, focus, variables, theirs)
            const [only, ...others] = theirs.values ?? []
            if (condition !== undefined) {
              const holds = theirs.values !== undefined && others.length === 0 && only === true
              assert.deepStrictEqual(condition, { ...theirs, values: [holds] }, text)
            }
          }
        }
        assert.strictEqual(compile(text).text, text)
      }),
      { numRuns: runs(1000) }
    )
    assert.isAbove(compared, 1000)
  }, timeout)
})
