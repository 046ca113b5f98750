/** Writes Latin letters as ASCII: `prénom` as `prenom`, `số` as `so`. Marks of other scripts are kept, because they change the word. */
export const plainLatin = (text: string): string =>
  text.normalize("NFD").replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1").normalize("NFC")
    .replaceAll(/[đĐłŁøØßœŒæÆıþÞð]/gu, (letter) => otherLetters.get(letter) ?? letter)

/** Each letter, with those that stand for it. */
const otherLetters: ReadonlyMap<string, string> = new Map(
  "đd ĐD łl ŁL øo ØO ßss œoe ŒOE æae ÆAE ıi þth ÞTH ðd".split(" ").map((pair) =>
    [pair.charAt(0), pair.slice(1)] as const
  )
)
