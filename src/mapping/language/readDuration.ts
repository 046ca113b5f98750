import type { SyntaxEntry } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** Reads a duration and returns milliseconds: `30 minutes`, `2 hours`, `1 day`. */
export const readDuration = (reader: SyntaxReader, entry: SyntaxEntry | undefined, what: string): number => {
  if (entry === undefined) return 0
  const { value } = entry
  if (value.kind === "scalar" && value.value === 0) return 0
  const text = value.kind === "scalar" && typeof value.value === "string" ? value.value.trim() : ""
  const parts = /^(\d{1,5})\s*(minute|hour|day|week)s?$/u.exec(text)
  if (parts !== null) return Number(parts[1]) * units[parts[2] as keyof typeof units]
  reader.report("invalid-value", value.span, `${what} is not a length of time`, undefined, [
    "write a number and a unit: 30 minutes, 2 hours, 1 day, 1 week"
  ])
  return 0
}

const units = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }
