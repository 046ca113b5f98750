const word =
  "no|n|nope|non|nein|nee|n[aã]o|tidak|kh[oô]ng|ទេ|ไม่|false|reject(?:ed)?|refused?|denied|declined?|disagreed?|tb[cd]|todo|pending|open|unknown|undecided|unclear|later"
const phrase =
  "(?:(?:do|does|did|must|can|could|should|would) ?(?:not|n['’]t)|not|never) (?:be )?(?:yet|accept|agree|ok|approv|decid|sure|clear|send|sent)"

const refusal = new RegExp(
  `^(?:[^\\p{L}\\p{N}]*|(?:${word})\\s*(?:[,.;:!?()\\u2013\\u2014-].*)?|(?:(?:${word})\\b.{0,3})?(?:(?:we|i) )?${phrase}.*)$`,
  "isu"
)

/** Whether what a person wrote as the reason for accepting an assumption is an answer such as "no", "not yet" or "?". */
export const refusesAssumption = (why: string): boolean => refusal.test(why.trim())
