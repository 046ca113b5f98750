import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { captures } from "../captures.ts"
import { anchorOf } from "./pages.ts"

const anchors = (file: string): ReadonlyArray<string> =>
  captures(readFileSync(file, "utf8"), /^#+ (.+)$/gmu).map(anchorOf)

const links = (file: string): ReadonlyArray<readonly [file: string, anchor: string | undefined]> => {
  // Code blocks contain no links.
  const text = readFileSync(file, "utf8").replaceAll(/^(`{3,})[\s\S]*?^\1$/gmu, "").replaceAll(/`[^`\n]*`/gu, "")
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/gu)].map(([, target = "", anchor]) => [
    target === "" ? file : normalize(join(dirname(file), target)),
    anchor
  ])
}

const pages = globSync([
  "CHANGELOG.md",
  "README.md",
  "src/README.md",
  "samples/README.md",
  "docs/*.md",
  "docs/problems/*.md",
  "docs/servers/*.md"
])

describe("the documentation", () => {
  for (const page of pages) {
    it(`links to existing files and headings: ${page}`, () => {
      for (const [file, anchor] of links(page)) {
        assert.isTrue(existsSync(file), `${page}: ${file}`)
        if (anchor !== undefined) assert.include(anchors(file), anchor, `${page}: ${file}#${anchor}`)
      }
    })
  }

  it("has an index of every page, by reader, of at most 40 lines", () => {
    const index = readFileSync("docs/README.md", "utf8")
    const reached = new Set(links("docs/README.md").map(([file]) => file))
    for (const page of globSync(["docs/*.md", "docs/reference/*.md"])) {
      if (page !== "docs/README.md") assert.include([...reached], page)
    }
    for (const reader of ["integration engineer", "operator", "manager", "security officer"]) {
      assert.include(index, `**${reader}**`)
      assert.match(readFileSync("README.md", "utf8"), new RegExp(`^\\| an? ${reader} \\| \\[`, "mu"))
    }
    assert.isAtMost(index.trimEnd().split("\n").length, 40)
  })
})
