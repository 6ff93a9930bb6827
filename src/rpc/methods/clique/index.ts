import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { discard, proposals, propose } from './proposals.ts'
import { getSignerMetrics, getSigners, getSignersAtHash } from './signers.ts'

export const cliqueMethods: readonly MethodDefinition<RpcBackend>[] = [
  discard,
  getSignerMetrics,
  getSigners,
  getSignersAtHash,
  proposals,
  propose,
]
