import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { sendRawTransaction } from './sendRawTransaction.ts'

export const eeaMethods: readonly MethodDefinition<RpcBackend>[] = [sendRawTransaction]
