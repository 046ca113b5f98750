/** Formats `1204` as `1,204`. */
export const number = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 visit`, `2 visits`. */
export const plural = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`
