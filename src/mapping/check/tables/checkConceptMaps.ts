import { plural } from "../../../diagnostic/count.ts"
import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import { withoutAbsent } from "../../../objects.ts"
import type { ReferenceListType } from "../../../visit/Field.ts"
import { referenceListTypes } from "../../../visit/Field.ts"
import { asListed, codeListed, type ReferenceList, type ReferenceLists } from "../../../visit/values/ReferenceList.ts"
import type { ConceptMap } from "../../codes/ConceptMap.ts"
import { conceptMapKeys, conceptRowKeys, unmappedModes } from "../../language/grammar/conceptMapGrammar.ts"
import { asKey, keysOf, readValues } from "../../language/grammar/Kind.ts"
import type { Syntax, SyntaxEntry } from "../../language/MappingSyntax.ts"
import { isNull } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { ValueRemark } from "../../MappingPlan.ts"
import { reportSeparator, reportSystem } from "../expressions/checkSystems.ts"
import { nearListed } from "../nearListed.ts"

/**
 * Reads `conceptMap:`: each table with its policy for unmapped codes. If the list of standard data is loaded,
 * its values get the list's spelling; a value that is not in the list is a warning.
 */
export const checkConceptMaps = (
  reader: SyntaxReader,
  syntax: Syntax | undefined,
  lists: ReferenceLists | undefined
): ReadonlyMap<string, ConceptMap> => {
  const maps = new Map<string, ConceptMap>()
  const map = syntax === undefined ? undefined : reader.map(syntax, "`conceptMap`")
  for (const [name, { key, value }] of map?.entries ?? []) {
    const table = isNull(value)
      ? undefined
      : reader.names(value, `the concept map \`${name}\``, keysOf(conceptMapKeys))
    if (table === undefined) {
      maps.set(name, { name, span: key, rows: new Map(), unmapped: conceptMapKeys.unmapped.default.unmapped })
      continue
    }
    const rows = new Map<string, string>()
    const spans = new Map<string, Span>()
    const assumed = new Map<string, ValueRemark>()
    const { list, otherSystem, send, system, table: tableEntry, unmapped: policy, values } = readValues(
      reader,
      conceptMapKeys,
      table
    )
    const systems = (system ?? []).map(({ span, value: url }) => {
      reportSystem(reader, String(url), span)
      return String(url)
    })
    const otherEntry = table.entries.get("otherSystem")
    if (otherEntry !== undefined && otherSystem !== undefined && !table.entries.has("system")) {
      reader.report("missing-key", otherEntry.key, `\`otherSystem\` of \`${name}\` needs \`system\``, {
        help: ["name the code systems of the codes:  system: URL"]
      })
    }
    const standard = list === undefined ? undefined : lists?.get(list)
    const sendsCodes = send === "code"
    if (sendsCodes && standard === undefined) {
      reader.report(
        list === undefined ? "missing-key" : "invalid-value",
        table.entries.get("send")?.value.span ?? table.span,
        list === undefined
          ? `the concept map \`${name}\` has no \`list\` whose codes it could send`
          : `the list \`${list}\`, whose codes are to be sent, is not downloaded`,
        { help: [list === undefined ? `add  list: ${referenceListTypes[0]}` : "fhir2visit codes pull  fetches it"] }
      )
    }
    const spell = list === undefined || standard === undefined
      ? undefined
      : speller(reader, name, list, standard, sendsCodes)
    const rowMap = tableEntry === undefined || isNull(tableEntry.value)
      ? undefined
      : reader.map(tableEntry.value, "`table`")
    const keywords: Array<readonly [word: string, span: Span]> = []
    const odd: Array<{ readonly code: string; readonly span: Span }> = []
    for (const [code, row] of rowMap?.entries ?? []) {
      // As an overlay has written it.
      const written = code.startsWith("*|") ? code.slice(2) : code
      const isKeyword = isMeantAsWord(written, row)
      if (isKeyword) keywords.push([written, row.key])
      if (isOdd(written)) odd.push({ code: written, span: row.key })
      reportSeparator(reader, written, row.key)
      if (code.includes("|") && !code.startsWith("*|")) {
        reportSystem(reader, code.slice(0, code.lastIndexOf("|")), row.key)
      }
      if (isNull(row.value)) continue
      if (isKeyword && row.value.kind !== "scalar") continue
      const long = row.value.kind === "map"
        ? reader.map(row.value, `the row \`${code}\``, keysOf(conceptRowKeys))
        : undefined
      if (long !== undefined && !long.entries.has("value")) {
        reader.report("missing-key", row.key, `the row \`${code}\` needs its \`value\``)
      }
      const { value: target } = readValues(
        reader,
        conceptRowKeys,
        long ?? asKey("value", row),
        { value: `the value of \`${code}\`` }
      )
      if (target === undefined) continue
      const { span } = target
      reader.warnOfQuotes(target.value, span)
      const spelt = spell?.(target.value, span) ?? target.value
      rows.set(code, spelt)
      if (!spans.has(spelt)) spans.set(spelt, span)
      const remark = long === undefined ? undefined : reader.remark(long)
      if (remark?.assume !== undefined) assumed.set(code, { ...remark, span })
    }
    for (const [word, span] of keywords) {
      reader.warn(
        "invalid-value",
        span,
        `\`${word}\` is listed among the codes of \`${name}\``,
        {
          help: [`as a keyword, put it directly under the concept map, not under \`table:\`:  {table: {…}, ${word}: …}`]
        }
      )
    }
    for (const [code, { key }] of rowMap?.entries ?? []) {
      if (!othersWords.has(code.replace("*|", ""))) continue
      reader.warn("invalid-value", key, `\`${code.replace("*|", "")}\` is a code like any other in \`${name}\``, {
        help: ["for other codes, set  unmapped: {fixed: VALUE}  next to `table:`, not in it"]
      })
    }
    const [first] = odd
    if (first !== undefined) {
      reader.warn(
        "invalid-value",
        first.span,
        `${plural(odd.length, "code")} of the concept map \`${name}\` ${
          odd.length === 1 ? "has" : "have"
        } white space at an end, or invisible characters`,
        {
          label: odd.length === 1 ? undefined : "the first",
          help: [`no code of a source is equal to it; write  ${JSON.stringify(first.code.replace(unseen, "").trim())}`]
        }
      )
    }
    const { assumed: unmappedAssumed, fixedSpan } = policy
    let { unmapped } = policy
    if (unmapped.mode === "fixed" && fixedSpan !== undefined) {
      reader.warnOfQuotes(unmapped.value, fixedSpan)
      unmapped = { mode: "fixed", value: spell?.(unmapped.value, fixedSpan) ?? unmapped.value }
      if (!spans.has(unmapped.value)) spans.set(unmapped.value, fixedSpan)
    }
    const compared = values?.map(({ value }) => String(value))
    if (compared !== undefined) {
      reportOtherValues(
        reader,
        spans,
        compared,
        (value) => `the concept map \`${name}\` gives \`${value}\`, which is not one of its \`values\``
      )
    }
    maps.set(name, {
      name,
      span: key,
      rows,
      spans,
      ...(assumed.size === 0 ? {} : { assumed }),
      ...(systems.length === 0 ? {} : { systems: new Set(systems) }),
      ...(systems.length === 0 || otherSystem === undefined ? {} : { otherSystem }),
      unmapped,
      ...withoutAbsent({ unmappedAssumed, list, standard, values: compared }),
      ...(sendsCodes ? { sendsCodes } : {})
    })
  }
  return linkOthers(reader, maps, map?.entries)
}

