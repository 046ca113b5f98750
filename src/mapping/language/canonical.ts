import type { Syntax } from "./MappingSyntax.ts"

/** Returns the mapping's meaning as text: the same for any files and lines it is written in. */
export const canonical = (syntax: Syntax): string => {
  switch (syntax.kind) {
    case "scalar":
      return JSON.stringify(syntax.written ?? syntax.value)
    case "list":
      return `[${syntax.items.map(canonical).join(",")}]`
    case "map":
      return `{${
        [...syntax.entries].map(([key, { value }]) => `${JSON.stringify(key)}:${canonical(value)}`).join(",")
      }}`
  }
}
