import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { enode, listening, peerCount, services, version } from './net.ts'

export const netMethods: readonly MethodDefinition<RpcBackend>[] = [enode, listening, peerCount, services, version]
