import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Packs the program into a folder, with its bill of materials (CycloneDX) and its provenance (in-toto statement, SLSA v1). The provenance
 * has the commit, the lock file and the Node version. Usage: `node tools/release.ts FOLDER`, after `npm ci` and `npm run build`.
 */
const [folder = "release"] = process.argv.slice(2)
const run = (command: string, ...parameters: ReadonlyArray<string>): string =>
  execFileSync(command, parameters, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).trim()
const sha256 = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"))
mkdirSync(folder, { recursive: true })
run("npm", "pack", "--ignore-scripts", "--pack-destination", folder)
const tarball = `${name}-${version}.tgz`

// The packages that the bundle contains are dependencies of the build, so all of the lock file is listed.
const materials = run("npm", "sbom", "--package-lock-only", "--sbom-format", "cyclonedx")
writeFileSync(join(folder, `${name}-${version}.cdx.json`), `${materials}\n`)

const digestOf = (file: string) => ({ sha256: sha256(file) })
const provenance = {
  _type: "https://in-toto.io/Statement/v1",
  subject: [{ name: tarball, digest: digestOf(join(folder, tarball)) }],
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "https://fhir2visit.example/build/npm-pack/v1",
      externalParameters: { command: "npm ci && npm run build && npm pack" },
      resolvedDependencies: [
        { name: "source", digest: { gitCommit: run("git", "rev-parse", "HEAD") } },
        { name: "package-lock.json", digest: digestOf("package-lock.json") },
        { name: "node", annotations: { version: process.version } }
      ]
    },
    runDetails: { builder: { id: "https://fhir2visit.example/ci/release" } }
  }
}
writeFileSync(join(folder, `${name}-${version}.provenance.json`), `${JSON.stringify(provenance, null, 2)}\n`)
writeFileSync(join(folder, "SHA256SUMS"), `${sha256(join(folder, tarball))}  ${tarball}\n`)
