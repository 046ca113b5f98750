import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pixelmatch from "pixelmatch"
import { type Browser, chromium, type Page } from "playwright-core"
import { PNG } from "pngjs"
import { at } from "../../../src/at.ts"
import { Pipeline } from "../../../src/cli/PipelineApi.ts"
import { overviewOf, overviewTables } from "../../../src/cli/report/overview.ts"
import { reportJson } from "../../../src/cli/report/reportJson.ts"
import { overlayText } from "../../../src/studio/profile/draft/overlayText.ts"
import { profileJson } from "../../../src/studio/viewer/profile/ProfileJson.ts"
import { writePage } from "../../../src/studio/viewer/writePage.ts"
import { cli } from "../../cli/cli.ts"
import { sampleReport } from "../../cli/sampleReport.ts"
import { runCommand } from "../../cli/TestScreen.ts"
import { present } from "../../present.ts"
import { hospital, profileOf } from "../profile/hospital.ts"
import { barriersOf } from "./axe.ts"
import { fontsOf, look, type Seen } from "./laws.ts"

const executablePath = "/usr/bin/chromium"

/** Pictures of the pages as they were looked at. `UPDATE=1` takes them again, and they must be reviewed again. */
const golden = join(import.meta.dirname, "golden")
const fingerprintFile = join(golden, "drawn-by.json")

/** The browser and the fonts that draw the pages: pictures are compared only where they are those of the golden ones. */
const fingerprint = async (browser: Browser): Promise<string> => {
  const tab = await browser.newPage()
  const letters = String(await tab.evaluate(fontsOf))
  await tab.close()
  const [version] = browser.version().split(".")
  return JSON.stringify({ browser: version, letters: createHash("sha256").update(letters).digest("hex").slice(0, 16) })
}

/** Pages as they are written, by name. */
const pages: Readonly<Record<string, () => Promise<string>>> = {
  report: () => writePage({ page: "report", language: "en", report: reportJson(sampleReport) }),
  profile: async () => {
    const made = await Effect.runPromise(Effect.provide(profileOf(hospital(), false), NodeServices.layer))
    return writePage({
      page: "profile",
      language: "en",
      profile: profileJson(made),
      overlay: overlayText(made, { mapping: "our-hospital", extends: "fhir-r4" })
    })
  },
  overview: () =>
    writePage({
      page: "tables",
      language: "en",
      tables: overviewTables(
        overviewOf(["A", "B"].map((one) => ({ file: one, report: { ...reportJson(sampleReport), facility: one } })), {
          now: Date.parse("2026-04-01T00:00:00Z"),
          staleDays: 2,
          showValues: false
        })
      )
    }),
  tables: async () => {
    const file = join(mkdtempSync(join(tmpdir(), "tables-")), "tables.html")
    const words = ["profile", "samples/district-tables/input", "-o", file]
    await Effect.runPromise(Effect.provide(runCommand(cli, words), Pipeline.layer))
    return readFileSync(file, "utf8")
  }
}

const views = [
  ["wide", 1440, "light", "screen"],
  ["narrow", 390, "light", "screen"],
  ["wide-dark", 1440, "dark", "screen"],
  ["narrow-dark", 390, "dark", "screen"],
  // A4 without its margins.
  ["print", 680, "dark", "print"]
] as const

/** A picture shows as much of a page: enough to see what has changed, and small enough to keep. */
const tallest = 1_500

