import { encodeVisit } from "../../src/visit/encode.ts"
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

/** The same with a part of its text replaced. */
export const spoiled = (number: number, from: string | RegExp, to: string): string => {
  const json = visitJson(number)
  const changed = json.replace(from, to)
  if (changed === json) throw new Error(`nothing to spoil: ${from}`)
  return changed
}
