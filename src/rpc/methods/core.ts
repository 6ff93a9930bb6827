import type { RpcBackend } from '../backend.ts'
import type { MethodDefinition } from '../method.ts'
import { commonEthMethods } from './eth/common.ts'
import { type DiscoverBackend, rpcMethods } from './rpc/index.ts'

/** Methods that a page has from the start; {@link deferredMethods} has the others. */
export const CORE_METHODS: readonly MethodDefinition<RpcBackend & DiscoverBackend>[] = [
  ...commonEthMethods,
  ...rpcMethods,
]
