import { assert, describe, it } from "@effect/vitest"
import {
  beginsAsObjects,
  beginsWithTexts,
  hasEscapedLetters,
  memberPattern,
  membersIn,
  memberTexts,
  nameBytes,
  objectPattern
} from "../../src/json/unparsed.ts"

describe("text that is not parsed", () => {
  it("begins with members in one order, with any blanks", () => {
    const head = beginsWithTexts([["a", "[a-z]+"], ["b", String.raw`\d+`]])
    for (const text of [`{"a":"x","b":"1",`, `{ "a" : "x" ,\t"b":"1" ,"c"`]) {
      assert.deepStrictEqual(head.exec(text)?.slice(1), ["x", "1"], text)
    }
    for (const text of [` {"a":"x","b":"1",`, `{"b":"1","a":"x",`, `{"a":"x","b":"1"}`, `{"a":"X","b":"1",`]) {
      assert.isNull(head.exec(text), text)
    }
  })

  it("has members of a name, also if it is damaged", () => {
    assert.deepStrictEqual(memberTexts(`{"a":"1",{"a" : "2\\n","a":3,"b":"4"}"a":\n"5"`, "a"), ["1", "5"])
    assert.isTrue(new RegExp(memberPattern("a", "b"), "u").test(`}"b" :`))
    assert.isFalse(new RegExp(objectPattern("a", "b"), "u").test(`{"c":1,"a":2}`))
  })

  it("has objects and arrays as members of a name, wherever they are", () => {
    const bytes = Buffer.from(`{"a":[{"é":1}],"b":{"a" : {"c":"}"}},"d":"\\"a\\":[2]","a":3}`)
    assert.deepStrictEqual(membersIn(bytes, nameBytes("a")), [[{ é: 1 }], { c: "}" }])
    assert.isUndefined(membersIn(Buffer.from(`{"a":[1,]}`), nameBytes("a")))
  })

  it("can hide a letter in an escape", () => {
    assert.isTrue(hasEscapedLetters(Buffer.from(String.raw`{"\u00e9":1,"\u0061":2}`)))
    assert.isFalse(hasEscapedLetters(Buffer.from(String.raw`{"\u00e9":1,"\u0009":2}`)))
  })

  it("is JSON if it begins with an object, but not with a cell in brackets", () => {
    for (const text of [` {"a"`, "[{", "[ ]", "[\n]"]) assert.isTrue(beginsAsObjects(text), text)
    for (const text of ["[id],name", "a,{", ""]) assert.isFalse(beginsAsObjects(text), text)
  })
})
