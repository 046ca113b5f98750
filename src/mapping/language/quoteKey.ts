/** Returns a key as written in YAML. */
export const quoteKey = (code: string): string => (/^[A-Za-z][A-Za-z0-9_-]*$/u.test(code) ? code : JSON.stringify(code))
