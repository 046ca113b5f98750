import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { drafted, table } from "./drafted.ts"

/** The characters of windows-1258 with their bytes. */
const bytesOf = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder("windows-1258").decode(Uint8Array.of(byte)), byte])
)

/** A text in windows-1258: most letters with a tone are two bytes. */
const in1258 = (text: string): Buffer =>
  Buffer.from(
    [...text].flatMap((letter) => {
      const tone = /[\u0300\u0301\u0303\u0309\u0323]/u.exec(letter.normalize("NFD"))?.[0] ?? ""
      const parts = bytesOf.has(letter) ? [letter] : [letter.normalize("NFD").replace(tone, "").normalize("NFC"), tone]
      return parts.map((part) => bytesOf.get(part) ?? assert.fail(`not in windows-1258: ${part}`))
    })
  )

describe("Tables in windows-1258", () => {
  it.effect("are read as Vietnamese, with letters and tones in one character", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        "benhnhan.csv": in1258(
          table(
            "Mã bệnh nhân;Họ và tên;Ngày sinh;Giới tính",
            6,
            (at) => `BN${at};Nguyễn Văn Mẫu;12/04/1990;${at % 2 ? "Nữ" : "Nam"}`
          )
        ),
        "luotkham.csv": in1258(
          table(
            "Mã lượt khám;Mã bệnh nhân;Ngày vào;Ngày ra;Loại khám;Khoa",
            6,
            (at) => `LK${at};BN${at};${at + 12}/03/2026 08:15;${at + 12}/03/2026 09:15;Ngoại trú;Khoa Nội`
          )
        )
      })
      assert.include(mapping, "encoding: windows-1258")
      assert.deepStrictEqual(
        visits.map(({ outpatients: [{ service_type }], patient: { name } }) => `${name}, ${service_type}`),
        Array.from({ length: 6 }, () => "Nguyễn Văn Mẫu, Khoa Nội")
      )
    }))
})
