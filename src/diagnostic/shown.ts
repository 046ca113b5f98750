/** Cuts a text to a number of characters. `…` takes the place of the last one. */
export const cut = (text: string, most: number): string => text.length <= most ? text : `${text.slice(0, most - 1)}…`

/** A value that is shown only to users who request values. */
export const shown = (text: string): string => cut(text, 200)
