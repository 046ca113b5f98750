import { effectOf } from "../../fhirpath/effectOf.ts"
import type { Task } from "../../fhirpath/generate/Units.ts"
import type { Writer } from "../../fhirpath/generate/write/Writer.ts"
import type { PathPlan } from "../MappingPlan.ts"

/**
 * Writes a function that returns the index of the first condition that does not hold, or -1 if all hold. It reports what functions report
 * for the conditions. If it cannot evaluate a condition, it returns `-2 - index`: the definition evaluates this condition and those after
 * it. It returns `null` if the variables are not those that it was written for. Its parameters are the focus, the variables, the scope, the
 * context of the visit, where the rows are searched, and the focus as a list.
 */
export const writeTests = (writer: Writer, conditions: ReadonlyArray<PathPlan>): void => {
  let canReport = false
  for (const [index, condition] of conditions.entries()) {
    const reports = effectOf(condition.text, writer.units.functions) === "reports"
    if (reports) {
      if (!canReport) writer.line("const start = h.pending.length")
      canReport = true
      writer.line("h.forget()")
    }
    const test = reports ? reportingTest(writer, condition.text) : plainTest(writer, condition.text)
    if (test === undefined) {
      writer.line(`return ${-2 - index}`)
      return
    }
    const report = (): void => {
      if (!reports) return
      const plan = writer.constant(["given", `condition ${index}`])
      writer.line(`if (h.hasReports()) h.report(${plan}, ${test.found}, e, p.parent, p.section)`)
    }
    writer.block(`if (!(${test.holds}))`, () => {
      // What earlier conditions reported is about an element that is not sent.
      if (canReport) writer.line("h.pending.length = start")
      report()
      writer.line(`return ${index}`)
    })
    report()
  }
  writer.line("return -1")
}

/** Returns the task of these conditions. Their code depends on nothing but their texts and the functions of the mapping. */
export const taskOfTests = (conditions: ReadonlyArray<PathPlan>): Task => ({
  name: `tests ${JSON.stringify(conditions.map(({ text }) => text))}`,
  given: new Map(conditions.map((condition, index) => [`condition ${index}`, condition]))
})

/** Code for whether a condition holds, and for what it found if functions report something for it. */
interface TestCode {
  readonly holds: string
  readonly found: string
}

const plainTest = (writer: Writer, text: string): TestCode | undefined => {
  const value = writer.holds(text)
  return value === undefined ? undefined : { holds: `${value} === true`, found: "none" }
}

const reportingTest = (writer: Writer, text: string): TestCode | undefined => {
  const values = writer.values(text)
  switch (values?.form) {
    case undefined:
      return undefined
    case "none":
      return { holds: "false", found: "none" }
    case "one":
      return { holds: `${values.value} === true`, found: `${values.value} === undefined ? none : [${values.value}]` }
    case "list": {
      const list = `(${values.value} ?? none)`
      return { holds: `${list}.length === 1 && ${list}[0] === true`, found: list }
    }
  }
}
