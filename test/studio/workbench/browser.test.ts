import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { at } from "../../../src/at.ts"
import { present } from "../../present.ts"
import { barriersOf } from "../page/axe.ts"
import { opened, trialFolder } from "./opened.ts"

const executablePath = "/usr/bin/chromium"

/** Set to a folder to keep what was seen, for people to look at. */
const keep = process.env.SCREENSHOTS

const overlay = `mapping: trial
extends: fhir-r4
visit:
  patient:
    surname: name.first().family
    occupation: {value: Farmer}
`

describe.skipIf(!existsSync(executablePath))("The workbench, in a browser", () => {
  const trial = trialFolder(overlay)
  let bench: Awaited<ReturnType<typeof opened>>
  let browser: Browser
  let context: BrowserContext
  let tab: Page
  const reported: Array<string> = []
  const requested: Array<string> = []

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    bench = await opened(trial.input, trial.folder)
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    tab = await context.newPage()
    tab.on("console", (message) => void reported.push(message.text()))
    tab.on("pageerror", (error) => void reported.push(String(error.stack)))
    tab.on("response", (response) => void (response.ok() || reported.push(`${response.status()} ${response.url()}`)))
    tab.on("request", (request) => void requested.push(request.url()))
    await tab.goto(bench.url)
    await tab.locator("#fields [data-item]").first().waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await bench?.close()
    trial.remove()
  })

  const textOf = async (selector: string) => present(await tab.locator(selector).textContent())
  const field = (path: string) => tab.locator(`#fields [data-path="${path}"]`)
  const seen = (name: string) =>
    keep === undefined ? undefined : tab.screenshot({ path: join(keep, `bench-${name}.png`) })
  /** The lines of the mapping that are lit, with the file that is open. */
  const litLines = async () => {
    await tab.locator(".cm-line.lit").first().waitFor()
    return tab.evaluate<string>(
      `document.querySelector("#file").value.split("/").at(-1) + ":" + [...document.querySelectorAll(".cm-line")].flatMap((line, at) => line.matches(".lit") ? [at + 1] : []).join()`
    )
  }

  it("opens by its key, which disappears from the address and opens no other browser", async () => {
    assert.strictEqual(new URL(tab.url()).search, "")
    const other = await browser.newContext()
    const page = await other.newPage()
    assert.strictEqual((await page.goto(bench.url))?.status(), 403)
    assert.strictEqual((await page.goto(new URL("visits", bench.url).href))?.status(), 403)
    await other.close()
  })

  it("sends its cookie to no other program that serves pages on this machine", async () => {
    const heard: Array<string | undefined> = []
    const other = createServer((request, response) => {
      heard.push(request.headers.cookie)
      response.setHeader("content-type", "text/html").end("<a href='/room/'>Another</a>")
    })
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const address = other.address()
    assert(typeof address === "object")
    const port = address?.port
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    await page.locator("a").click()
    await page.goto(`http://127.0.0.1:${port}/visits`)
    assert.isAtLeast(heard.length, 3)
    assert.deepStrictEqual([...new Set(heard)], [undefined])
    assert.strictEqual((await context.cookies()).length, 1)
    // The same browser may open the address again.
    assert.strictEqual((await page.goto(bench.url))?.status(), 200)
    await page.locator("#list [data-item]").first().waitFor()
    await page.close()
    other.close()
  })

  it("shows a notice about patient data, and how many visits are ready", async () => {
    assert.strictEqual(await tab.locator(".notice").textContent(), "Patient data. It stays on this machine.")
    assert.match(await textOf("#counts"), /ready \d+.*rejected \d+/u)
  })

  it("selects with a field its line, the line it overrides, and the element it was read from", async () => {
    await field("patient.surname").click()
    assert.strictEqual(await litLines(), "mapping.yaml:5")
    assert.strictEqual(await tab.locator("#lines mark").textContent(), "name.first().family")
    assert.match(await textOf("#story"), /mapping\.yaml:5 overrides fhir-r4\/visit\.yaml:\d+/u)
    const lit = tab.locator("#records .item.lit")
    assert.deepStrictEqual(await lit.locator(".key").allTextContents(), ["family"])
    const value = await field("patient.surname").locator(".value").textContent()
    assert.deepStrictEqual(await lit.locator(".value").allTextContents(), [value])
    assert.isAbove(await tab.locator("#threads path").count(), 1)
    await seen("field")
  })

  it("selects with an element the fields made from it, or shows that nothing reads it", async () => {
    await field("patient.birthdate").click()
    await tab.locator("#records .item.lit").click()
    assert.deepStrictEqual(await tab.locator("#fields .lit .key").allTextContents(), ["birthdate"])
    assert.match(await textOf("#story"), /birthDate.*becomespatient\.birthdate/u)
    await tab.locator("#records .item.unread").first().click()
    assert.match(await textOf("#story"), /nothing: no line of the mapping reads it/u)
    assert.strictEqual(await tab.locator("#fields .lit").count(), 0)
    await seen("element")
  })

  it("selects with a mapping line the fields it makes", async () => {
    await field("patient.surname").click()
    await tab.locator(".cm-line").nth(5).click()
    assert.deepStrictEqual(await tab.locator("#fields .lit .key").allTextContents(), ["occupation"])
    assert.match(await textOf("#story"), /Line 6makespatient\.occupation/u)
  })

  it("follows an edit: keeps the page and the selection, and reports the changes", async () => {
    await field("patient.occupation").click()
    await tab.evaluate("window.stayed = true")
    trial.edit("Farmer", "Fisher")
    await field("patient.occupation").locator(".was").waitFor()
    assert.strictEqual(await field("patient.occupation").locator(".value").textContent(), "\"Fisher\"")
    assert.strictEqual(await field("patient.occupation").locator(".was").textContent(), "was \"Farmer\"")
    assert.strictEqual(await field("patient.occupation").getAttribute("aria-selected"), "true")
    assert.strictEqual(await litLines(), "mapping.yaml:6")
    const changed = tab.locator("#counts button")
    await changed.waitFor()
    assert.match(await changed.textContent() ?? "", /^\d+ visits changed$/u)
    assert.strictEqual(await tab.evaluate("window.stayed"), true)
  })

  it("selects the line that an edit writes instead of the line before", async () => {
    await field("patient.nationality").click()
    assert.match(await litLines(), /^visit\.yaml:\d+$/u)
    trial.edit("    occupation", "    nationality: {value: Nowhere}\n    occupation")
    await field("patient.nationality").locator(".was").waitFor()
    assert.strictEqual(await litLines(), "mapping.yaml:6")
    assert.strictEqual(await tab.locator("#lines mark").textContent(), "{value: Nowhere}")
    trial.edit("    nationality: {value: Nowhere}\n", "")
    await field("patient.nationality").locator(".was", { hasText: "Nowhere" }).waitFor()
    assert.match(await litLines(), /^visit\.yaml:\d+$/u)
    await field("patient.occupation").click()
  })

  it("shows an invalid mapping with its source location, and marks the view as old", async () => {
    trial.edit("first().family", "first().famly")
    const mistakes = tab.locator("#mistakes")
    await mistakes.waitFor()
    const text = present(await mistakes.textContent())
    assert.include(text, "What you see is old")
    assert.match(text, /mapping\.yaml:5:27/u)
    assert.match(text, /5 │ {5}surname: name\.first\(\)\.famly\n +│ +\^{5} did you mean/u)
    assert.isTrue(await tab.locator("#old").isVisible())
    assert.strictEqual(await field("patient.occupation").locator(".value").textContent(), "\"Fisher\"")
    await seen("broken")
    trial.edit("famly", "family")
    await mistakes.waitFor({ state: "hidden" })
    assert.isFalse(await tab.locator("#old").isVisible())
  })

  it("shows an edit that rejects visits in the counts, and finds a visit by its problem, state and code", async () => {
    const [, found] = present(/ready (?:\d+ → )?(\d+)/u.exec(await textOf("#counts")))
    const ready = Number(found)
    trial.edit("    occupation", "    code: {path: \"{}\", required: error}\n    occupation")
    await tab.locator("#counts", { hasText: `ready ${ready} → 0` }).waitFor()
    await tab.selectOption("#problem", "error required-field")
    assert.isAtLeast(await tab.locator("#list [data-item]").count(), ready)
    await tab.selectOption("#state", "ready")
    assert.strictEqual(await tab.locator("#list [data-item]").count(), 0)
    await tab.selectOption("#state", "")
    await tab.selectOption("#problem", "")
    const code = present(await tab.locator("#list .code").nth(1).textContent())
    await tab.fill("#find", code)
    await tab.keyboard.press("Enter")
    await tab.locator("#visit-head strong", { hasText: code }).waitFor()
    await tab.locator("#problems .link").first().click()
    assert.strictEqual(await tab.locator("#fields [aria-selected='true']").count(), 1)
    await seen("problem")
    trial.edit("    code: {path: \"{}\", required: error}\n", "")
    await tab.locator("#counts", { hasText: `ready 0 → ${ready}` }).waitFor()
    await tab.fill("#find", "")
  })

  it("tries an edit before it is saved: the visit, the plan over all visits, undo, save", async () => {
    const before = readFileSync(trial.mapping, "utf8")
    await field("patient.occupation").click()
    await tab.locator(".cm-line", { hasText: "occupation" }).click()
    await tab.keyboard.press("End")
    await tab.keyboard.press("Enter")
    await tab.keyboard.type("nationa")
    await tab.locator(".cm-tooltip-autocomplete li", { hasText: "nationality" }).waitFor()
    await seen("completion")
    // The editor takes no proposal right after it appears.
    await tab.waitForTimeout(150)
    await tab.keyboard.press("Enter")
    await tab.keyboard.type("{value: Nowhere}")
    await field("patient.nationality").locator(".was").waitFor()
    const row = tab.locator("#plan tr", { hasText: "patient.nationality" })
    await row.waitFor()
    assert.match(await row.textContent() ?? "", /patient\.nationality5.*"Nowhere"/u)
    assert.strictEqual(readFileSync(trial.mapping, "utf8"), before)
    await seen("plan")
    await row.locator("button").click()
    assert.match(await textOf("#hits"), /patient\.nationality changes/u)
    await tab.locator("#hits button").click()
    await tab.locator("#edit button", { hasText: "Undo" }).click()
    await tab.locator("#edit").waitFor({ state: "detached" })
    await field("patient.nationality").locator(".was", { hasText: "Nowhere" }).waitFor()
    await tab.locator(".cm-line", { hasText: "occupation" }).click()
    await tab.keyboard.press("End")
    await tab.keyboard.press("Enter")
    await tab.keyboard.type("foo: bar")
    await tab.keyboard.press("Enter")
    await tab.keyboard.type("nation: x")
    const mistakes = tab.locator("#mapping #mistakes")
    await mistakes.locator("details", { hasText: "1 more error" }).waitFor()
    assert.strictEqual(await mistakes.locator("pre").count(), 1)
    await tab.locator("#edit button", { hasText: "Undo" }).click()
    await mistakes.waitFor({ state: "detached" })
    await tab.locator(".cm-line", { hasText: "occupation" }).click()
    await tab.keyboard.press("End")
    await tab.keyboard.press("Enter")
    await tab.keyboard.type("nationality: {value: Saved}")
    await field("patient.nationality").locator(".value", { hasText: "Saved" }).waitFor()
    await tab.keyboard.press("Control+s")
    await tab.locator("#edit").waitFor({ state: "detached" })
    const saved = readFileSync(trial.mapping, "utf8")
    assert.include(saved, "    nationality: {value: Saved}\n")
    trial.edit("    nationality: {value: Saved}\n", "")
    await field("patient.nationality").locator(".was", { hasText: "Saved" }).waitFor()
    await tab.locator("#counts", { hasText: "visits changed" }).waitFor()
  })

  it("saves a visit as a case without the names and ids of patients", async () => {
    await tab.locator("#as-case").click()
    const text = await tab.locator("#case pre").textContent()
    assert.include(text, "```json visit\n{")
    await tab.fill("#case input", "An occupation")
    await seen("case")
    await tab.locator("#case .main").click()
    await tab.locator("#case [role=status]").waitFor()
    const file = join(trial.folder, "cases", "an-occupation.md")
    const page = readFileSync(file, "utf8")
    const patients = readFileSync(join(trial.input, "Patient.000.ndjson"), "utf8").trimEnd().split("\n")
    for (const patient of patients) {
      const { address = [], id, identifier, name, telecom = [] } = JSON.parse(patient)
      const texts = [
        `Patient/${id}"`,
        ...name.flatMap(({ family, given }: { family: string; given: ReadonlyArray<string> }) => [family, ...given]),
        ...[...identifier, ...telecom].map(({ value }: { value: string }) => value),
        ...address.flatMap(({ line = [] }: { line?: ReadonlyArray<string> }) => line)
      ]
      for (const text of texts) assert.notInclude(page, text)
    }
    assert.match(page, /"occupation": "/u)
    await tab.locator("#case form button").click()
  })

  it("does not save an edit over a file that changed on disk", async () => {
    await field("patient.occupation").click()
    await tab.locator(".cm-line", { hasText: "occupation" }).click()
    await tab.keyboard.press("End")
    await tab.keyboard.type(" # mine")
    await tab.locator("#edit").waitFor()
    trial.edit("mapping: trial", "mapping: trial2")
    await tab.locator("#edit .main").click()
    await tab.locator("#edit [role=alert]", { hasText: "has changed on disk" }).waitFor()
    await tab.locator("#edit button", { hasText: "Undo" }).click()
    await tab.locator(".cm-line", { hasText: "trial2" }).waitFor()
    trial.edit("mapping: trial2", "mapping: trial")
    await tab.locator(".cm-line", { hasText: /mapping: trial$/u }).waitFor()
  })

  it("finds visits by the words of a problem, and by any value of their records", async () => {
    const option = present(await tab.locator("#problem option").nth(1).getAttribute("value"))
    const code = at(option.split(" "), 1)
    await tab.fill("#find", code.replaceAll("-", " "))
    await tab.locator("#hits li", { hasText: code }).waitFor()
    await tab.fill("#find", "BC-0401-000401")
    await tab.locator("#hits li", { hasText: "Patient.identifier.value" }).waitFor()
    assert.strictEqual(await tab.locator("#list [data-item]").count(), 1)
    assert.match(await textOf("#list .sub"), /^\d{4}-\d\d-\d\d · Paediatrics/u)
    await tab.fill("#find", "")
    await tab.locator("#list [data-item]").nth(1).waitFor()
  })

  it("can be used by keyboard only: next, previous, find, panes, arrows, Enter, Escape", async () => {
    const code = () => tab.locator("#visit-head strong").textContent()
    const codes = await tab.locator("#list .code").allTextContents()
    const place = codes.indexOf(present(await code()))
    await tab.locator("#fields").click({ position: { x: 300, y: 4 } })
    await tab.keyboard.press("p")
    await tab.locator("#visit-head strong", { hasText: at(codes, place - 1) }).waitFor()
    await tab.keyboard.press("n")
    await tab.locator("#visit-head strong", { hasText: at(codes, place) }).waitFor()
    await tab.keyboard.press("4")
    await tab.keyboard.press("Home")
    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("Enter")
    assert.strictEqual(await tab.locator("#fields [aria-selected='true']").getAttribute("data-path"), "patient_code")
    assert.strictEqual(await tab.evaluate("document.activeElement.dataset.path"), "patient_code")
    await tab.keyboard.press("Escape")
    assert.isFalse(await tab.locator("#story").isVisible())
    await tab.keyboard.press("2")
    await tab.keyboard.press("Home")
    await tab.keyboard.press("ArrowLeft")
    await tab.locator("#records .head[aria-expanded=false]:focus").waitFor()
    await tab.keyboard.press("ArrowRight")
    await tab.locator("#records .head[aria-expanded=true]:focus").waitFor()
    await tab.keyboard.press("/")
    assert.strictEqual(await tab.evaluate("document.activeElement.id"), "find")
  })

  for (
    const [name, width, colorScheme] of [["wide", 1440, "light"], ["dark", 1440, "dark"], ["narrow", 390, "light"], [
      "narrow-dark",
      390,
      "dark"
    ]] as const
  ) {
    it(`${name}: every control has a name, text has enough contrast, nothing is wider than the screen`, async () => {
      await tab.setViewportSize({ width, height: 844 })
      await tab.emulateMedia({ colorScheme })
      if (width < 500) {
        await tab.locator("#tab-visit").click()
        assert.deepStrictEqual(await shownPanes(tab), ["visit"])
        await field("patient.surname").click()
        await tab.locator("#story .link").first().click()
        assert.deepStrictEqual(await shownPanes(tab), ["mapping"])
        await seen(`${name}-mapping`)
        await tab.locator("#tab-source").click()
        assert.isTrue(await tab.locator("#records .item.lit").first().isVisible())
      } else {
        await field("patient.surname").click()
        assert.deepStrictEqual(await shownPanes(tab), ["visits", "source", "mapping", "visit"])
      }
      await seen(name)
      const faults = await tab.evaluate<Faults>(lookedAt)
      assert.isAbove(faults.texts, 30)
      assert.strictEqual(faults.nameless.join("\n"), "")
      assert.strictEqual(faults.faint.join("\n"), "")
      assert.isAtMost(faults.width, width)
      const [counts, help] = await Promise.all(["#counts", "#help"].map((one) => tab.locator(one).boundingBox()))
      assert.exists(counts)
      assert.exists(help)
      assert.isTrue(counts.x + counts.width <= help.x || counts.y >= help.y + help.height, "counts under a button")
      assert.deepStrictEqual(faults.ids, [])
      assert.deepStrictEqual(await barriersOf(tab, { colors: colorScheme === "dark" }), [])
    })
  }

  it("reports a visit that another mapping does not make, and keeps an element selected if it still exists", async () => {
    await tab.setViewportSize({ width: 1440, height: 900 })
    await field("patient.birthdate").click()
    await tab.locator("#records .item.lit").click()
    trial.edit("visit:\n", "grouping:\n  where: {none: \"false\"}\nvisit:\n")
    await tab.locator("#visit-head .state", { hasText: "no longer makes a visit of it" }).waitFor()
    await tab.locator("#visits", { hasText: "No visits yet" }).waitFor()
    trial.edit("grouping:\n  where: {none: \"false\"}\n", "")
    await tab.locator("#list [data-item]").first().waitFor()
    await tab.locator("#visit-head .state", { hasText: "ready" }).waitFor()
    assert.strictEqual(await tab.locator("#records [aria-selected='true'] .key").textContent(), "birthDate")
  })

  it("keeps its state when the page is reloaded; the address has only a number and a field name", async () => {
    await tab.setViewportSize({ width: 1440, height: 900 })
    await tab.locator("#list [data-item]").nth(2).click()
    const code = present(await tab.locator("#list .code").nth(2).textContent())
    await tab.locator("#visit-head strong", { hasText: code }).waitFor()
    await field("patient.birthdate").click()
    assert.strictEqual(new URL(tab.url()).hash, "#3/patient.birthdate")
    assert.strictEqual(await tab.title(), "Visit 3 · Workbench")
    await tab.reload()
    await field("patient.birthdate").and(tab.locator("[aria-selected='true']")).waitFor()
    assert.strictEqual(await tab.locator("#visit-head strong").textContent(), code)
  })

  it("sent requests only to this machine, without a browser error", () => {
    assert.deepStrictEqual([...new Set(requested.map((url) => new URL(url).origin))], [
      `http://127.0.0.1:${bench.port}`
    ])
    assert.deepStrictEqual(reported, [])
  })

  it("shows that the program has ended", async () => {
    await bench.close()
    await tab.locator("#lost").waitFor()
  })
})

