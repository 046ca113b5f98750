/** Writes Latin letters as ASCII: `prénom` as `prenom`, `số` as `so`. Marks of other scripts are kept, because they change the word. */
export const plainLatin = (text: string): string =>
  text.normalize("NFD").replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1").normalize("NFC")
    .replaceAll(/[đĐłŁøØßœŒæÆıþÞð]/gu, (letter) => otherLetters[letter] ?? letter)

const otherLetters: Readonly<Record<string, string>> = {
  đ: "d",
  Đ: "D",
  ł: "l",
  Ł: "L",
  ø: "o",
  Ø: "O",
  ß: "ss",
  œ: "oe",
  Œ: "OE",
  æ: "ae",
  Æ: "AE",
  ı: "i",
  þ: "th",
  Þ: "TH",
  ð: "d"
}
