import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { generateLogBloomCache, logsRemoveCache, logsRepairCache } from './bloomCache.ts'
import { changeLogLevel } from './changeLogLevel.ts'
import { nodeInfo } from './nodeInfo.ts'
import { addPeer, peers, removePeer } from './peers.ts'

export const adminMethods: readonly MethodDefinition<RpcBackend>[] = [
  addPeer,
  changeLogLevel,
  generateLogBloomCache,
  logsRemoveCache,
  logsRepairCache,
  nodeInfo,
  peers,
  removePeer,
]
