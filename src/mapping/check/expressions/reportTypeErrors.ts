import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { NeverEqual, SeveralCompared, TypeMisuse, UnknownCode } from "../../../fhirpath/infer/InferenceFaults.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import { spanWithin } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/** Reports comparisons in which one side can have several values. */
export const reportCompared = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  compared: ReadonlyArray<SeveralCompared>
): void => {
  for (const { length, offset, operator } of compared) {
    const side = String(scalar.value).slice(offset, offset + length)
    const span = spanWithin(scalar, offset, length)
    reader.warn("several-compared", span, `\`${operator}\` compares one value and this may be several`, {
      help: [
        operator === "="
          ? "with several values the comparison is never true"
          : `with several values \`${operator}\` does not compare each of them`,
        `ask whether one of them is:  ${side}.exists($this ${operator} …)   or take one:  ${side}.first() ${operator} …`
      ]
    })
  }
}

/** Reports texts that an element never holds by FHIR's code list for it, or that the compared result never is. */
export const reportUnknownCodes = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  unknownCodes: ReadonlyArray<UnknownCode>
): void => {
  for (const { code, codes, isOwn, length, offset } of unknownCodes) {
    reader.warn(
      "unknown-code",
      spanWithin(scalar, offset, length),
      isOwn
        ? `this is compared with a result that is never \`${code}\``
        : `FHIR R4 has no code \`${code}\` here: valid data never contains it`,
      { label: didYouMean(suggest(code, codes)), help: [`${isOwn ? "results" : "codes"}: ${codes.join(", ")}`] }
    )
  }
}

/** Reports comparisons with a text that are never true. */
export const reportNeverEqual = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  neverEqual: ReadonlyArray<NeverEqual>,
  model: Model
): void => {
  const text = String(scalar.value)
  for (const { length, offset, operator, other, typePaths } of neverEqual) {
    const side = text.slice(offset, offset + length)
    const written = text.slice(other.offset, other.offset + other.length)
    if (/^\d/u.test(side) && !written.startsWith("'")) {
      const span = spanWithin(scalar, other.offset, other.length)
      const number = `${written}.toDecimal()`
      reader.report("wrong-type", span, "a text cannot be compared with a number", {
        label: "finds a text",
        help: [
          `make a number of it:  ${
            other.offset < offset ? `${number} ${operator} ${side}` : `${side} ${operator} ${number}`
          }`
        ]
      })
      continue
    }
    const label = `finds ${typePaths.slice(0, 3).join(" or ")}`
    reader.report("wrong-type", spanWithin(scalar, offset, length), `\`${operator}\` cannot compare this with a text`, {
      label,
      help: [adviceOf(side, typePaths, model)]
    })
  }
}

/** Reports a value where a different type is required. */
export const reportMisused = (reader: SyntaxReader, scalar: SyntaxScalar, misused: ReadonlyArray<TypeMisuse>): void => {
  for (const { kind, length, offset, typePaths } of misused) {
    const { help, says } = misuses[kind]
    const label = typePaths.length === 0 ? undefined : `finds ${typePaths.slice(0, 3).join(" or ")}`
    reader.report("wrong-type", spanWithin(scalar, offset, length), says, { label, help: [help] })
  }
}

const misuses: Readonly<Record<TypeMisuse["kind"], { readonly says: string; readonly help: string }>> = {
  index: {
    says: "the index in `[ ]` must be a number, counted from 0",
    help: "to find one by its content write  .where(condition)"
  },
  text: {
    says: "a number and a text cannot be joined directly",
    help: "make a text of the number:  .toString() & ' ' & …"
  },
  sum: { says: "a number and a text cannot be added", help: "join them as texts:  .toString() & ' ' & …" },
  moved: {
    says: "a duration can be added to a date or time, but not to a text, as a date column of a table is",
    help: "make a date or time of the text:  .toDate() + 1 year   or:  .toDateTime() + 1 hour"
  },
  unitless: {
    says: "a number without a unit cannot be added to a date or time",
    help:
      "a date has two digits for the month and for the day:  @2026-02-08;  to move a date, write the unit:  + 1 year"
  },
  dated: {
    says: "a date or time cannot be compared with a text, as a date column of a table is",
    help: "make a date or time of it:  .toDate() = @2026-02-28   or:  .toDateTime() > @2026-02-28T08:00:00"
  },
  difference: {
    says: "a date or time cannot be subtracted from another one",
    help: "compare them:  discharged_at.toDateTime() > admitted_at.toDateTime() + 3 days"
  },
  number: { says: "this is not a number", help: "a path is written with dots:  name.text" },
  date: { says: "there is no such date", help: "a date is  @YYYY, @YYYY-MM or @YYYY-MM-DD:  @2026-02-28" }
}

/** Reports a condition whose result is neither true nor false. */
export const reportNoCondition = (
  reader: SyntaxReader,
  scalar: SyntaxScalar,
  typePaths: ReadonlyArray<string>,
  model: Model
): void => {
  reader.report("wrong-type", scalar.span, "a condition must be true or false", {
    label: `finds ${typePaths.slice(0, 3).join(" or ")}`,
    help: [adviceOf(String(scalar.value), typePaths, model)]
  })
}

/** Suggests how to write a condition on a path's result. */
const adviceOf = (path: string, [typePath = ""]: ReadonlyArray<string>, { isPrimitive }: Model): string => {
  const dotted = /^[\w.()%']*$/u.test(path) ? path : `(${path})`
  if (typePath === "CodeableConcept" || typePath === "Coding") {
    return `ask for a code:  ${dotted}.hasCode('…')   or whether there is one:  ${dotted}.exists()`
  }
  if (typePath === "Quantity") {
    return `ask for its number:  ${dotted}.value > 1   or whether there is one:  ${dotted}.exists()`
  }
  if (typePath === "date" || typePath === "dateTime" || typePath === "instant") {
    return `a date is written with @ and without quotes:  ${dotted} > @2026-02-28`
  }
  if (typePath === "boolean") return `true and false have no quotes:  ${dotted} = true`
  if (typePath === "decimal" || typePath === "integer") return `numbers have no quotes:  ${dotted} = 1`
  return isPrimitive(typePath)
    ? `compare it:  ${dotted} = '…'   or ask whether there is one:  ${dotted}.exists()`
    : `ask for one of its elements, or whether there is one:  ${dotted}.exists()`
}
