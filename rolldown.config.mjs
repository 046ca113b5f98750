import { defineConfig } from "rolldown"
import { chunkNames } from "./tools/chunks.ts"
import { thirdPartyLicenses } from "./tools/thirdPartyLicenses.ts"

const licenses = thirdPartyLicenses()

/** A bundle of one file: a script of a page, or what is loaded by its name. */
const single = (name, input) => ({
  input: { [name]: input },
  platform: "browser",
  plugins: [licenses],
  transform: { jsx: { runtime: "automatic", importSource: "preact" } },
  output: { dir: "dist", format: "esm", minify: true, entryFileNames: "[name].mjs" }
})

/**
 * The help of Effect makes a segmenter of texts when it is imported, which is a tenth of the start of every command. Here it is made
 * when a text is measured.
 */
const lateSegmenter = {
  name: "late-segmenter",
  transform: {
    filter: { id: /effect\/dist\/cli\/CliOutput\.js$/ },
    handler: (code) => {
      const made = /new Intl\.Segmenter\(undefined, \{[^}]*\}\)/
      if (!made.test(code)) throw new Error("the help of Effect makes no segmenter: remove this plugin")
      const late = (text) => `((made) => ({ segment: (text) => (made ??= ${text}).segment(text) }))()`
      return { code: code.replace(made, late), map: null }
    }
  }
}

/**
 * Effect asks of every request whether its payload is a form. To evaluate `FormData`, Node loads its own HTTP client, which takes 30 ms and
 * which nothing else uses. A form says what it is without that.
 */
const lateFormData = {
  name: "late-form-data",
  transform: {
    filter: { id: /effect\/dist\/http-api\/HttpApiClient\.js$/ },
    handler: (code) => {
      const asked = "request.payload instanceof FormData"
      if (!code.includes(asked)) throw new Error("the client of Effect does not ask for a form: remove this plugin")
      return { code: code.replace(asked, "request.payload?.[Symbol.toStringTag] === \"FormData\""), map: null }
    }
  }
}

export default defineConfig([
  {
    input: {
      fhir2visit: "src/main.ts",
      partitionWorker: "src/run/workers/partitionWorker.ts",
      // These are loaded when they are needed, by `requireModule`.
      fhirpathLibrary: "src/fhirpath/library/fhirpathLibrary.ts",
      ucumLibrary: "src/mapping/codes/ucumLibrary.ts"
    },
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    // undici is loaded lazily by the HTTP client; bundled, its CommonJS form has no constructors.
    external: ["undici"],
    plugins: [lateSegmenter, lateFormData, licenses],
    output: {
      dir: "dist",
      format: "esm",
      sourcemap: true,
      minify: { compress: true, mangle: false, codegen: true },
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
      codeSplitting: { groups: [{ debugName: "chunks", name: chunkNames(), includeDependenciesRecursively: false }] },
      cleanDir: true
    }
  },
  // What writes the pages, and what runs in them.
  single("viewer-node", "src/studio/viewer/node.tsx"),
  single("viewer-page", "src/studio/viewer/browser.tsx"),
  single("viewer-bench", "src/studio/viewer/bench/bench.tsx")
])
