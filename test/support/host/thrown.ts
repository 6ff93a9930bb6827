/** The error that a function throws. @throws when it throws none */
export function thrown(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
