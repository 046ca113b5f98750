/** A value that is shown only to users who request values. */
export const shown = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199)}…`)