/** Reports the values of a concept map that are not among those it can have. */
export const reportOtherValues = (
  reader: SyntaxReader,
  spans: ReadonlyMap<string, Span>,
  values: ReadonlyArray<string>,
  title: (value: string) => string
): void => {
  for (const [value, span] of spans) {
    if (values.includes(value)) continue
    const near = suggest(value, values)
    reader.report("invalid-value", span, title(value), {
      label: didYouMean(near),
      help: [`one of: ${values.join(", ")}`]
    })
  }
}

/** Returns whether an entry among the codes is a concept map key, indented one step too far: its value is valid for that key. */
const isMeantAsWord = (code: string, { value }: SyntaxEntry): boolean => {
  const text = value.kind === "scalar" ? String(value.value) : undefined
  switch (code) {
    case "unmapped":
      return text === undefined || unmappedModes.some((mode) => mode === text)
    case "list":
      return text !== undefined && referenceListTypes.some((type) => type === text)
    case "file":
      return value.kind === "list" || /\.(?:csv|json)$/u.test(text ?? "")
    case "system":
      return value.kind === "list" || /^[a-z]+:\S+$/u.test(text ?? "")
    case "otherSystem":
      return value.kind === "map"
    case "table":
      return value.kind === "map"
    default:
      return false
  }
}

