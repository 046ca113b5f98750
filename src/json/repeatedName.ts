import { Tokens } from "./Tokens.ts"

/** Returns the first name that an object of a JSON text repeats, and its offset; `undefined` if there is none. */
export const repeatedName = (text: string): { readonly name: string; readonly at: number } | undefined => {
  const tokens = new Tokens(text)
  /** The names of the open objects; `null` for an array. */
  const open: Array<Set<string> | null> = []
  let last = { start: 0, end: 0 }
  for (;; last = { start: tokens.start, end: tokens.end }) {
    switch (tokens.next()) {
      case "end":
        return undefined
      case "{":
        open.push(new Set())
        break
      case "[":
        open.push(null)
        break
      case "}":
      case "]":
        open.pop()
        break
      case ":": {
        // A colon follows a name.
        const name = JSON.parse(text.slice(last.start, last.end)) as string
        const names = open.at(-1)
        if (names?.has(name) === true) return { name, at: last.start }
        names?.add(name)
      }
    }
  }
}
