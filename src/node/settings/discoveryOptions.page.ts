/** A page has no peers. */
export function discoveryOptions(): undefined {
  return undefined
}
