import { defineConfig } from "rolldown"
import { thirdPartyLicenses } from "./tools/thirdPartyLicenses.ts"

export default defineConfig([{
  input: { fhir2visit: "src/main.ts", partWorker: "src/pipeline/partWorker.ts" },
  platform: "node",
  // undici is loaded lazily by the HTTP client; bundled, its CommonJS form has no constructors.
  external: ["undici"],
  plugins: [thirdPartyLicenses()],
  output: {
    dir: "dist",
    format: "esm",
    sourcemap: true,
    minify: { compress: true, mangle: false, codegen: true },
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    cleanDir: true
  }
}, {
  // What runs in the browser, for `bench`.
  input: { "bench-page": "src/workbench/page/main.ts" },
  platform: "browser",
  output: { dir: "dist", format: "esm", minify: true, entryFileNames: "[name].mjs" }
}])
