import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { jsonObjectOf, oneOrMore } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { recordTypeOf } from "../../source/records/LazyRecord.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/**
 * File names in a form that may be shown. Exports are often named after the patient (`Ann_Example_5b1e.json`). Words of a file name that
 * are a name of a patient in that file are shown as `*`.
 */
export class FileLabels {
  readonly #hidden = new Map<string, Set<string>>()

  /** Collects names from a record that was read; only Patients have any. */
  learn(record: SourceRecord): void {
    if (recordTypeOf(record) !== "Patient") return
    const { file } = record.origin
    const names = nameWords(record.resource.name)
    this.hide(file, wordsOf(file).filter((word) => names.has(word)))
  }

  /** Adds words that another thread collected. */
  hide(file: string, words: ReadonlyArray<string>): void {
    if (words.length === 0) return
    const known = getOrMake(this.#hidden, file, () => new Set())
    for (const word of words) known.add(word)
  }

  /** The words of a file's name that are not shown. */
  hidden(file: string): ReadonlyArray<string> {
    return [...this.#hidden.get(file) ?? []]
  }

  /** The words of every name that are not shown. */
  all(): ReadonlyArray<readonly [file: string, words: ReadonlyArray<string>]> {
    return [...this.#hidden].map(([file, words]) => [file, [...words]])
  }

  /** Returns a diagnostic with its file names in a form that may be shown. */
  about<A extends Pick<Diagnostic, "origin" | "facts">>(about: A): A {
    if (this.#hidden.size === 0) return about
    return {
      ...about,
      ...(about.origin === undefined ? {} : { origin: { ...about.origin, file: this.of(about.origin.file) } }),
      ...(about.facts === undefined ? {} : {
        facts: about.facts.map(([name, text]) => [name, locationFacts.has(name) ? this.#ofLocation(text) : text])
      })
    }
  }

  /** `file:line`. */
  #ofLocation(location: string): string {
    const end = location.lastIndexOf(":")
    return `${this.of(location.slice(0, end))}${location.slice(end)}`
  }

  of(file: string): string {
    const words = this.#hidden.get(file)
    return words === undefined ? file : mask(file, words)
  }
}

/** Facts that are the source location of another record. */
const locationFacts: ReadonlySet<string> = new Set(["deleted", "other", "used"])

const wordsOf = (file: string): ReadonlyArray<string> =>
  (file.slice(file.lastIndexOf("/") + 1).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(fold)

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

const nameWords = (names: unknown): ReadonlySet<string> => {
  const words = new Set<string>()
  const add = (value: unknown): void => {
    if (typeof value === "string") {
      for (const word of fold(value).split(/[^\p{L}\p{N}]+/u)) if (word.length > 1) words.add(word)
    }
    if (Array.isArray(value)) { for (const item of value) add(item) }
  }
  for (const name of oneOrMore(names)) {
    const { family, given, text } = jsonObjectOf(name)
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
