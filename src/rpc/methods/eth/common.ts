import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { blockNumber } from './blockNumber.ts'
import { call } from './call.ts'
import { accounts, chainId } from './identity.ts'
import { getBalance, getCode, getTransactionCount } from './state.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'

/** Methods that a page has from the start: its first calls, and subscriptions, which open synchronously. */
export const commonEthMethods: readonly MethodDefinition<RpcBackend>[] = [
  accounts,
  blockNumber,
  call,
  chainId,
  getBalance,
  getCode,
  getTransactionCount,
  subscribe,
  unsubscribe,
]