const shownPanes = async (tab: Page): Promise<ReadonlyArray<string>> =>
  tab.evaluate<ReadonlyArray<string>>(
    "[...document.querySelectorAll('main > section')].filter((pane) => pane.offsetParent !== null).map((pane) => pane.id)"
  )

interface Faults {
  readonly texts: number
  readonly width: number
  readonly nameless: ReadonlyArray<string>
  readonly faint: ReadonlyArray<string>
  readonly ids: ReadonlyArray<string>
}

/** Runs in the page: what a person who hears it, or does not see well, would miss. */
const lookedAt = `(() => {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const share = part / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const paint = (colors) => {
    canvas.fillStyle = "#fff"
    canvas.fillRect(0, 0, 1, 1)
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1) }
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.closest(".hide") === null && one.tagName !== "OPTION"
  const nameOf = (one) => (one.getAttribute("aria-label") ?? one.textContent).trim() ||
    [...(one.labels ?? [])].map((label) => label.textContent.trim()).join("")
  const nameless = [], faint = []
  let texts = 0
  for (const one of document.querySelectorAll("button, input, select, [role], section, aside, progress")) {
    if (one.hasAttribute("hidden") || one.getAttribute("role") === "group" || one.getAttribute("role") === "status" || one.getAttribute("role") === "alert") continue
    if (seen(one) && nameOf(one) === "") nameless.push(one.outerHTML.slice(0, 120))
  }
  for (const one of document.querySelectorAll("body *")) {
    if (!seen(one) || ![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue
    texts++
    const layers = []
    for (let at = one; at !== null; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor)
    const paper = paint(layers)
    const ink = paint([...layers, getComputedStyle(one).color])
    const [a, b] = [light(ink), light(paper)]
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) faint.push(contrast.toFixed(2) + " " + one.outerHTML.slice(0, 120))
  }
  const all = [...document.querySelectorAll("[id]")].map(({ id }) => id)
  const known = new Set(all)
  return {
    texts,
    width: document.documentElement.scrollWidth,
    nameless,
    faint,
    ids: [
      ...all.filter((id, index) => all.indexOf(id) !== index),
      ...[...document.querySelectorAll("[for], [aria-controls], [aria-labelledby]")]
        .map((one) => one.getAttribute("for") ?? one.getAttribute("aria-controls") ?? one.getAttribute("aria-labelledby"))
        .filter((id) => !known.has(id))
    ]
  }
})()`
