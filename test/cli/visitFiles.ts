import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encodeVisit } from "../../src/visit/encode.ts"
import type { Say } from "../service/scripted.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"

/** The JSON of a valid, invented visit; every code in it and the patient are its own. */
export const visitJson = (number: number): string => {
  const own = String(number).padStart(6, "0")
  return encodeVisit(exampleVisit).replaceAll("V260301", `V${own}`).replaceAll("P26001001", `P${own}00`)
}

/** The text of a `facility.yaml` for a service at this address. */
export const settingsFor = (url: string, ...lines: ReadonlyArray<string>): string =>
  [
    "facility: HF0001",
    "system: SYS-1",
    "timezone: Asia/Phnom_Penh",
    `service: {baseUrl: "${url}", authUrl: "${url}"}`,
    ...lines
  ].join("\n")

/** A new folder with these settings, and with visits from 1 to a count in `visits.ndjson`. */
export const facilityFolder = (
  visits: number,
  settings: string
): { readonly folder: string; readonly file: string } => {
  const folder = mkdtempSync(join(tmpdir(), "facility-"))
  const file = join(folder, "visits.ndjson")
  writeFileSync(file, Array.from({ length: visits }, (_, at) => `${visitJson(at + 1)}\n`).join(""))
  writeFileSync(join(folder, "facility.yaml"), settings)
  return { folder, file }
}

/** The service stores a visit. */
export const stored = (code: string): Say => [
  200,
  { success: true, http_code: 200, message: "Save successfully", data: { status: 1, uuld: "u", visit_code: code } }
]

/** The service's list of visits. */
export const list = (rows: ReadonlyArray<object>, more: object = {}): Say => [
  200,
  { success: true, data: { current_page: 1, per_page: 100, last_page: 1, total: rows.length, data: rows, ...more } }
]

/** The JSON of a visit with a part of its text replaced. */
export const spoiled = (number: number, from: string | RegExp, to: string): string => {
  const json = visitJson(number)
  const changed = json.replace(from, to)
  if (changed === json) throw new Error(`nothing to spoil: ${from}`)
  return changed
}
