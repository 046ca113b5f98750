declare module "@lhncbc/ucum-lhc" {
  interface Conversion {
    readonly status: "succeeded" | "failed" | "error"
    readonly toVal: number | null
  }
  interface Validation {
    readonly status: "valid" | "invalid" | "error"
    readonly suggestions?: ReadonlyArray<
      { readonly units: ReadonlyArray<readonly [code: string, ...ReadonlyArray<string>]> }
    >
  }
  type Parsed = readonly [
    unit: object | null,
    unitString: string | undefined,
    messages: ReadonlyArray<string>,
    ...ReadonlyArray<unknown>
  ]
  interface UnitParser {
    parseString: (unit: string, ...options: ReadonlyArray<unknown>) => Parsed
  }
  interface UcumLhcUtils {
    /** Not documented. */
    readonly uStrParser_: UnitParser
    readonly validateUnitString: (unit: string, suggest?: boolean) => Validation
    readonly convertUnitTo: (
      from: string,
      value: number,
      to: string,
      options: { readonly molecularWeight: number | null }
    ) => Conversion
  }
  const ucum: { readonly UcumLhcUtils: { readonly getInstance: () => UcumLhcUtils } }
  export default ucum
}
