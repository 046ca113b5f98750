import type { Collated } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { render } from "../../diagnostic/render/render.ts"
import { plain } from "../../diagnostic/render/Style.ts"
import { shownFile } from "../../diagnostic/Span.ts"
import type { Syntax } from "../../mapping/language/MappingSyntax.ts"
import type { MappingView, Mistake } from "../viewer/bench/Wire.ts"

/** Formats a collated problem for the page, as `mapping check` does. `texts`: the files of the mapping, by name. */
export const collatedMistake =
  (texts: ReadonlyMap<string, string>) => (collated: Collated): Mistake & { readonly count: number } => {
    const { mapping, severity, title } = collated.first
    return {
      severity,
      title,
      drawn: render(collated, { style: plain, textOf: (file) => texts.get(file), showValues: true }),
      at: mapping === undefined
        ? null
        : { ...mapping, name: shownFile(mapping.file), file: [...texts.keys()].indexOf(mapping.file) },
      count: collated.count
    }
  }

/** Formats one problem: see `collatedMistake`. */
export const mistakeOf = (texts: ReadonlyMap<string, string>) => (first: Diagnostic): Mistake =>
  collatedMistake(texts)({ first, count: 1, visits: 0 })

/** The names that a mapping declares, by the key of a line that takes one. */
export const mappingNamesOf = (syntax: Syntax | undefined): MappingView["names"] => {
  const below = (key: string): ReadonlyArray<string> => {
    const value = syntax?.kind === "map" ? syntax.entries.get(key)?.value : undefined
    return value?.kind === "map" ? [...value.entries.keys()] : []
  }
  return {
    conceptMap: below("conceptMap"),
    constant: below("constant"),
    function: below("function"),
    assume: below("assumption")
  }
}
