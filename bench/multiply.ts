import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { makeInput } from "./makeInput.ts"

/** A bulk export with complete records, if the development data is next to the project. */
const bulk = "../shared/data/bulk-synthea-60"

/** What is multiplied: the bulk export, or the samples. */
export type Multiplied = "bulk" | "samples"

/** The bulk export if it exists, or the samples. */
export const available = (): Multiplied => existsSync(bulk) ? "bulk" : "samples"

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu

/** A keyed permutation of 48-bit numbers: a different one for each copy, so no two copies share an id. */
const permuted = (digits: string, copy: number): string =>
  ((Number.parseInt(digits, 16) + copy * 0x5de_ece66d) % 2 ** 48).toString(16).padStart(12, "0")

/** Replaces Latin letters by Khmer ones, for the same records in a script with three bytes per letter. */
const khmer = (text: string): string =>
  text.replaceAll(/[A-Za-z]/gu, (letter) => String.fromCodePoint(0x1780 + (letter.charCodeAt(0) & 0x1f)))

const proseKeys = new Set(["display", "text", "family", "given", "title", "city", "line"])

const inKhmer = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => inKhmer(item, key))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inKhmer(inner, name)]))
  }
  return typeof value === "string" && proseKeys.has(key) ? khmer(value) : value
}

/** The script of names and texts. */
export type Script = "latin" | "khmer"

const inScript = (lines: string, script: Script): string =>
  script === "latin"
    ? lines
    : lines.split("\n").map((line) => line === "" ? "" : JSON.stringify(inKhmer(JSON.parse(line), ""))).join("\n")

/**
 * Writes a folder of NDJSON with `copies` copies of the bulk set, each with its own ids of the same length, or of the samples. Returns
 * the bytes written.
 */
export const multiply = async (
  folder: string,
  copies: number,
  script: Script,
  multiplied: Multiplied = available()
): Promise<number> => {
  mkdirSync(folder, { recursive: true })
  if (multiplied === "samples") {
    const file = join(folder, "all.ndjson")
    const bytes = await makeInput(file, copies * 12)
    if (script === "latin") return bytes
    const text = inScript(readFileSync(file, "utf8"), script)
    writeFileSync(file, text)
    return Buffer.byteLength(text)
  }
  let bytes = 0
  for (const name of readdirSync(bulk).filter((file) => file.endsWith(".ndjson.gz"))) {
    const text = gunzipSync(readFileSync(join(bulk, name))).toString("utf8")
    const lines = inScript(text, script)
    const out = createWriteStream(join(folder, name.slice(0, -3)))
    for (let copy = 0; copy < copies; copy++) {
      const made = lines.replaceAll(uuid, (id) => id.slice(0, 24) + permuted(id.slice(24), copy))
      bytes += Buffer.byteLength(made)
      if (!out.write(made)) await new Promise<void>((resolve) => out.once("drain", resolve))
    }
    await new Promise<void>((resolve) => out.end(() => resolve()))
  }
  return bytes
}
