import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium } from "playwright-core"
import { reportPage } from "../../src/cli/reportPage.ts"
import { sampleReport } from "./sampleReport.ts"

const executablePath = "/usr/bin/chromium"

/** Set to a folder to keep what was seen, for people to look at. */
const keep = process.env.SCREENSHOTS

describe.skipIf(!existsSync(executablePath))("The page of a run, in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-"))
  const file = join(folder, "report.html")
  let browser: Browser
  beforeAll(async () => {
    writeFileSync(file, reportPage(sampleReport))
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  for (
    const [name, width, colorScheme, media] of [
      ["wide", 1440, "light", "screen"],
      ["narrow", 390, "light", "screen"],
      ["dark", 1440, "dark", "screen"],
      ["narrow-dark", 390, "dark", "screen"],
      ["print", 794, "dark", "print"]
    ] as const
  ) {
    it(`${name}: no message, no request, nothing wider than the screen, letters that stand out`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
      const tab = await context.newPage()
      const told: Array<string> = []
      const asked: Array<string> = []
      tab.on("console", (message) => void told.push(message.text()))
      tab.on("pageerror", (error) => void told.push(error.message))
      tab.on("request", (request) => void asked.push(request.url()))
      await tab.emulateMedia({ media, colorScheme })
      await tab.goto(`file://${file}`)
      // the code below runs in the page
      const seen: { width: number; beyond: Array<string>; faint: Array<string>; texts: number } = await tab.evaluate(
        `(() => {
        const light = (color) => {
          const [r, g, b] = color.match(/[\\d.]+/g).map((part) => {
            const share = part / 255
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
          })
          return 0.2126 * r + 0.7152 * g + 0.0722 * b
        }
        const paper = light(getComputedStyle(document.body).backgroundColor)
        const faint = [], beyond = []
        let texts = 0
        for (const one of document.querySelectorAll("main *")) {
          const box = one.getBoundingClientRect()
          if (box.right > innerWidth + 1 && one.closest("thead") === null) beyond.push(one.outerHTML.slice(0, 80))
          if (one.localName === "title" || ![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue
          texts++
          const style = getComputedStyle(one)
          const ink = light(one instanceof SVGElement ? style.fill : style.color)
          const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)
          if (contrast < 4.5) faint.push(one.outerHTML.slice(0, 80))
        }
        return { width: document.documentElement.scrollWidth, beyond, faint, texts }
      })()`
      )
      if (keep !== undefined) await tab.screenshot({ path: join(keep, `report-${name}.png`), fullPage: true })
      await context.close()
      assert.deepStrictEqual(told, [])
      assert.deepStrictEqual(asked, [`file://${file}`])
      assert.isAtMost(seen.width, width)
      assert.isAbove(seen.texts, 100)
      assert.deepStrictEqual(seen.faint, [])
      assert.deepStrictEqual(seen.beyond, [])
    }, 60_000)
  }
})
