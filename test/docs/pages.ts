import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { at } from "../../src/at.ts"
import { type CasePage, readCases } from "../../src/studio/cases/readCases.ts"
import { type CaseRun, runCase } from "../../src/studio/cases/runCase.ts"
import { only } from "../present.ts"

/** The code blocks of a page with exactly this info string. They may be indented. */
export const codeBlocks = (page: string, info: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${info}\n([\\s\\S]*?)^ *\`\`\`$`, "gmu"))].map(([, body = ""]) => body)

/** The text under a heading, up to the next one. */
export const sectionOf = (page: string, heading: string): string => {
  const [, ...parts] = page.split(`\n## ${heading}\n`)
  return at(only(parts).split("\n## "), 0)
}

/** The anchor of a heading. */
export const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^\w -]/gu, "").replaceAll(" ", "-")

export const readPage = (file: string): CasePage => readCases(file, readFileSync(file, "utf8"))

/** Runs a page's examples with the base mapping, unless `run` has another. */
export const exampleRun = (run: Partial<CaseRun> = {}): CaseRun => ({
  mapping: "mappings/fhir-r4/mapping.yaml",
  shippedMappings: "mappings",
  settings: { timezone: "Asia/Phnom_Penh" },
  ...run
})

/** Defines a test for each example of a page: it makes the visit that the page shows. `check` receives its problems. */
export const itMakesTheVisits = (
  page: CasePage,
  run: CaseRun,
  check: (problems: ReadonlyArray<string>) => void = () => undefined
): void => {
  for (const one of page.cases) {
    it.effect(`makes the visit of the example: ${one.name}`, () =>
      Effect.gen(function*() {
        const { broken, differences, problems } = yield* runCase(page, one, run)
        assert.deepStrictEqual(broken, [])
        assert.deepStrictEqual(differences, [])
        check(problems)
      }).pipe(Effect.provide(NodeServices.layer)))
  }
}
