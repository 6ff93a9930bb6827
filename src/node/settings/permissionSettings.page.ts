/** A page has no permissioning. */
export function permissionSettings(): undefined {
  return undefined
}
