import { describe, it } from "@effect/vitest"
import { renderNeverRead } from "../../tools/renderNeverRead.ts"
import { assertGolden } from "../golden.ts"

describe("docs/reference/fhir.md", () => {
  it("lists the elements that the base mapping does not read (UPDATE=1 rewrites it)", async () => {
    assertGolden("docs/reference/fhir.md", await renderNeverRead())
  })
})
