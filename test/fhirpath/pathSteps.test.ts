import { assert, describe, it } from "@effect/vitest"
import {
  beginsWithVariable,
  callsOnElements,
  callWithVariable,
  elementsBefore,
  pathStepsOf,
  readsOwn
} from "../../src/fhirpath/pathSteps.ts"

describe("pathStepsOf", () => {
  it("gives the elements and calls of a path", () => {
    assert.deepStrictEqual(pathStepsOf("subject.resolve().`name`"), [
      { name: "subject" },
      { name: "resolve", args: [] },
      { name: "name" }
    ])
    assert.deepStrictEqual(pathStepsOf("reverseResolve('Condition.it\\'s')"), [
      { name: "reverseResolve", args: ["Condition.it's"] }
    ])
    assert.deepStrictEqual(pathStepsOf("a.where(b)"), [{ name: "a" }, { name: "where", args: [undefined] }])
  })

  it("gives nothing for any other expression", () => {
    for (const text of ["a | b", "a[0].b", "(a).b", "%visit.a", "$this.a", "'a'", "a = b"]) {
      assert.isUndefined(pathStepsOf(text), text)
    }
  })
})

describe("callsOnElements", () => {
  const calls = (text: string) => callsOnElements(text, "mapped").map(({ args, path }) => `${path}: ${args.join()}`)

  it("finds the calls that can decide a condition", () => {
    assert.deepStrictEqual(calls("(code.mapped('v') or component.code.mapped('w') or isRow('x')).not()"), [
      "code: v",
      "component.code: w"
    ])
    assert.deepStrictEqual(calls("category = 'exam' and iif(a.exists(), code.mapped('v'), true)"), ["code: v"])
  })

  it("omits a call that is negated, on other records, or on another focus", () => {
    for (
      const text of [
        "code.mapped('v').not()",
        "a and code.mapped('v').not()",
        "component.where(code.mapped('v')).exists()",
        "subject.resolve().code.mapped('v')",
        "%patient.code.mapped('v')",
        "use.where(mapped('v')).empty()",
        "text = 'code.mapped(\\'v\\')'"
      ]
    ) assert.deepStrictEqual(calls(text), [], text)
  })
})

describe("callWithVariable", () => {
  it("finds the first of the functions and the variable that its argument begins with", () => {
    const names = ["identifierIn", "conceptCode"] as const
    assert.deepStrictEqual(callWithVariable("a.conceptCode('x') | b.first().identifierIn(%s + '/c').value", names), {
      name: "identifierIn",
      variable: "s"
    })
    assert.isUndefined(callWithVariable("identifier(%s) & 'identifierIn(%s)'", names))
  })
})

describe("beginsWithVariable", () => {
  it("reads the first term of the expression", () => {
    for (const text of ["%patient", "%patient.name.given", "%patient.name[0] = 'x'", " %`patient`.id"]) {
      assert.isTrue(beginsWithVariable(text, "patient"), text)
    }
    for (const text of ["%patients.id", "name | %patient.name", "'%patient'", "patient"]) {
      assert.isFalse(beginsWithVariable(text, "patient"), text)
    }
  })
})

describe("elementsBefore", () => {
  it("finds each call, also in arguments, with the names before it", () => {
    assert.deepStrictEqual(
      elementsBefore("a.b.exists() and c.where($this.d.exists() or e.f().g.exists()).exists()", "exists"),
      [
        "a.b",
        "",
        "d",
        "g"
      ]
    )
  })
})

describe("readsOwn", () => {
  it("finds an element of the focus, not one of the same name of another value", () => {
    for (
      const text of [
        "status = 'a'",
        "$this.status.empty()",
        "iif(a, false, status = 'a')",
        "where(status = 'a').exists()"
      ]
    ) assert.isTrue(readsOwn(text, "status"), text)
    for (
      const text of ["a.status", "reverseResolve('A.b').where(status = 'a').empty()", "a.where($this.status).exists()"]
    ) {
      assert.isFalse(readsOwn(text, "status"), text)
    }
  })
})
