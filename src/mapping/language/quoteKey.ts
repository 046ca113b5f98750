/** Returns a key as written in YAML: in quotes, unless it is a plain word. */
export const quoteKey = (code: string): string => (/^[A-Za-z_][\w-]*$/u.test(code) ? code : JSON.stringify(code))
