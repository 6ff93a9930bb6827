import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { IBFT_METHODS, QBFT_METHODS } from './backend.ts'
import { validatorMethods } from './validators.ts'
import { voteMethods } from './votes.ts'

export const ibftMethods: readonly MethodDefinition<RpcBackend>[] = [
  ...validatorMethods(IBFT_METHODS),
  ...voteMethods(IBFT_METHODS),
]

export const qbftMethods: readonly MethodDefinition<RpcBackend>[] = [
  ...validatorMethods(QBFT_METHODS),
  ...voteMethods(QBFT_METHODS),
]
