/** `2026-11-20 09:12Z`: a moment of the journal to the minute, in UTC as the journal has it. */
export const minute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}Z`
