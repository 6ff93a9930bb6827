import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { callWitness } from './callWitness.ts'
import { contractAt, contracts, decode, source } from './contracts.ts'
import { database } from './database.ts'
import { debugViewMethod } from './debugView.ts'
import { mirrorStatus } from './mirrorStatus.ts'
import { storage } from './storage.ts'
import { summary } from './summary.ts'

export const isonodeMethods: readonly MethodDefinition<RpcBackend>[] = [
  callWitness,
  contractAt,
  contracts,
  database,
  debugViewMethod,
  decode,
  mirrorStatus,
  source,
  storage,
  summary,
]
