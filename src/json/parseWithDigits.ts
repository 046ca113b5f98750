import { fromText } from "./Decimal.ts"
import { countNames } from "./parseRecord.ts"
import { repeatedName } from "./repeatedName.ts"
import { scanValue } from "./scanJson.ts"

/** Maximum nesting. A deeper value would overflow the stack of whatever walks over it. */
const maxDepth = 1000

/**
 * Parses JSON text and keeps the digits of every number: a number that JavaScript would write differently (`7.20`, twenty digits) becomes
 * raw JSON. A repeated name in an object is a fault, because readers differ in which value counts. The fault shows the location, never the
 * text; `repeated` is the name, which may be data.
 */
export const parseWithDigits = (text: string):
  | { readonly value: unknown }
  | { readonly fault: string; readonly repeated?: string } =>
{
  const bytes = Buffer.from(text)
  const { depth, lossy, names } = scanValue(bytes, 0, bytes.length)
  /** Each is an object with one name. */
  let rawNumbers = 0
  const revive = (_: string, value: unknown, { source }: { readonly source?: string }): unknown => {
    if (typeof value !== "number" || source === undefined || String(value) === source) return value
    const decimal = fromText(source)
    if (typeof decimal === "object") rawNumbers++
    return decimal ?? value
  }
  try {
    const value: unknown = lossy === undefined || depth > maxDepth ? JSON.parse(text) : JSON.parse(text, revive)
    if (depth > maxDepth) return { fault: `the text is nested deeper than ${maxDepth} levels` }
    const repeated = countNames(value) === names + rawNumbers ? undefined : repeatedName(text)
    return repeated === undefined
      ? { value }
      : { fault: `an object has a key twice, at character ${repeated.at + 1}`, repeated: repeated.name }
  } catch (error) {
    const place = /position (\d+)/.exec(String(error))?.[1]
    return { fault: `the text is not JSON${place === undefined ? "" : `, at character ${Number(place) + 1}`}` }
  }
}
