import type * as Loaded from './furtherErrors.ts'

export const FURTHER_ERRORS: typeof Loaded.FURTHER_ERRORS = {}

export const loadFurtherErrors: typeof Loaded.loadFurtherErrors = async () =>
  (await import('./furtherErrors.ts')).FURTHER_ERRORS
