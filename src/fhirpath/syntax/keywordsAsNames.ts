/** FHIRPath keywords that cannot be names without backticks. */
const keyword =
  /(?<![\w`'%.])(?:as|is|in|and|or|xor|implies|contains|div|mod|(?:year|month|week|day|hour|minute|second|millisecond)s?)(?![\w`'(])/gu

/** Returns keywords that may be meant as names, in a text that is not an expression: a unit of time anywhere, or the whole text. */
export const keywordsAsNames = (text: string): ReadonlyArray<string> =>
  [...new Set(text.match(keyword) ?? [])].filter((word) =>
    /^(?:year|month|week|day|hour|minute|second)/u.test(word) || word === text
  )
