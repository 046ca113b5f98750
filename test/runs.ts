/** How many examples a law is tried on; `npm run test:deep` tries a hundred times as many. */
export const runs = (usual: number): number => usual * Number(process.env.TEST_RUNS ?? 1)

/** Enough time for them. */
export const timeout = 120_000 * Number(process.env.TEST_RUNS ?? 1)
