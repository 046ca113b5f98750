import { assert, describe, it } from "@effect/vitest"
import { reportJson } from "../../../src/cli/report/reportJson.ts"
import { en } from "../../../src/studio/viewer/texts/en.ts"
import { formats } from "../../../src/studio/viewer/texts/formats.ts"
import { offeredLanguages } from "../../../src/studio/viewer/texts/languages.ts"
import { languages, textsOf } from "../../../src/studio/viewer/texts/texts.ts"
import { verdictOf } from "../../../src/studio/viewer/verdict.ts"
import { writePage } from "../../../src/studio/viewer/writePage.ts"
import { sampleReport } from "../../cli/sampleReport.ts"
import { present } from "../../present.ts"

const arguments_: Readonly<Record<string, unknown>> = {
  // texts about lists of names
  "groups.wards": ["Surgery", "Maternity"]
}

/** Every text of a language by its place; a function with numbers in each place. */
const textsIn = (value: unknown, place = ""): ReadonlyArray<readonly [place: string, text: string]> => {
  if (typeof value === "string") return [[place, value]]
  if (typeof value === "function") {
    if (/^(?:day|shortDay|time|zone|percent|number)$/u.test(place)) return []
    const given = arguments_[place] === undefined ? [1234, 5678, 91] : [arguments_[place]]
    return [[place, String(value(...given))]]
  }
  assert(typeof value === "object" && value !== null)
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, place === "" ? name : `${place}.${name}`))
}

/** Words that are the same in both languages. */
const same = new Set(["visits.caption", "language"])

describe("Numbers of the pages", () => {
  it.each(["en-GB", "fr-FR", "km-KH"])("are those of the language: %s", (locale) => {
    const { number } = formats(locale)
    const expected = new Intl.NumberFormat(locale)
    for (const count of [...Array(1001).keys(), 12_345, -3, 0.5, 7.25]) {
      assert.strictEqual(number(count), expected.format(count), String(count))
    }
  })
})

describe("Texts of the pages", () => {
  it("are English if there are none in a language, whatever its name", () => {
    assert.strictEqual(textsOf("fr"), languages.fr)
    for (const language of ["de", "constructor", "__proto__"]) assert.strictEqual(textsOf(language), en)
  })

  for (const name of offeredLanguages.filter((one) => one !== "en")) {
    const texts = present(languages[name])

    it(`${name} has every text, and none is English`, () => {
      const english = new Map(textsIn(en))
      const found = textsIn(texts)
      assert.deepStrictEqual(found.map(([place]) => place), [...english.keys()])
      const untranslated = found.filter(([place, text]) =>
        text !== "" && text === english.get(place) && text.length > 9 && !same.has(place)
      )
      assert.deepStrictEqual(untranslated, [])
    })

    it(`${name} keeps the numbers of every text`, () => {
      const digits = (text: string) =>
        [...text.replaceAll(/[\s,.\u202f]/gu, "").matchAll(/1234|5678|91/gu)].map(String).toSorted()
      const english = new Map(textsIn(en))
      for (const [place, text] of textsIn(texts)) {
        assert.deepStrictEqual(digits(text), digits(present(english.get(place))), place)
      }
    })

    it(`${name} is the language of the whole page except for messages, which are marked as English`, async () => {
      const page = await writePage({ page: "report", language: name, report: reportJson(sampleReport) })
      assert.include(page, `<html lang="${texts.language}">`)
      assert.include(page, texts.todo.title)
      for (const text of [en.todo.title, en.visits.findHint, en.run.title, en.problems.help]) {
        assert.notInclude(page.replace(/<script type="module">[^]*?<\/script>/u, ""), text)
      }
      assert.include(page, "<strong lang=\"en\">")
    })
  }

  it("does not offer a draft that no speaker has reviewed, and counts its missing texts", () => {
    const drafts = Object.keys(languages).filter((name) => offeredLanguages.every((one) => one !== name))
    assert.deepStrictEqual(drafts, ["km-draft"])
    const english = new Map(textsIn(en))
    const texts = textsIn(languages["km-draft"])
    assert.strictEqual(
      verdictOf({ ...reportJson(sampleReport) }, present(languages["km-draft"])).headline,
      "បានផ្ញើ 74 ក្នុងចំណោម 120 ករណី។"
    )
    assert.isAbove(texts.filter(([place, text]) => text === english.get(place)).length, 50)
  })
})
