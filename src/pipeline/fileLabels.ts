import { typeOf } from "../source/LaterRecord.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"

/**
 * File names as they may be shown. Exports are often named after the patient (`Ann_Example_5b1e.json`): words of a file's name
 * that are a name of a patient in that file are shown as `*`.
 */
export class FileLabels {
  readonly #labels = new Map<string, string>()

  /** Learns from a record that was read; only Patients say anything. */
  learn(record: SourceRecord): void {
    if (typeOf(record) !== "Patient") return
    const { file } = record.origin
    const label = this.#labels.get(file) ?? file
    const masked = mask(label, nameWords(record.resource.name))
    if (masked !== file) this.#labels.set(file, masked)
  }

  of(file: string): string {
    return this.#labels.get(file) ?? file
  }
}

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

const nameWords = (names: unknown): ReadonlySet<string> => {
  const words = new Set<string>()
  const add = (value: unknown): void => {
    if (typeof value === "string") {
      for (const word of fold(value).split(/[^\p{L}\p{N}]+/u)) if (word.length > 1) words.add(word)
    }
    if (Array.isArray(value)) { for (const item of value) add(item) }
  }
  for (const name of Array.isArray(names) ? names : [names]) {
    if (typeof name !== "object" || name === null) continue
    const { family, given, text } = name as {
      readonly family?: unknown
      readonly given?: unknown
      readonly text?: unknown
    }
    add(family)
    add(given)
    add(text)
  }
  return words
}

const mask = (file: string, words: ReadonlySet<string>): string => {
  const cut = file.lastIndexOf("/") + 1
  return file.slice(0, cut) +
    file.slice(cut).replace(/[\p{L}\p{M}\p{N}]+/gu, (word) => (words.has(fold(word)) ? "*" : word))
}
