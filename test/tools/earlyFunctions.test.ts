import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { runInNewContext, Script } from "node:vm"
import { marked } from "../../tools/earlyFunctions.ts"
import { builtProgram } from "../cli/builtProgram.ts"

const withCode = (text: string): number => new Script(text).createCachedData().length

/** Marks the functions that begin with these texts. */
const marking = (text: string, ...beginnings: ReadonlyArray<string>): string =>
  marked(text, new Set(beginnings.map((beginning) => text.indexOf(beginning)))).text

describe("The functions that the usual commands call", () => {
  it("are put in parentheses, and no others", () => {
    const text = "const one=(a)=>a+1,two=function(a){return a},three=(b)=>b;"
    assert.strictEqual(
      marking(text, "(a)=>", "function"),
      "const one=((a)=>a+1),two=(function(a){return a}),three=(b)=>b;"
    )
  })

  it("are put in parentheses within each other, as arguments, and where they are called", () => {
    assert.strictEqual(marking("run((a)=>()=>a)", "(a)=>", "()=>"), "run(((a)=>(()=>a)))")
    assert.strictEqual(marking("(()=>1)()", "()=>"), "((()=>1))()")
  })

  it("stay as they are if they are methods, declared, or asynchronous, which V8 compiles late in any case", () => {
    const text = "class A{m(){}static n=1}const o={p(){},get q(){return 1}};function r(){}const s=async()=>1;"
    assert.strictEqual(marked(text, new Set(Array.from(text, (_, index) => index))).text, text)
  })

  it("are compiled by V8 with their module", () => {
    const text = `const f=(a)=>{let x=1;${"x=x*2+a.length;".repeat(100)}return x}`
    assert.isAbove(withCode(marking(text, "(a)=>")), 2 * withCode(text))
  })

  it("are in modules of ASCII, with the same texts", () => {
    const text = "const texts=()=>['ភ្នំពេញ','½ 😀',`– ${'é'}`,/[–😀]/u.source,'😀'.replace(/😀/u,'x')];texts()"
    const { text: ascii } = marked(text, new Set())
    assert.match(ascii, /^[\0-\x7f]*$/u)
    const [texts, others] = [text, ascii].map((one): ReadonlyArray<string> => runInNewContext(one))
    // The source of a pattern is written unchanged.
    assert.deepStrictEqual(others?.toSpliced(3, 1), texts?.toSpliced(3, 1))
    assert.isTrue(new RegExp(others?.[3] ?? "", "u").test("😀"))
  })

  it("stop the build if a tag would read an escape as it is written", () => {
    assert.throws(() => marked("String.raw`é`", new Set()), /as it is written/u)
  })

  it("are marked in the program that is shipped, where it is in ASCII", () => {
    const [file = ""] = globSync(join(dirname(builtProgram()), "worker-*.mjs"))
    const text = readFileSync(file, "utf8")
    assert.match(text, /^[\0-\x7f]*$/u)
    assert.isAbove(text.split("=((").length, 100)
  })
})
