/** Formats `1204` as `1,204`. */
export const number = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 visit`, `2 visits`; with both forms also `1 copy`, `2 copies` and `1 agrees`, `2 agree`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`