describe.skipIf(!existsSync(executablePath))("Pages in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "pages-"))
  let browser: Browser
  let sameHand = false
  beforeAll(async () => {
    for (const [name, make] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), await make())
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--font-render-hinting=none"] })
    const drawnBy = await fingerprint(browser)
    if (process.env.UPDATE === "1") {
      mkdirSync(golden, { recursive: true })
      writeFileSync(fingerprintFile, `${drawnBy}\n`)
    }
    sameHand = existsSync(fingerprintFile) && readFileSync(fingerprintFile, "utf8").trim() === drawnBy
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  for (const name of Object.keys(pages)) {
    for (const [view, width, colorScheme, media] of views) {
      it(
        `${name}, ${view}: nothing is cut off, faint, nameless or asked of a network; as it was looked at`,
        async () => {
          const context = await browser.newContext({
            viewport: { width, height: 900 },
            colorScheme,
            deviceScaleFactor: width > 600 ? 0.5 : 0.75
          })
          const tab = await context.newPage()
          const reported: Array<string> = []
          const requested: Array<string> = []
          tab.on("console", (message) => void reported.push(message.text()))
          tab.on("pageerror", (error) => void reported.push(error.message))
          tab.on("request", (request) => void requested.push(request.url()))
          await tab.emulateMedia({ media, colorScheme })
          const address = `file://${join(folder, `${name}.html`)}`
          await tab.goto(address)
          const { texts, width: pageWidth, ...faults }: Seen = await tab.evaluate(look)
          const picture = await pictureOf(tab, width)
          const barriers = media === "screen" ? await barriersOf(tab, { colors: colorScheme === "dark" }) : []
          await context.close()
          assert.deepStrictEqual(reported, [])
          assert.deepStrictEqual(requested, [address])
          assert.deepStrictEqual(barriers, [])
          assert.isAtMost(pageWidth, width)
          assert.isAbove(texts, 50)
          for (const [fault, where] of Object.entries(faults)) assert.deepStrictEqual(where, [], fault)
          if (sameHand && view !== "wide-dark") assertPicture(join(golden, `${name}-${view}.png`), picture)
        }
      )
    }
  }

  it("can be used by keyboard only: finds, filters, sorts, unfolds, and downloads the shown rows as CSV", async () => {
    const tab = await browser.newPage({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
    await tab.goto(`file://${join(folder, "report.html")}`)
    const status = () => tab.locator("#visits [role=status]").textContent()
    const report = reportJson(sampleReport)
    assert.strictEqual(await status(), `46 of ${report.counts.visits} visits`)
    await tab.locator(".states a").nth(3).focus()
    await tab.keyboard.press("Enter")
    await tab.locator("#visits [role=status]", { hasText: /^32 /u }).waitFor()
    await tab.keyboard.press("/")
    await tab.keyboard.type("emergency")
    await tab.locator("#visits [role=status]", { hasText: /^20 /u }).waitFor()
    await tab.locator("#visits th button").first().focus()
    await tab.keyboard.press("Enter")
    assert.strictEqual(await tab.locator("#visits th").first().getAttribute("aria-sort"), "ascending")
    const codes = await tab.locator("#visits tbody td:first-child").allTextContents()
    assert.deepStrictEqual(codes, codes.toSorted())
    assert.include(tab.url(), "find=emergency")
    await tab.locator("#visits .main").focus()
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.keyboard.press("Enter")])
    const file = readFileSync(await download.path(), "utf8")
    const rows = parse(file, { bom: true })
    assert.strictEqual(file[0], "\uFEFF")
    assert.deepStrictEqual(rows.slice(1).map(([code]) => code), codes)
    await tab.locator("#todo a", { hasText: "Explain" }).first().focus()
    await tab.keyboard.press("Enter")
    await tab.locator("details.problem[open]").first().waitFor()
    await tab.close()
  })

  it("works without scripts, and shows the filter of a link", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const still = await context.newPage()
    await still.goto(`file://${join(folder, "report.html")}`)
    assert.include(await still.locator("h1").textContent() ?? "", "74 of 120 visits delivered.")
    assert.isAbove(await still.locator("#todo .job").count(), 2)
    assert.isAbove(await still.locator("#trend svg.chart").count(), 1)
    assert.strictEqual(await still.locator("#visits tbody tr").count(), 25)
    await context.close()
    const tab = await browser.newPage()
    await tab.goto(`file://${join(folder, "report.html")}#visits?ward=Emergency&state=correction`)
    await tab.locator("#visits [role=status]", { hasText: /^20 /u }).waitFor()
    await tab.close()
  })

  it("opens 100,000 visits in a page of less than 4 MB, and finds one of them", async () => {
    const { readyVisits = [], outcomes } = sampleReport
    const many = Array.from(
      { length: 100_000 },
      (_, index) => ({ ...at(readyVisits, index % 97), name: `V${String(index).padStart(8, "0")}` })
    )
    const report = reportJson({
      ...sampleReport,
      counts: { ...sampleReport.counts, visits: 100_023, ready: 100_000, stored: 99_900, skipped: 77 },
      readyVisits: many,
      outcomes: new Map([...present(outcomes), ...many.map(({ name }) => [name, "stored"] as const)])
    })
    const text = await writePage({ page: "report", language: "en", report })
    assert.isBelow(text.length, 4_000_000)
    const file = join(folder, "many.html")
    writeFileSync(file, text)
    const tab = await browser.newPage()
    await tab.goto(`file://${file}#visits?find=V00099999`)
    await tab.locator("#visits [role=status]", { hasText: /^1 of/u }).waitFor()
    await tab.close()
  })

  it("prints pages that are not empty", async () => {
    for (const name of Object.keys(pages)) {
      const tab = await browser.newPage()
      await tab.goto(`file://${join(folder, `${name}.html`)}`)
      const paper = await tab.pdf({ format: "A4", preferCSSPageSize: true })
      await tab.close()
      const sheets = [...paper.toString("latin1").matchAll(/\/Type\s*\/Page\b/gu)].length
      assert.isAtLeast(sheets, name === "overview" ? 1 : 2, name)
      assert.isBelow(sheets, 30, name)
    }
  })
})

const pictureOf = async (tab: Page, width: number): Promise<Buffer> => {
  const height = Number(await tab.evaluate("document.documentElement.scrollHeight"))
  return tab.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, tallest) } })
}

/** A picture in few shades, which is a third as large. */
const coarse = (picture: Buffer): PNG => {
  const png = PNG.sync.read(picture)
  for (const [index, value] of png.data.entries()) {
    if (index % 4 !== 3) png.data[index] = Math.min(255, Math.round(value / 32) * 32)
  }
  return png
}

/** A few pixels at the edges of letters may differ; a page that looks otherwise has more. */
const assertPicture = (file: string, actual: Buffer): void => {
  if (process.env.UPDATE === "1") {
    writeFileSync(file, PNG.sync.write(coarse(actual), { colorType: 2, filterType: -1, deflateLevel: 9 }))
    return
  }
  assert.isTrue(existsSync(file), `${file} is missing: run with UPDATE=1, and look at it`)
  const [was, is] = [PNG.sync.read(readFileSync(file)), coarse(actual)]
  const difference = new PNG({ width: was.width, height: was.height })
  const size = `${was.width} × ${was.height}`
  assert.strictEqual(`${is.width} × ${is.height}`, size, `${file}: another size; UPDATE=1 takes it again`)
  const differing = pixelmatch(was.data, is.data, difference.data, was.width, was.height, { threshold: 0.2 })
  if (differing > was.width * was.height * 0.002) {
    const seen = join(mkdtempSync(join(tmpdir(), "page-differs-")), "difference.png")
    writeFileSync(seen, PNG.sync.write(difference))
    assert.fail(`${file}: ${differing} pixels differ, shown in ${seen}; UPDATE=1 takes the picture again`)
  }
}
