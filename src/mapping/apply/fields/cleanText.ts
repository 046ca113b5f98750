/** NUL and other control characters cannot be sent; line breaks and tabs stay. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/gu

/** Characters that need a closer check: control characters, and letters with two Unicode forms. */
const remarkable = /[^\t\n\r\u0020-\u007E\u0080-\u02FF]/

// oxlint-disable-next-line no-control-regex
const hasControl = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/u

/** Returns true for text with only white space, which the service treats as empty. */
export const isBlank = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return !(first > 32 && first < 128) && !/\S/u.test(text)
}

/** Text that is sent unchanged. */
export const isCleanText = (text: string): boolean =>
  !isBlank(text) && (!remarkable.test(text) || (!hasControl.test(text) && text.normalize("NFC") === text))

/** A text that can be sent, and the changes made to it; empty if nothing is left. */
interface CleanedText {
  readonly text: string
  /** Control characters were removed. */
  readonly hadControl: boolean
  /** Letters were composed with their marks: `e` and an accent become `é` (Unicode form NFC). */
  readonly wasApart: boolean
}

/** Removes control characters, and composes decomposed letters unless texts must stay as written. */
export const cleanText = (text: string, asWritten: boolean): CleanedText => {
  const hadControl = hasControl.test(text)
  const rest = hadControl ? text.replace(control, "") : text
  const composed = asWritten ? rest : rest.normalize("NFC")
  return { text: composed, hadControl, wasApart: composed !== rest }
}
