import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { captures } from "../captures.ts"
import { assertGolden } from "../golden.ts"
import { present } from "../present.ts"

const shipped = ["fhir-r4", "us-synthetic", "csv", "csv-synthea"]

const cell = (text: string): string => text.replaceAll("|", "\\|")

describe("docs/assumptions.md", () => {
  it("finds a name for every decision of a shipped mapping", () => {
    const warned = globSync("mappings/*/*.yaml").filter((file) => /\bwarn: /u.test(readFileSync(file, "utf8")))
    assert.deepStrictEqual(warned, [])
  })

  it.effect("lists every assumption of the shipped mappings", () =>
    Effect.gen(function*() {
      const parts: Array<string> = []
      const known = new Set<string>()
      for (const name of shipped) {
        const { checked, problems } = yield* loadMapping(`mappings/${name}/mapping.yaml`, "mappings")
        assert.isDefined(checked, JSON.stringify(problems))
        const own = [...checked.plan.assumptions.values()].filter((one) => !known.has(one.name))
        const rows = own.map(({ ask, instead, lines, means, name }) => {
          const where = [...new Set(lines.map(({ file }) => basename(file)))].join(", ")
          assert.isNotEmpty(lines, `${name} is declared and no line makes it`)
          known.add(name)
          return `| \`${name}\` | ${cell(means)} | ${cell(instead)} | ${ask} | ${where} |`
        })
        if (rows.length === 0) continue
        parts.push(
          `## ${name}`,
          "",
          "| name | what is done | what could be done instead | who decides | file |",
          "|---|---|---|---|---|",
          ...rows,
          ""
        )
      }
      const { checked } = yield* loadMapping("mappings/fhir-r4/mapping.yaml", "mappings")
      const [, section = ""] = readFileSync("docs/questions.md", "utf8").split("## 30. ")
      assert.deepStrictEqual(
        captures(section, /`([a-z0-9]+(?:-[a-z0-9]+)+)`/gu).toSorted(),
        [...present(checked).plan.assumptions.values()].filter(({ ask }) => ask === "operator").map(({ name }) => name)
          .toSorted(),
        "question 30 of docs/questions.md lists what the operator decides"
      )
      assertGolden(
        "docs/assumptions.md",
        [
          "# Assumptions of the shipped mappings",
          "",
          "A source rarely says exactly what a visit needs. These are the decisions that the shipped mappings make under a name. A facility accepts them",
          "([mapping.md](mapping.md#assumptions)), or changes the line; until then each of their visits has a warning. [questions.md](questions.md) describes",
          "the larger ones with examples.",
          "",
          ...parts
        ].join("\n")
      )
    }).pipe(Effect.provide(NodeServices.layer)))
})
