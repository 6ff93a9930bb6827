import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { getEeaTransactionCount, getTransactionCount } from './counts.ts'
import {
  createPrivacyGroup,
  deletePrivacyGroup,
  findFlexiblePrivacyGroup,
  findPrivacyGroup,
  getPrivacyPrecompileAddress,
} from './groups.ts'
import { getFilterChanges, getFilterLogs, getLogs, newFilter, uninstallFilter } from './logs.ts'
import { call, debugGetStateRoot, getCode } from './state.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'
import { distributeRawTransaction, getPrivateTransaction, getTransactionReceipt } from './transactions.ts'

export const privMethods: readonly MethodDefinition<RpcBackend>[] = [
  call,
  createPrivacyGroup,
  debugGetStateRoot,
  deletePrivacyGroup,
  distributeRawTransaction,
  findFlexiblePrivacyGroup,
  findPrivacyGroup,
  getCode,
  getEeaTransactionCount,
  getFilterChanges,
  getFilterLogs,
  getLogs,
  getPrivacyPrecompileAddress,
  getPrivateTransaction,
  getTransactionCount,
  getTransactionReceipt,
  newFilter,
  subscribe,
  uninstallFilter,
  unsubscribe,
]
