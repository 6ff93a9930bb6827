import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { content, contentFrom, inspect, status } from './content.ts'
import { nodePendingTransactions, nodeStatistics, nodeTransactions } from './node.ts'

export const txpoolMethods: readonly MethodDefinition<RpcBackend>[] = [
  content,
  contentFrom,
  inspect,
  nodePendingTransactions,
  nodeStatistics,
  nodeTransactions,
  status,
]
