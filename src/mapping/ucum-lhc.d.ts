declare module "@lhncbc/ucum-lhc" {
  interface Conversion {
    readonly status: "succeeded" | "failed" | "error"
    readonly toVal: number | null
  }
  interface UcumLhcUtils {
    readonly convertUnitTo: (
      from: string,
      value: number,
      to: string,
      suggest: boolean,
      molecularWeight: number | null
    ) => Conversion
  }
  const ucum: { readonly UcumLhcUtils: { readonly getInstance: () => UcumLhcUtils } }
  export default ucum
}
