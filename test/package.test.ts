import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packagesOf, renderLicenses } from "../tools/thirdPartyLicenses.ts"

const manifest = JSON.parse(readFileSync("package.json", "utf8"))

describe("The package that is installed", () => {
  it("brings along what the program loads at run time and nothing else: tools of this repository stay here", () => {
    const loaded = new Set<string>()
    for (const file of globSync("dist/*.mjs")) {
      const text = readFileSync(file, "utf8")
      for (const [, name] of text.matchAll(/(?:^|;)(?:import|export)\b[^;"`]*?from\s*["`]([^"`.][^"`]*)["`]/gmu)) {
        loaded.add(name!)
      }
      for (const [, name] of text.matchAll(/(?<!\* .*)\bimport\(["`]([^"`.][^"`]*)["`]\)/gu)) loaded.add(name!)
    }
    const outside = [...loaded].filter((name) => !isBuiltin(name))
    assert.deepStrictEqual(outside, Object.keys(manifest.dependencies))
    assert.notProperty(manifest, "optionalDependencies")
  })

  it("contains every file of its own that it names, such as the program of its worker threads", () => {
    const missing = globSync("dist/*.mjs").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/["'`](\.{1,2}\/[\w.-]+\.mjs)["'`]/gu)]
        .filter(([, name]) => !existsSync(join("dist", name!)))
        .map(([, name]) => `${file} names ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("holds the program, the mappings, the samples and the documentation; no sources, no tests", () => {
    const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" })
    const packed = JSON.parse(stdout.slice(stdout.search(/^[[{]/mu)))
    const [{ files }] = Array.isArray(packed) ? packed : Object.values<any>(packed)
    const paths: ReadonlyArray<string> = files.map(({ path }: { readonly path: string }) => path)
    assert.includeMembers([...paths], [
      "dist/fhir2visit.mjs",
      "dist/THIRD-PARTY-LICENSES",
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

  it("names every package whose code is in the bundle, with its version, its licence and the text of it", () => {
    const named = readFileSync("dist/THIRD-PARTY-LICENSES", "utf8")
    const bundled = new Set<string>()
    for (const file of globSync("dist/*.mjs.map")) {
      const { sources } = JSON.parse(readFileSync(file, "utf8")) as { readonly sources: ReadonlyArray<string> }
      for (const source of sources) {
        const [folder] =
          /node_modules\/.*node_modules\/(?:@[^/]+\/)?[^/]+|node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(source) ?? []
        if (folder !== undefined) bundled.add(folder)
      }
    }
    assert.isAtLeast(bundled.size, 10)
    // fhirpath is itself a bundle.
    for (const inside of ["antlr4", "date-fns", "decimal.js"]) bundled.add(`node_modules/${inside}`)
    for (const folder of bundled) {
      const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))
      const [, rest] = named.split(`\n${name} ${version}    `)
      assert.match(rest?.split("\n---")[0] ?? "", /^\S.*\n\n[\s\S]{100,}/u, folder)
    }
    const outside = Object.keys(manifest.dependencies)
    for (const name of outside) assert.notInclude(named, `\n${name} `)
  })

  it("a package without the text of its licence stops the build", () => {
    const folder = mkdtempSync(join(tmpdir(), "licences-"))
    mkdirSync(join(folder, "node_modules/none"), { recursive: true })
    writeFileSync(
      join(folder, "node_modules/none/package.json"),
      "{\"name\": \"none\", \"version\": \"1.0.0\", \"license\": \"MIT\"}"
    )
    writeFileSync(join(folder, "node_modules/none/index.js"), "")
    assert.throws(
      () => packagesOf([`${folder}/node_modules/none/index.js`]),
      "none 1.0.0 is in the bundle and brings no text of its licence (MIT)"
    )
    writeFileSync(join(folder, "node_modules/none/index.js"), "// node_modules/@away/gone/index.js\n")
    writeFileSync(join(folder, "node_modules/none/LICENSE"), "Do as you like.")
    assert.throws(() => packagesOf([`${folder}/node_modules/none/index.js`]), "@away/gone is in the bundle")
    rmSync(folder, { recursive: true })
    assert.strictEqual(packagesOf(["\0rolldown/runtime.js", `${process.cwd()}/src/main.ts`]).length, 0)
    const [yaml] = packagesOf([
      `${process.cwd()}/node_modules/yaml/dist/index.js`,
      `${process.cwd()}/node_modules/yaml/browser/index.js`
    ])
    assert.include(renderLicenses([yaml!]), "\nyaml ")
  })
})
