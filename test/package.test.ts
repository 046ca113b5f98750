import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packagesOf, renderLicenses } from "../tools/thirdPartyLicenses.ts"
import { captures } from "./captures.ts"
import { readJson } from "./readJson.ts"

const manifest = JSON.parse(readFileSync("package.json", "utf8"))

describe("The package that is installed", () => {
  it("depends only on what the program loads at run time", () => {
    const loaded = new Set<string>()
    for (const file of globSync("dist/*.mjs")) {
      const text = readFileSync(file, "utf8")
      for (const name of captures(text, /(?:^|;)(?:import|export)\b[^;"`]*?from\s*["`]([^"`.][^"`]*)["`]/gmu)) {
        loaded.add(name)
      }
      for (const name of captures(text, /(?<!\* .*)\bimport\(["`]([^"`.][^"`]*)["`]\)/gu)) loaded.add(name)
    }
    const outside = [...loaded].filter((name) => !isBuiltin(name))
    assert.deepStrictEqual(outside, Object.keys(manifest.dependencies))
    assert.notProperty(manifest, "optionalDependencies")
  })

  it("imports no module of Node that loads much more than what is used: `process` is global, and `http` has a WebSocket", () => {
    const importing = globSync("dist/{start,base,common,worker,facility,service,Sandbox,workbench}-*.mjs").filter((
      file
    ) => /(?:from|import)\s*\(?["`]node:(?:process|http|https)["`]/u.test(readFileSync(file, "utf8")))
    assert.deepStrictEqual(importing, [])
  })

  it("contains every own file that it names, such as the program of its worker threads", () => {
    const missing = globSync("dist/*.mjs").flatMap((file) =>
      captures(readFileSync(file, "utf8"), /["'`](\.{1,2}\/[\w.-]+\.mjs)["'`]/gu)
        .filter((name) => !existsSync(join("dist", name)))
        .map((name) => `${file} names ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("uses nothing that another package of the same version has kept, although npm gives all files one time", () => {
    const folder = mkdtempSync(join(tmpdir(), "package-"))
    const cache = join(folder, "cache")
    for (const part of ["dist", "mappings", "package.json"]) {
      cpSync(part, join(folder, part), { recursive: true, preserveTimestamps: true })
    }
    const plans = () => {
      const args = [
        join(folder, "dist/fhir2visit.mjs"),
        "mapping",
        "check",
        join(folder, "mappings/us-synthetic/mapping.yaml")
      ]
      const { status, stderr } = spawnSync(process.execPath, args, {
        encoding: "utf8",
        env: { ...process.env, FHIR2VISIT_CACHE: cache }
      })
      assert.strictEqual(status, 0, stderr)
      return globSync(join(cache, "*.plan")).length
    }
    assert.deepStrictEqual([plans(), plans()], [1, 1])
    const first = join(folder, "dist/fhir2visit.mjs")
    writeFileSync(first, readFileSync(first, "utf8").replace("export{}", "export {}"))
    assert.strictEqual(plans(), 2)
    rmSync(folder, { recursive: true })
  })

  it("contains the program, mappings, samples and documentation, but no sources or tests", () => {
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
      assert.match(path, /^(?:dist\/|mappings\/|samples\/|docs\/|package\.json|README\.md|CHANGELOG\.md|LICENSE)/u)
    }
    assert.deepStrictEqual(paths.filter((path) => /\.map$|\.ts$|node_modules|\.sqlite/u.test(path)), [])
  })

  it("names every bundled package with its version, its licence and the licence's text", () => {
    const licences = readFileSync("dist/THIRD-PARTY-LICENSES", "utf8")
    const bundled = new Set<string>()
    for (const file of globSync("dist/*.mjs.map")) {
      const { sources } = readJson(Schema.Struct({ sources: Schema.Array(Schema.String) }), readFileSync(file, "utf8"))
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
      const [, rest] = licences.split(`\n${name} ${version}    `)
      assert.match(rest?.split("\n---")[0] ?? "", /^\S.*\n\n[\s\S]{100,}/u, folder)
    }
    const outside = Object.keys(manifest.dependencies)
    for (const name of outside) assert.notInclude(licences, `\n${name} `)
  })

  it("stops the build if a package has no licence text", () => {
    const folder = mkdtempSync(join(tmpdir(), "licences-"))
    mkdirSync(join(folder, "node_modules/none"), { recursive: true })
    writeFileSync(
      join(folder, "node_modules/none/package.json"),
      "{\"name\": \"none\", \"version\": \"1.0.0\", \"license\": \"MIT\"}"
    )
    writeFileSync(join(folder, "node_modules/none/index.js"), "")
    assert.throws(
      () => packagesOf([`${folder}/node_modules/none/index.js`]),
      "none 1.0.0 is in the bundle, but has no licence text (MIT)"
    )
    writeFileSync(join(folder, "node_modules/none/index.js"), "// node_modules/@away/gone/index.js\n")
    writeFileSync(join(folder, "node_modules/none/LICENSE"), "Do as you like.")
    assert.throws(() => packagesOf([`${folder}/node_modules/none/index.js`]), "@away/gone is in the bundle")
    rmSync(folder, { recursive: true })
    assert.strictEqual(packagesOf(["\0rolldown/runtime.js", `${process.cwd()}/src/main.ts`]).length, 0)
    const yaml = packagesOf([
      `${process.cwd()}/node_modules/yaml/dist/index.js`,
      `${process.cwd()}/node_modules/yaml/browser/index.js`
    ])
    assert.lengthOf(yaml, 1)
    assert.include(renderLicenses(yaml), "\nyaml ")
  })
})

describe("A release", () => {
  it("has a package, a bill of materials, and a provenance that names the package by its hash", () => {
    const folder = mkdtempSync(join(tmpdir(), "release-"))
    const made = spawnSync(process.execPath, ["tools/release.ts", folder], { encoding: "utf8" })
    assert.strictEqual(made.status, 0, made.stderr)
    const read = (end: string) =>
      JSON.parse(readFileSync(join(folder, `${manifest.name}-${manifest.version}.${end}.json`), "utf8"))
    const names = new Set(read("cdx").components.map(({ name }: { readonly name: string }) => name))
    for (const name of [...Object.keys(manifest.dependencies), "effect", "preact", "yaml"]) {
      assert.isTrue(names.has(name), name)
    }
    const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`)
    const digest = createHash("sha256").update(readFileSync(tarball)).digest("hex")
    assert.deepStrictEqual(read("provenance").subject, [
      { name: `${manifest.name}-${manifest.version}.tgz`, digest: { sha256: digest } }
    ])
    assert.include(readFileSync(join(folder, "SHA256SUMS"), "utf8"), digest)
    rmSync(folder, { recursive: true })
  })

  it("is listed in the changes, and installs only what the lock file names by hash", () => {
    assert.include(readFileSync("CHANGELOG.md", "utf8"), `\n## ${manifest.version} `)
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"))
    const unverified = Object.entries<any>(packages).filter(([path, { integrity, link }]) =>
      path.includes("node_modules/") && link !== true && integrity === undefined
    )
    assert.deepStrictEqual(unverified.map(([path]) => path), [])
    const steps = readFileSync("Containerfile", "utf8").split("\n").filter((line) => !line.startsWith("#")).join("\n")
    assert.notMatch(steps, /npm (?:install|i|add)\b/u)
    assert.match(steps, /npm ci --omit=dev/u)
  })
})
