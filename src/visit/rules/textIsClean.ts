import type { Field } from "../Field.ts"
import { isBlankText } from "../values/blankText.ts"
import type { ValuePath } from "../VisitProblem.ts"
import { LeafCheck, type LeafRule, type ReportProblem } from "./Rule.ts"

/** C0 and C1 controls except tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/
/** Any of these or a surrogate; most texts contain none. */
// oxlint-disable-next-line no-control-regex
const suspicious = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uD800-\uDFFF]/

/** What programs and people write for a code that they do not have, or may not show. */
const placeholder = /^(?:null|none|nil|nan|undefined|unknown|#?n\/?a|[-.?#*_]+|x{3,})$/iu

/** Whether a field names the visit or its patient. With a word for a missing value, visits of different patients would be of one. */
const isIdentity = (path: ValuePath): boolean => {
  const name = path.at(-1)
  return name === "patient_code" || name === "spid" ||
    (name === "code" && (path.length === 1 || (path.length === 2 && path[0] === "patient")))
}

/** Codes, names and titles are typically stored in columns of limited length. */
const isShort = (field: Field): boolean =>
  field.kind === "code" || field.kind === "identifier" || field.name === "name" || field.name === "surname" ||
  field.name === "title" || field.name.endsWith("_name")

/** White space, and signs that no screen shows. Most codes begin and end with other signs of ASCII. */
const paddingSign = /^[\s\u200B-\u200F\u2060]/u
const isPadding = (character: number): boolean =>
  !(character > 0x20 && character < 0x7F) && paddingSign.test(String.fromCharCode(character))

/** §4.5 rule 5: `null` is sent if there is no value. Another check reports an empty mandatory text. */
const notGiven = (field: Field, path: () => ValuePath, report: ReportProblem): void => {
  if (field.blank === "" || field.mandatory) return
  report({
    code: "invalid-field",
    severity: "warning",
    path: path(),
    title: field.kind === "strings" ? `an entry of \`${field.name}\` is empty` : `\`${field.name}\` is an empty text`,
    help: field.kind === "strings" ? "remove it" : "the specification sends `null` if there is no value"
  })
}

class CleanTexts extends LeafCheck {
  see(value: unknown, field: Field, path: () => ValuePath): void {
    if (typeof value !== "string") return
    if (isBlankText(value)) return notGiven(field, path, this.report)
    const isCode = field.kind === "code" || field.kind === "identifier"
    const isSuspicious = suspicious.test(value)
    const isPadded = isCode && (isPadding(value.charCodeAt(0)) || isPadding(value.charCodeAt(value.length - 1)))
    const isPlaceholder = isCode && placeholder.test(value) && !this.#isListed(value, field)
    const { maxLength } = this.settings
    // A character above U+FFFF takes two code units.
    const isLong = value.length > maxLength && isShort(field) && Array.from(value).length > maxLength
    if (isSuspicious || isPadded || isPlaceholder || isLong) {
      this.#describe(value, field, path(), { isSuspicious, isPadded, isPlaceholder, isLong })
    }
  }

  #isListed(value: string, { list }: Field): boolean {
    return list !== undefined && this.settings.lists?.get(list)?.codes.has(value) === true
  }

  #describe(
    value: string,
    field: Field,
    path: ValuePath,
    { isLong, isPadded, isPlaceholder, isSuspicious }: Readonly<
      Record<"isLong" | "isPadded" | "isPlaceholder" | "isSuspicious", boolean>
    >
  ): void {
    const odd = (title: string, help: string, severity: "error" | "warning" = "warning"): void =>
      this.report({ code: "odd-value", severity, path, title: `\`${field.name}\` ${title}`, help })
    if (isSuspicious) {
      if (!value.isWellFormed()) {
        this.report({
          code: "invalid-field",
          severity: "error",
          path,
          title: `\`${field.name}\` contains half a surrogate pair, which is no character`
        })
      }
      if (control.test(value)) {
        odd("contains a control character", "look at how the source was read; its encoding may be another")
      }
    }
    if (isPadded) {
      odd("has white space around it", "the service may take it off, and then know the record by another code")
    }
    if (isPlaceholder) {
      odd(
        "is a word for a missing value, and no code",
        "§4.5 rule 7: codes and identifiers are mandatory; correct it in the source. In a table, state that the word means no value:  null: [\"…\"]  under the column",
        isIdentity(path) ? "error" : "warning"
      )
    }
    if (isLong) {
      const title = `is longer than ${this.settings.maxLength} characters`
      odd(title, "the specification names no limit; the service may have one")
    }
  }
}

/**
 * Checks that texts are not empty and are Unicode without control characters. Codes have no white space around them and are no words for a
 * missing value, which is an error if they name the visit or its patient; codes and names are not longer than typical database columns. Half a surrogate pair is an error: it has no form in UTF-8, so
 * the request could not be read.
 */
export const textIsClean: LeafRule = {
  isAbout: ({ kind, values }) => kind !== "timestamp" && kind !== "date" && values === undefined,
  sees: "values",
  Check: CleanTexts
}
