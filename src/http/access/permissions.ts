import type { MethodPermission } from '../../rpc/principal.ts'

/**
 * A permission is `*:*`, `<namespace>:*` or `<namespace>:<name>`, such as `eth:blockNumber`.
 * @param open methods that need no permission, by their exact names
 */
export function methodPermission(permissions: readonly string[], open: ReadonlySet<string>): MethodPermission {
  const granted = new Set(permissions)
  if (granted.has('*:*')) return permitsAll
  if (granted.size === 0) return (method) => open.has(method)
  return (method) => open.has(method) || granted.has(method.replaceAll('_', ':')) || granted.has(namespaceOf(method))
}

const permitsAll: MethodPermission = () => true

function namespaceOf(method: string): string {
  const end = method.indexOf('_')
  return `${end < 0 ? method : method.slice(0, end)}:*`
}
