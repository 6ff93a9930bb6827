import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { commonEthMethods } from './common.ts'
import { furtherEthMethods } from './further.ts'

/** In the order of their names, which is that of the reference. */
export const ethMethods: readonly MethodDefinition<RpcBackend>[] = [...commonEthMethods, ...furtherEthMethods].sort(
  (a, b) => (a.name < b.name ? -1 : 1),
)
