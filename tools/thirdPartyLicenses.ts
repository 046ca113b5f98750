import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Plugin } from "rolldown"
import { at } from "../src/at.ts"
import { jsonObjectOf } from "../src/json/JsonObject.ts"

/** A package whose code is in the bundle. */
export interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

/**
 * Writes `THIRD-PARTY-LICENSES` next to the bundle: each bundled package with its version, its licence and the licence's text. A package
 * without a text stops the build, because a person must find it.
 */
export const thirdPartyLicenses = (): Plugin => {
  // Collected over all bundles: the last bundle writes the complete file.
  const ids = new Set<string>()
  return {
    name: "third-party-licenses",
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type === "chunk") output.moduleIds.forEach((id) => ids.add(id))
      }
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES", source: renderLicenses(packagesOf([...ids])) })
    }
  }
}

/** The packages of the modules, also those that were bundled into a module before, sorted by name. */
export const packagesOf = (ids: ReadonlyArray<string>): ReadonlyArray<Package> => {
  const folders = new Set<string>()
  for (const id of ids) {
    const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(id.replaceAll("\\", "/")) ?? []
    if (folder === undefined) continue
    folders.add(folder)
    for (const name of bundledBefore(readFileSync(id, "utf8"))) folders.add(folderOf(name, id))
  }
  const packages = new Map([...folders].map(readPackage).map((one) => [`${one.name} ${one.version}`, one]))
  return [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The packages inside a module that is itself a bundle: bundlers write each module's path above its code. */
const bundledBefore = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^ *\/\/ node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gmu)].map((match) => at(match, 1)))

/** The folder of a package, resolved from a module. */
const folderOf = (name: string, seenFrom: string): string => {
  const places = createRequire(seenFrom).resolve.paths(name) ?? []
  const found = places.map((place) => join(place, name)).find((folder) =>
    textOf(join(folder, "package.json")) !== undefined
  )
  if (found === undefined) throw new Error(`${name} is in the bundle (from ${seenFrom}), but not installed`)
  return found
}

const readPackage = (folder: string): Package => {
  const { license, name, version } = jsonObjectOf(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")))
  if (typeof name !== "string" || typeof version !== "string" || typeof license !== "string") {
    throw new Error(`${folder}/package.json names no package, version and licence`)
  }
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/iu.test(file)).toSorted()
  const text = texts.length > 0
    ? texts.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n")
    : textOf(join(import.meta.dirname, "licenses", `${name.replace("/", "+")}.txt`))?.trim()
  if (text === undefined) {
    throw new Error(`${name} ${version} is in the bundle, but has no licence text (${license})`)
  }
  return { name, version, license, text }
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

export const renderLicenses = (packages: ReadonlyArray<Package>): string =>
  [
    "This program contains code of the packages below, each under its own licence.",
    ...packages.map(({ license, name, text, version }) =>
      `${"-".repeat(100)}\n${name} ${version}    ${license}\n\n${text}`
    )
  ].join("\n\n") + "\n"
