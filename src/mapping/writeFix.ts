import { isMap, parseDocument } from "yaml"
import type { Fix } from "../diagnostic/Fix.ts"

/** Returns a mapping's text with a line added; comments stay. `undefined` if the text is not YAML, or a parent of the line is not a map. */
export const writeFix = (text: string, { at, value }: Pick<Fix, "at" | "value">): string | undefined => {
  const document = parseDocument(text === "" ? "{}\n" : text)
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined
  for (let depth = 1; depth < at.length; depth++) {
    const above = document.getIn(at.slice(0, depth))
    if (above !== undefined && !isMap(above)) return undefined
  }
  document.setIn(at, typeof value === "object" ? document.createNode(value, { flow: true }) : value)
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}
