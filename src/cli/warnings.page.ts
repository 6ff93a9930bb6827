/** A page has none of the options that lead to warnings. */
export function warningsOf(): readonly string[] {
  return []
}
