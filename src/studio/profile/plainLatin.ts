/** Latin letters as ASCII has them: `prénom` is `prenom`, `số` is `so`. Marks of other scripts stay: without them a word is another. */
export const plainLatin = (text: string): string =>
  text.normalize("NFD").replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1").normalize("NFC")
    .replaceAll(/[đĐłŁøØßœŒæÆıþÞð]/gu, (letter) => otherLetters[letter]!)

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
