import { quoteKey } from "../../../mapping/language/quoteKey.ts"
import { increment } from "../../../maps.ts"
/** A mapping overlay while it is drafted: its lines, each with its reason, and what the lines leave open. */
export class Draft {
  readonly #root: Branch = new Map()
  /** Fields that get a substitute or a placeholder, because the data never has a value for them. */
  readonly substitutes: Array<string> = []
  /** Problems that no mapping line can solve, and who can solve them. */
  readonly notes: Array<string> = []
  /** Questions that only people can answer; the drafted lines are marked as questions. */
  readonly questions: Array<string> = []

  /** Puts a value (as YAML) under a path of keys. If the path already has a value, that value stays. */
  put(path: ReadonlyArray<string>, yaml: string, why?: string): void {
    putInto(this.#root, path, { yaml, ...(why === undefined ? {} : { why }) })
  }

  /** Puts a line that was guessed: its reason asks to verify it, and it is counted as doubtful. */
  doubt(path: ReadonlyArray<string>, yaml: string, why: string): void {
    putInto(this.#root, path, { yaml, why: `${why}: verify it`, mark: "doubtful" })
  }

  /** Puts a row that translates a code to ICD-10; a coding expert must confirm it. */
  propose(path: ReadonlyArray<string>, code: string, why: string): void {
    putInto(this.#root, path, {
      yaml: quotedText(code),
      why: `${why}a proposal of \`us-synthetic\`: confirm it`,
      mark: "proposal"
    })
  }

  /** Puts a line that people must confirm. `init` also prints its question. */
  ask(path: ReadonlyArray<string>, yaml: string, question: string): void {
    this.questions.push(question)
    this.put(path, yaml, `QUESTION ${question}`)
  }

  /** Asks a question for which no line is drafted; `answer` is how to do so. */
  askWithoutLine(question: string, answer: string): void {
    this.questions.push(question)
    this.notes.push(`QUESTION ${question}. ${answer}`)
  }

  /** Puts a substitute or a placeholder for a value that the data never has. */
  substitute(path: ReadonlyArray<string>, yaml: string, why: string): void {
    this.substitutes.push(path.slice(1).join("."))
    this.put(path, yaml, `assumption: ${why}`)
  }

  /** Writes the lines under one path. */
  section(...path: ReadonlyArray<string>): DraftSection {
    return {
      put: (key, yaml, why) => this.put([...path, key].flat(), yaml, why),
      doubt: (key, yaml, why) => this.doubt([...path, key].flat(), yaml, why)
    }
  }

  get isEmpty(): boolean {
    return this.#root.size === 0
  }

  #find(path: ReadonlyArray<string>): Leaf | Branch | undefined {
    let found: Leaf | Branch | undefined = this.#root
    for (const key of path) found = found instanceof Map ? found.get(key) : undefined
    return found
  }

  /** The value under a path, as YAML. */
  at(path: ReadonlyArray<string>): string | undefined {
    const found = this.#find(path)
    return found instanceof Map ? undefined : found?.yaml
  }

  /** Removes what is under a path, so that another value can be put there. */
  remove(path: ReadonlyArray<string>): void {
    const branch = this.#find(path.slice(0, -1))
    const key = path.at(-1)
    if (branch instanceof Map && key !== undefined) branch.delete(key)
  }

  /** Whether a line at or under a path contains a word. A line that only looks for words of cancelled rows does not count. */
  mentionsUnder(path: ReadonlyArray<string>, word: string): boolean {
    const found = this.#find(path)
    return found !== undefined && hasWord(found, word)
  }

  /** Rewrites the values of a section. Returns whether one of them has changed. */
  rewrite(section: string, change: (yaml: string) => string): boolean {
    let isChanged = false
    const walk = (branch: Branch): void => {
      for (const [key, value] of branch) {
        if (value instanceof Map) walk(value)
        else {
          const yaml = change(value.yaml)
          isChanged ||= yaml !== value.yaml
          branch.set(key, { ...value, yaml })
        }
      }
    }
    const root = this.#root.get(section)
    if (root instanceof Map) walk(root)
    return isChanged
  }

  /** The keys under a section. */
  keysUnder(section: string): ReadonlyArray<string> {
    const branch = this.#root.get(section)
    return branch instanceof Map ? [...branch.keys()] : []
  }

  /** Counts the lines with a mark, by the first two keys of their paths. */
  marked(mark: Mark): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    const walk = (branch: Branch, path: ReadonlyArray<string>): void => {
      for (const [key, value] of branch) {
        if (value instanceof Map) walk(value, [...path, key])
        else if (value.mark === mark) {
          const at = [...path, key].slice(0, 2).join(".")
          increment(counts, at)
        }
      }
    }
    walk(this.#root, [])
    return counts
  }

  /** The lines as YAML, the sections in the order in which mappings are read. */
  toString(): string {
    const order = ["assumption", "table", "time", "constant", "conceptMap", "function", "grouping", "key", "visit"]
    return [...this.#root]
      .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
      .map(([name, value]) => linesOf(name, value, "").join("\n"))
      .join("\n")
  }
}

/** The lines under one path of a draft; a key is one or several levels deep. */
export interface DraftSection {
  readonly put: (key: string | ReadonlyArray<string>, yaml: string, why?: string) => void
  readonly doubt: (key: string | ReadonlyArray<string>, yaml: string, why: string) => void
}

interface Leaf {
  readonly yaml: string
  readonly why?: string
  readonly mark?: Mark
}
type Mark = "doubtful" | "proposal"
type Branch = Map<string, Leaf | Branch>

const hasWord = (found: Leaf | Branch, word: string): boolean =>
  found instanceof Map
    ? [...found.values()].some((value) => hasWord(value, word))
    : !found.yaml.includes("word_for_cancelled") && found.yaml.split(/[^\w`$]+/u).includes(word)

const putInto = (branch: Branch, [key, ...rest]: ReadonlyArray<string>, leaf: Leaf): void => {
  if (key === undefined) return
  if (!branch.has(key)) branch.set(key, rest.length === 0 ? leaf : new Map())
  const found = branch.get(key)
  if (found instanceof Map) putInto(found, rest, leaf)
}

const linesOf = (name: string, value: Leaf | Branch, indent: string): ReadonlyArray<string> => {
  const key = quoteKey(name)
  if (value instanceof Map) {
    return [`${indent}${key}:`, ...[...value].flatMap(([inner, child]) => linesOf(inner, child, `${indent}  `))]
  }
  return [...(value.why === undefined ? [] : [`${indent}# ${value.why}`]), `${indent}${key}: ${value.yaml}`]
}

/** A text as a YAML value on one line. */
export const quotedText = (text: string): string => JSON.stringify(text)
