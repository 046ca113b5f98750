import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"

const manifest = JSON.parse(readFileSync("package.json", "utf8"))

describe("The package that is installed", () => {
  it("brings along what the program loads at run time and nothing else: tools of this repository stay here", () => {
    const loaded = new Set<string>()
    for (const file of globSync("dist/*.mjs")) {
      const text = readFileSync(file, "utf8")
      for (const [, name] of text.matchAll(/^(?:import|export) [^;"]*?from "([^".][^"]*)"/gmu)) loaded.add(name!)
      for (const [, name] of text.matchAll(/(?<!\* .*)\bimport\("([^".][^"]*)"\)/gu)) loaded.add(name!)
    }
    const outside = [...loaded].filter((name) => !isBuiltin(name))
    assert.deepStrictEqual(outside, Object.keys(manifest.dependencies))
    assert.notProperty(manifest, "optionalDependencies")
  })

  it("holds the program, the mappings, the samples and the documentation; no sources, no tests", () => {
    const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" })
    const packed = JSON.parse(stdout.slice(stdout.search(/^[[{]/mu)))
    const [{ files }] = Array.isArray(packed) ? packed : Object.values<any>(packed)
    const paths: ReadonlyArray<string> = files.map(({ path }: { readonly path: string }) => path)
    assert.includeMembers([...paths], [
      "dist/fhir2visit.mjs",
      "mappings/fhir-r4/mapping.yaml",
      "mappings/us-synthetic/facility.yaml",
      "samples/outpatient-fever/facility.yaml",
      "docs/mapping.md",
      "docs/problems/no-encounter.md"
    ])
    for (const path of paths) {
      assert.match(path, /^(?:dist\/|mappings\/|samples\/|docs\/|package\.json|README\.md|LICENSE)/u)
    }
    assert.deepStrictEqual(paths.filter((path) => /\.map$|\.ts$|node_modules|\.sqlite/u.test(path)), [])
  })
})
