import { en } from "./en.ts"
import { formats } from "./formats.ts"
import type { ViewerTexts } from "./texts.ts"

const { number: n, ...khmer } = formats("km-KH")

const earlier = (changed: number): string => changed === 0 ? "" : `; ${n(changed)} ជាកំណែមុន`

/**
 * Khmer: a draft that no speaker has reviewed. A reviewer must confirm every line, and translate the texts that are still English. Until
 * then it is not offered, and `--language km-draft` shows it to the reviewer.
 */
export const km: ViewerTexts = {
  ...en,
  language: "km",
  name: "ខ្មែរ (មិនទាន់ពិនិត្យ)",
  ...khmer,
  number: n,
  verdict: {
    ...en.verdict,
    nothing: "រកមិនឃើញអ្វីត្រូវផ្ញើទេ។",
    delivered: (done, all, changed) =>
      `${done === all ? `បានផ្ញើទាំង ${n(all)} ករណី` : `បានផ្ញើ ${n(done)} ក្នុងចំណោម ${n(all)} ករណី`}${earlier(changed)}។`,
    rehearsed: (done, all) => `ការសាកល្បង មិនបានផ្ញើអ្វីទេ៖ អាចផ្ញើបាន ${n(done)} ក្នុងចំណោម ${n(all)} ករណី។`,
    planned: (left, all, skipped, changed) =>
      `មិនបានផ្ញើអ្វីទេ៖ អាចផ្ញើបាន ${n(left)} ក្នុងចំណោម ${n(all)} ករណី${
        skipped === 0 ? "" : `, រំលង ${n(skipped)}${earlier(changed)}`
      }។`,
    ready: (done, all) => `អាចផ្ញើបាន ${n(done)} ក្នុងចំណោម ${n(all)} ករណី។`,
    rest: {
      ...en.verdict.rest,
      correction: (count) => `${n(count)} ត្រូវកែ`,
      open: (count) => `${n(count)} មិនទាន់បញ្ចប់`,
      waiting: (count) => `${n(count)} កំពុងរង់ចាំ`
    },
    nothingWaits: "; គ្មានអ្វីរង់ចាំទេ។"
  },
  states: {
    delivered: "បានផ្ញើ",
    open: "មិនទាន់បញ្ចប់",
    waiting: "កំពុងរង់ចាំ",
    correction: "ត្រូវកែ"
  },
  todo: { ...en.todo, short: "ត្រូវធ្វើ", title: "អ្វីត្រូវធ្វើ និងអ្នកណាធ្វើ", nothing: "គ្មានអ្វីត្រូវធ្វើទេ" }
}
