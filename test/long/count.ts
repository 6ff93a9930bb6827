import process from 'node:process'

/** So many of a list run, from the first. */
export const longCount = Number(process.env['ISONODE_LONG_COUNT'] ?? Number.POSITIVE_INFINITY)
