import { getOrMake } from "../../maps.ts"
import { isComponentKey, isFieldKey, remarkedWords, valueWords } from "../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull } from "../language/MappingSyntax.ts"

/**
 * Moves `assume` from the attributes of a field to the attribute it is about: `{default: Unknown, assume: NAME}` becomes `{default: {value:
 * Unknown, assume: NAME}}`. An overlay that changes the path or the value then does not keep the name of an outdated decision. If several
 * attributes are possible it is kept in place, and the check reports it.
 */
export const spreadAssumptions = (mapping: SyntaxMap): SyntaxMap => {
  const visit = mapping.entries.get("visit")
  if (visit?.value.kind !== "map") return mapping
  const spread = getOrMake(spreadMaps, visit.value, inComponent)
  return spread === visit.value
    ? mapping
    : { ...mapping, entries: new Map([...mapping.entries, ["visit", { ...visit, value: spread }]]) }
}

/** The results for what files state about the visit, so that the nodes of a base stay the same for all its overlays. */
const spreadMaps = new WeakMap<SyntaxMap, SyntaxMap>()

/** Spreads assumptions in the fields of a component, and in its branches. */
const inComponent = (map: SyntaxMap): SyntaxMap =>
  mapEntries(map, (name, value) => {
    if (value.kind !== "map") return value
    if (name === "unionAll") {
      return mapEntries(value, (_, branch) => branch.kind === "map" ? inComponent(branch) : branch)
    }
    return isComponentKey(name) ? value : inField(value)
  })

const inField = (map: SyntaxMap): SyntaxMap => {
  const assume = map.entries.get("assume")
  const hasRows = [...map.entries.keys()].some((word) => isComponentKey(word) && !isFieldKey(word))
  const [carrier, ...others] = valueWords.flatMap((word) => {
    const entry = map.entries.get(word)
    return entry === undefined || isNull(entry.value) ? [] : [{ word, entry }]
  })
  if (hasRows || (carrier === undefined && assume === undefined)) return inComponent(map)
  if (assume === undefined || carrier === undefined || others.length > 0) return map
  const { entry, word } = carrier
  const entries = new Map([...map.entries, [word, {
    ...entry,
    value: word === "path" ? withName(entry, assume, "path") : withName(entry, assume, "value")
  }]])
  entries.delete("assume")
  return { ...map, entries }
}

/** Adds the assumption's name to a path or a value. In a list of paths, each path without its own remark receives it. */
const withName = ({ key, value }: SyntaxEntry, assume: SyntaxEntry, word: "path" | "value"): Syntax => {
  if (value.kind === "list") {
    return {
      ...value,
      items: value.items.map((item) =>
        item.kind === "scalar" ? withName({ key: item.span, value: item }, assume, word) : item
      )
    }
  }
  if (value.kind === "scalar") {
    return { kind: "map", span: value.span, entries: new Map([[word, { key, value }], ["assume", assume]]) }
  }
  const isOne = [...value.entries.keys()].every((name) => remarkedWords.has(name))
  if (!isOne) {
    return mapEntries(
      value,
      (_, item, at) => item.kind === "map" ? item : withName({ key: at, value: item }, assume, word)
    )
  }
  const entries = new Map([...value.entries, ["assume", assume]])
  entries.delete("warn")
  return { ...value, entries }
}

const mapEntries = (
  map: SyntaxMap,
  change: (name: string, value: Syntax, key: SyntaxEntry["key"]) => Syntax
): SyntaxMap => {
  let changed: Map<string, SyntaxEntry> | undefined
  for (const [name, { key, value }] of map.entries) {
    const now = change(name, value, key)
    if (now !== value) (changed ??= new Map(map.entries)).set(name, { key, value: now })
  }
  return changed === undefined ? map : { ...map, entries: changed }
}
