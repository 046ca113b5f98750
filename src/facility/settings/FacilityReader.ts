import type { Span } from "../../diagnostic/Span.ts"
import { type Keys, keysOf, readValues, type Values } from "../../mapping/language/grammar/Kind.ts"
import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { SyntaxReader } from "../../mapping/language/SyntaxReader.ts"

const secrets = /pass|secret|user|client|token(?!s?PerMinute)/i

/** Reads the settings of a facility. */
export class FacilityReader extends SyntaxReader {
  override report(...[code, ...rest]: Parameters<SyntaxReader["report"]>): undefined {
    return super.report(code === "invalid-value" ? "invalid-facility" : code, ...rest)
  }

  override unknownKey(key: string, span: Span, what: string, known: ReadonlyArray<string>): void {
    if (secrets.test(key)) {
      this.report("unknown-key", span, `secrets are not kept in ${what}: \`${key}\``, {
        help: [
          "set FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_ID and FHIR2VISIT_CLIENT_SECRET,",
          "or name a file that contains one: FHIR2VISIT_PASSWORD_FILE"
        ]
      })
    } else super.unknownKey(key, span, what, known)
  }

  /** Reads the settings under a key: the map, if there is one, and the values with their defaults. */
  section<K extends Keys>(
    root: SyntaxMap | undefined,
    name: string,
    keys: K
  ): { readonly map: SyntaxMap | undefined; readonly values: Values<K> } {
    const entry = root?.entries.get(name)
    const map = entry === undefined ? undefined : this.map(entry.value, `\`${name}\``, keysOf(keys))
    return { map, values: readValues(this, keys, map) }
  }
}
