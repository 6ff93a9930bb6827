/** A page has no command line. */
export const withAdvice = undefined
