import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pixelmatch from "pixelmatch"
import { type Browser, chromium, type Page } from "playwright-core"
import { PNG } from "pngjs"
import { cli } from "../../src/cli/Cli.ts"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { reportPage } from "../../src/cli/reportPage.ts"
import { overlayText } from "../../src/profile/overlayText.ts"
import { renderHtml } from "../../src/profile/renderHtml.ts"
import { sampleReport } from "../cli/sampleReport.ts"
import { runCommand } from "../cli/TestScreen.ts"
import { hospital, profileOf } from "../profile/hospital.ts"
import { barriersOf } from "./axe.ts"
import { fontsOf, look, type Seen } from "./laws.ts"

const executablePath = "/usr/bin/chromium"

/** Pictures of the pages as they were looked at. `UPDATE=1` takes them anew, and they are looked at again. */
const golden = join(import.meta.dirname, "golden")
const fingerprintFile = join(golden, "drawn-by.json")

/** The browser and the fonts that draw the pages: pictures are compared only where they are those of the golden ones. */
const fingerprint = async (browser: Browser): Promise<string> => {
  const tab = await browser.newPage()
  const letters = String(await tab.evaluate(fontsOf))
  await tab.close()
  const version = browser.version().split(".")[0]!
  return JSON.stringify({ browser: version, letters: createHash("sha256").update(letters).digest("hex").slice(0, 16) })
}

/** Pages as they are written, by name. */
const pages: Readonly<Record<string, () => Promise<string>>> = {
  report: () => Promise.resolve(reportPage(sampleReport, { pages: new Map([["no-encounter", "# no-encounter\n"]]) })),
  profile: async () => {
    const made = await Effect.runPromise(Effect.provide(profileOf(hospital(), false), NodeServices.layer))
    return renderHtml(made, overlayText(made, { mapping: "our-hospital", extends: "fhir-r4" }))
  },
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
  }, 60_000)
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
          const told: Array<string> = []
          const asked: Array<string> = []
          tab.on("console", (message) => void told.push(message.text()))
          tab.on("pageerror", (error) => void told.push(error.message))
          tab.on("request", (request) => void asked.push(request.url()))
          await tab.emulateMedia({ media, colorScheme })
          const address = `file://${join(folder, `${name}.html`)}`
          await tab.goto(address)
          const { texts, width: pageWidth, ...faults }: Seen = await tab.evaluate(look)
          const picture = await pictureOf(tab, width)
          const barriers = media === "screen" ? await barriersOf(tab, { colors: colorScheme === "dark" }) : []
          await context.close()
          assert.deepStrictEqual(told, [])
          assert.deepStrictEqual(asked, [address])
          assert.deepStrictEqual(barriers, [])
          assert.isAtMost(pageWidth, width)
          assert.isAbove(texts, 50)
          for (const [fault, where] of Object.entries(faults)) assert.deepStrictEqual(where, [], fault)
          if (sameHand && view !== "wide-dark") assertPicture(join(golden, `${name}-${view}.png`), picture)
        },
        60_000
      )
    }
  }

  it("a figure leads to its list, and unfolds it", async () => {
    const tab = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await tab.goto(`file://${join(folder, "report.html")}`)
    for (const to of ["ready-stored", "ready-on-2026-03-03", "rejected-in-1", "problem-5", "records"]) {
      await tab.locator(`a[href="#${to}"]`).first().click()
      const [isShown, top] = await tab.evaluate<readonly [boolean, number]>(
        `((one) => [one.checkVisibility(), one.getBoundingClientRect().top])(document.getElementById("${to}"))`
      )
      assert.isTrue(isShown, to)
      assert.isTrue(top > -10 && top < 844, `${to} at ${top}`)
    }
    await tab.close()
  }, 60_000)

  it("print to pages of paper, each with something on it", async () => {
    for (const name of Object.keys(pages)) {
      const tab = await browser.newPage()
      await tab.goto(`file://${join(folder, `${name}.html`)}`)
      const paper = await tab.pdf({ format: "A4", preferCSSPageSize: true })
      await tab.close()
      const sheets = [...paper.toString("latin1").matchAll(/\/Type\s*\/Page\b/gu)].length
      assert.isAbove(sheets, 1, name)
      assert.isBelow(sheets, 30, name)
    }
  }, 60_000)
})

const pictureOf = async (tab: Page, width: number): Promise<Buffer> => {
  const height = Number(await tab.evaluate("document.documentElement.scrollHeight"))
  return tab.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, tallest) } })
}

/** A picture in few shades, which is a third as large. */
const coarse = (picture: Buffer): PNG => {
  const png = PNG.sync.read(picture)
  for (let at = 0; at < png.data.length; at++) {
    if (at % 4 !== 3) png.data[at] = Math.min(255, Math.round(png.data[at]! / 32) * 32)
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
  assert.strictEqual(`${is.width} × ${is.height}`, size, `${file}: another size; UPDATE=1 takes it anew`)
  const differing = pixelmatch(was.data, is.data, difference.data, was.width, was.height, { threshold: 0.2 })
  if (differing > was.width * was.height * 0.002) {
    const seen = join(mkdtempSync(join(tmpdir(), "page-differs-")), "difference.png")
    writeFileSync(seen, PNG.sync.write(difference))
    assert.fail(`${file}: ${differing} pixels differ, shown in ${seen}; UPDATE=1 takes the picture anew`)
  }
}
