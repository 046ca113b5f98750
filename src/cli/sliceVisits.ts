/** Where a visit's text stands in a document. */
export interface Slice {
  readonly start: number
  readonly end: number
}

/**
 * The visits of a JSON document, each as it is written: the elements of the top-level `visits`, of a top-level array, or the
 * document itself when it is another object. `"no object"` for a document that is no object and no array, `"no list"` where `visits` is no
 * array. The text must parse.
 */
export const sliceVisits = (json: string): ReadonlyArray<Slice> | "no object" | "no list" => {
  const scanner = new Scanner(json)
  scanner.blanks()
  const first = json[scanner.at]
  if (first === "[") return scanner.elements()
  if (first !== "{") return "no object"
  const start = scanner.at
  let visits: ReadonlyArray<Slice> | "no list" | undefined
  scanner.at++
  for (scanner.blanks(); json[scanner.at] !== "}"; scanner.blanks()) {
    if (json[scanner.at] === ",") {
      scanner.at++
      scanner.blanks()
    }
    const from = scanner.at
    scanner.value()
    const key: unknown = JSON.parse(json.slice(from, scanner.at))
    scanner.blanks()
    scanner.at++
    scanner.blanks()
    const isVisits = key === "visits"
    if (isVisits && json[scanner.at] === "[") visits = scanner.elements()
    else {
      if (isVisits) visits = "no list"
      scanner.value()
    }
  }
  return visits ?? [{ start, end: scanner.at + 1 }]
}

/** Walks over JSON that is known to parse. */
class Scanner {
  readonly json: string
  at = 0

  constructor(json: string) {
    this.json = json
  }

  blanks(): void {
    while (this.json.charCodeAt(this.at) <= 32 || this.json[this.at] === "\uFEFF") this.at++
  }

  /** Moves past one value. Nesting is counted, not recursed into. */
  value(): void {
    let depth = 0
    do {
      const character = this.json[this.at]
      if (character === "\"") this.#string()
      else {
        if (character === "{" || character === "[") depth++
        else if (character === "}" || character === "]") depth--
        else if (depth === 0) {
          while (this.at < this.json.length && !/[\s,\]}]/.test(this.json[this.at]!)) this.at++
          return
        }
        this.at++
      }
    } while (depth > 0 && this.at < this.json.length)
  }

  /** The elements of the array that begins here; moves past it. */
  elements(): ReadonlyArray<Slice> {
    const slices: Array<Slice> = []
    this.at++
    for (this.blanks(); this.json[this.at] !== "]"; this.blanks()) {
      if (this.json[this.at] === ",") {
        this.at++
        this.blanks()
      }
      const start = this.at
      this.value()
      slices.push({ start, end: this.at })
    }
    this.at++
    return slices
  }

  #string(): void {
    for (this.at++; this.json[this.at] !== "\""; this.at++) if (this.json[this.at] === "\\") this.at++
    this.at++
  }
}
