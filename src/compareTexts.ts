/** Compares by code unit, because that order is the same on every system. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
