/** The formatting of each part of a message. Each function returns its text, with or without colour. */
export interface Style {
  readonly error: (text: string) => string
  readonly warning: (text: string) => string
  readonly title: (text: string) => string
  /** Line numbers, bars, arrows. */
  readonly frame: (text: string) => string
  /** Further source locations, underlined with `-`. */
  readonly further: (text: string) => string
}

const same = (text: string): string => text

/** For files, pipes, and terminals where `NO_COLOR` is set. */
export const plain: Style = { error: same, warning: same, title: same, frame: same, further: same }

const paint = (code: string) => (text: string): string => (text === "" ? "" : `\u001b[${code}m${text}\u001b[0m`)

/** For a terminal: the sixteen colours that every terminal supports. */
export const coloured: Style = {
  error: paint("1;31"),
  warning: paint("1;33"),
  title: paint("1"),
  frame: paint("34"),
  further: paint("36")
}
