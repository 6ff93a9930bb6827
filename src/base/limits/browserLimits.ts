/**
 * Bounds of what only pages have.
 * @module
 */

/** Browser: requests to a wallet for tests that wait for their approval. */
export const MAX_WAITING_APPROVALS = 100
