/** The zeros of Arabic, Persian, Devanagari, Bengali, Thai, Lao, Burmese, Khmer and wide digits. */
const zeros = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xed0, 0x1040, 0x17e0, 0xff10]

const otherDigits = /[٠-٩۰-۹०-९০-৯๐-๙໐-໙၀-၉០-៩０-９]/gu

/** The same for a text without letters, such as `១២០/៨០`; another text, such as `ផ្ទះ ១២`, stays as it is written. */
export const plainNumber = (text: string): string => /\p{L}/u.test(text) ? text : plainDigits(text)

/** Returns a text with the digits of these scripts as 0 to 9. */
export const plainDigits = (text: string): string =>
  text.replaceAll(otherDigits, (digit) => {
    const code = digit.charCodeAt(0)
    return String(code - (zeros.findLast((zero) => zero <= code) ?? 48))
  })
