import { createWriteStream, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const samples = ["samples/inpatient-surgery-referral/input", "samples/clinic-day/input"]

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const linked = /^[A-Z][A-Za-z]+\/[^#|?]+$/u

/** A copy of a record with other ids: the same content for another patient and visit. */
const renamed = (value: Json, suffix: string, key: string): Json => {
  if (isList(value)) return value.map((item) => renamed(item, suffix, key))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        name === "value" && key === "identifier" && typeof inner === "string"
          ? inner + suffix
          : renamed(inner, suffix, name)
      ])
    )
  }
  if (typeof value !== "string") return value
  if (key === "reference" && linked.test(value)) return value + suffix
  return key === "id" ? value + suffix : value
}

/** Writes about `megabytes` of NDJSON: copies of the bundled samples, each with its own ids. Returns the bytes written. */
export const makeInput = async (file: string, megabytes: number): Promise<number> => {
  const records = samples.flatMap((folder) =>
    readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), "utf8").split("\n").filter((line) => line !== "").map((line): Json =>
        JSON.parse(line)
      )
    )
  )
  const out = createWriteStream(file)
  let bytes = 0
  for (let copy = 0; bytes < megabytes * 1_000_000; copy++) {
    const text = records.map((record) => `${JSON.stringify(renamed(record, `-${copy}`, ""))}\n`).join("")
    bytes += Buffer.byteLength(text)
    if (!out.write(text)) await new Promise<void>((resolve) => out.once("drain", resolve))
  }
  await new Promise<void>((resolve) => {
    out.end(() => resolve())
  })
  return bytes
}
