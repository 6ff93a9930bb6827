import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { changeTargetGasLimit, setCoinbase, start, stop } from './miner.ts'

export const minerMethods: readonly MethodDefinition<RpcBackend>[] = [changeTargetGasLimit, setCoinbase, start, stop]
