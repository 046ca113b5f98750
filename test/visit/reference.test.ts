import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { fieldAt, fieldPaths } from "../../src/visit/fields.ts"
import { renderReference } from "../../tools/renderReference.ts"
import { captures } from "../captures.ts"
import { present } from "../present.ts"

const page = new URL("../../docs/reference/visit.md", import.meta.url)

describe("docs/reference/visit.md", () => {
  it("is what the code prints (UPDATE=1 rewrites it)", () => {
    if (process.env.UPDATE === "1") writeFileSync(page, renderReference())
    assert.strictEqual(readFileSync(page, "utf8"), renderReference())
  })

  it("has every field", () => {
    const text = renderReference()
    for (const path of fieldPaths) {
      const field = present(fieldAt(path))
      assert.include(text, `| \`${field.name}\` | `)
      assert.include(text, `${field.description} |`)
    }
  })

  it("links only to its own headings", () => {
    const text = renderReference()
    const headings = new Set(captures(text, /^## (.+)$/gm).map((name) => name.toLowerCase()))
    for (const target of captures(text, /\]\(#([^)]+)\)/g)) assert.isTrue(headings.has(target), target)
  })
})
