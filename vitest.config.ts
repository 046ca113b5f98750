import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/temporaryFolder.ts",
    setupFiles: ["test/seed.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 3,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // No test depends on what an earlier one has kept.
    env: { FHIR2VISIT_CACHE: "" }
  }
})
