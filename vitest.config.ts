import { defineConfig } from "vitest/config"

/** Tests that replace a module. In a process where another test has imported it, they would replace nothing. */
const replacing = ["test/run/withoutLibrary.test.ts", "test/run/partition/weakHash.test.ts"]

export default defineConfig({
  test: {
    globalSetup: "test/temporaryFolder.ts",
    setupFiles: ["test/seed.ts"],
    pool: "forks",
    maxWorkers: 3,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // No test depends on what an earlier one has kept.
    env: { FHIR2VISIT_CACHE: "" },
    projects: [
      {
        extends: true,
        test: { name: "together", include: ["test/**/*.test.ts"], exclude: replacing, isolate: false }
      },
      { extends: true, test: { name: "alone", include: replacing } }
    ]
  }
})