/** Words for all other codes in tables of other programs. No code system has them. */
const othersWords: ReadonlySet<string> = new Set(["*", "default", "else", "otherwise"])

/** Invisible characters. They are valid between the words of a script that writes no spaces. */
const unseen = /[\u200B-\u200F\u2060\uFEFF\u00AD]/gu
const withoutSpaces = /[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}]/u
const isOdd = (code: string): boolean =>
  code.trim() !== code || /^[\u200B-\u200F\u2060]|[\u200B-\u200F\u2060]$/u.test(code) ||
  (code.search(unseen) >= 0 && !withoutSpaces.test(code))

/** Converts a value to the spelling of its list; reports each value that is not in the list once. */
type Speller = (value: string, span: Span) => string

/** Maximum of wrong values with a suggestion. Searching a list of thousands for a similar name is slow. */
const suggestions = 20

/** Returns a function that looks up each value of the concept map `name` in a list, and returns its code if codes are sent. */
export const speller = (
  reader: SyntaxReader,
  name: string,
  type: ReferenceListType,
  list: ReferenceList,
  sendsCodes = false
): Speller => {
  const reported = new Set<string>()
  return (value, span) => {
    const spelt = asListed(list, value)
    const sent = sendsCodes ? codeListed(list, value) : spelt
    if (sent !== undefined) return sent
    if (reported.has(value)) return value
    reported.add(value)
    if (spelt !== undefined) {
      return reader.warn("unknown-list-value", span, `the list \`${type}\` has no code, or several, for \`${spelt}\``, {
        help: ["write the code in place of the name"]
      }) ?? spelt
    }
    const label = nearListed(value, list, type, { searched: reported.size <= suggestions })
    reader.warn(
      "unknown-list-value",
      span,
      `the concept map \`${name}\` gives \`${value}\`, which is not in the list \`${type}\``,
      { label, help: [`fhir2visit codes search ${type} TEXT  finds what the list has`] }
    )
    return value
  }
}

/** Returns the node in which a concept map names its fallback concept map. */
const otherOf = (syntax: Syntax | undefined): Syntax | undefined => {
  const unmapped = syntax?.kind === "map" ? syntax.entries.get("unmapped")?.value : undefined
  return unmapped?.kind === "map" ? unmapped.entries.get("table")?.value : undefined
}

const linkOthers = (
  reader: SyntaxReader,
  maps: ReadonlyMap<string, ConceptMap>,
  entries: ReadonlyMap<string, SyntaxEntry> | undefined
): ReadonlyMap<string, ConceptMap> => {
  const linked = new Map<string, ConceptMap>()
  const link = (name: string, above: ReadonlyArray<string>): ConceptMap | undefined => {
    const done = linked.get(name)
    if (done !== undefined) return done
    const map = maps.get(name)
    if (map === undefined || map.unmapped.mode !== "other-map") {
      if (map !== undefined) linked.set(name, map)
      return map
    }
    const next = map.unmapped.name
    if (above.includes(next) || next === name || !maps.has(next)) {
      const near = maps.has(next) ? undefined : suggest(next, [...maps.keys()].filter((other) => other !== name))
      reader.report(
        "unknown-concept-map",
        otherOf(entries?.get(name)?.value)?.span ?? map.span,
        maps.has(next)
          ? `the concept maps ${[...above, name, next].join(", ")} end in a circle`
          : `no concept map is called \`${next}\``,
        {
          label: didYouMean(near),
          help: maps.has(next)
            ? ["the look-up would never end: set  unmapped: warn  on the last of them"]
            : []
        }
      )
      linked.set(name, map)
      return map
    }
    const other = link(next, [...above, name])
    const result: ConceptMap = other === undefined ? map : { ...map, other }
    linked.set(name, result)
    return result
  }
  for (const name of maps.keys()) link(name, [])
  return linked
}
