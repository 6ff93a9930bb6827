import type { GraphqlPermission } from '../../graphql/contract.ts'
import type { MethodPermission } from '../../rpc/connection/principal.ts'

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

/**
 * Whether a caller may execute GraphQL operations. A query may combine any reads, so it needs `eth:*` or `*:*`; a
 * mutation needs the permission of the method that it stands for.
 */
export function graphqlPermission(permits: MethodPermission): GraphqlPermission {
  return (operation) => permits(operation === 'mutation' ? 'eth_sendRawTransaction' : ALL_READS)
}

/** No method has this name: only `eth:*` and `*:*` permit it. */
const ALL_READS = 'eth_*'

const permitsAll: MethodPermission = () => true

function namespaceOf(method: string): string {
  const end = method.indexOf('_')
  return `${end < 0 ? method : method.slice(0, end)}:*`
}
