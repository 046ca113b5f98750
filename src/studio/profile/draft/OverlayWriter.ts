/** Writes the lines of a mapping, each with its reason. */
export class OverlayWriter {
  readonly #root: Branch = new Map()

  /** Puts a value (as YAML) under a path of names; the first one that is put stays. */
  put(path: ReadonlyArray<string>, yaml: string, why?: string): void {
    this.#put(path, { yaml, ...(why === undefined ? {} : { why }) })
  }

  /** Puts a line that was guessed: its reason asks to verify it, and it is counted as doubtful. */
  doubt(path: ReadonlyArray<string>, yaml: string, why: string): void {
    this.#put(path, { yaml, why: `${why}: verify it`, doubtful: true })
  }

  #put(path: ReadonlyArray<string>, leaf: Leaf): void {
    let branch = this.#root
    for (const name of path.slice(0, -1)) {
      const next = branch.get(name)
      if (next instanceof Map) branch = next
      else if (next === undefined) {
        const made: Branch = new Map()
        branch.set(name, made)
        branch = made
      } else return
    }
    const name = path.at(-1)!
    if (!branch.has(name)) branch.set(name, leaf)
  }

  get isEmpty(): boolean {
    return this.#root.size === 0
  }

  /** The value under a path, as YAML. */
  at(path: ReadonlyArray<string>): string | undefined {
    let found: Leaf | Branch | undefined = this.#root
    for (const name of path) found = found instanceof Map ? found.get(name) : undefined
    return found instanceof Map ? undefined : found?.yaml
  }

  /** Puts another value in place of the one under a path. */
  replace(path: ReadonlyArray<string>, yaml: string, why?: string): void {
    let found: Leaf | Branch | undefined = this.#root
    for (const name of path.slice(0, -1)) found = found instanceof Map ? found.get(name) : undefined
    if (found instanceof Map) found.delete(path.at(-1)!)
    this.put(path, yaml, why)
  }

  /** Whether a line outside the declarations of tables has a word. */
  mentions(word: string): boolean {
    const has = (branch: Branch): boolean =>
      [...branch.values()].some((value) =>
        value instanceof Map ? has(value) : value.yaml.split(/[^\w`]+/u).includes(word)
      )
    return [...this.#root].some(([section, value]) => section !== "table" && value instanceof Map && has(value))
  }

  /** Rewrites the values of a section; gives whether one of them has changed. */
  rewrite(section: string, change: (yaml: string) => string): boolean {
    const walk = (branch: Branch): boolean =>
      [...branch].map(([name, value]) => {
        if (value instanceof Map) return walk(value)
        const yaml = change(value.yaml)
        if (yaml === value.yaml) return false
        branch.set(name, { ...value, yaml })
        return true
      }).includes(true)
    const root = this.#root.get(section)
    return root instanceof Map && walk(root)
  }

  /** The names under a section. */
  namesUnder(section: string): ReadonlyArray<string> {
    const branch = this.#root.get(section)
    return branch instanceof Map ? [...branch.keys()] : []
  }

  /** The sections with doubtful lines, by their first two names, each with its number of such lines. */
  doubtful(): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    const walk = (branch: Branch, path: ReadonlyArray<string>): void => {
      for (const [name, value] of branch) {
        if (value instanceof Map) walk(value, [...path, name])
        else if (value.doubtful === true) {
          const at = [...path, name].slice(0, 2).join(".")
          found.set(at, (found.get(at) ?? 0) + 1)
        }
      }
    }
    walk(this.#root, [])
    return found
  }

  /** The lines; sections in the order in which mappings are read. */
  toString(): string {
    const order = ["assumption", "table", "time", "constant", "conceptMap", "function", "grouping", "key", "visit"]
    return [...this.#root]
      .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
      .map(([name, value]) => linesOf(name, value, "").join("\n"))
      .join("\n")
  }
}

interface Leaf {
  readonly yaml: string
  readonly why?: string
  readonly doubtful?: true
}
type Branch = Map<string, Leaf | Branch>

const linesOf = (name: string, value: Leaf | Branch, indent: string): ReadonlyArray<string> => {
  const key = /^[A-Za-z_][\w-]*$/u.test(name) ? name : JSON.stringify(name)
  if (value instanceof Map) {
    return [`${indent}${key}:`, ...[...value].flatMap(([inner, child]) => linesOf(inner, child, `${indent}  `))]
  }
  return [...(value.why === undefined ? [] : [`${indent}# ${value.why}`]), `${indent}${key}: ${value.yaml}`]
}

/** A text as a YAML value on one line. */
export const quotedText = (text: string): string => JSON.stringify(text)
