/** NUL and other control characters cannot be sent; line breaks and tabs stay. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/gu

/** What needs a second look: a control character, or one of the letters that may be written in two ways. */
const remarkable = /[^\t\n\r\u0020-\u007E\u0080-\u02FF]/

// oxlint-disable-next-line no-control-regex
const hasControl = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/u

/** Text without anything but white space: the service takes it for empty. */
export const isBlank = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return !(first > 32 && first < 128) && !/\S/u.test(text)
}

/** Text that is sent as it stands. */
export const isCleanText = (text: string): boolean =>
  !isBlank(text) && (!remarkable.test(text) || (!hasControl.test(text) && text.normalize("NFC") === text))

/** A text as it can be sent, and what was done to it; an empty one when nothing is left. */
export interface CleanedText {
  readonly text: string
  /** Control characters were taken out. */
  readonly hadControl: boolean
  /** Letters with their signs were put together: `e` and an accent are `é` (Unicode's form NFC). */
  readonly wasApart: boolean
}

/** Takes control characters out, and puts letters together that are written in parts, unless texts are to stay as they are written. */
export const cleanText = (text: string, asWritten: boolean): CleanedText => {
  const hadControl = hasControl.test(text)
  const rest = hadControl ? text.replace(control, "") : text
  const composed = asWritten ? rest : rest.normalize("NFC")
  return { text: composed, hadControl, wasApart: composed !== rest }
}
