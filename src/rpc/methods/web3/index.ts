import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { clientVersion, sha3 } from './web3.ts'

export const web3Methods: readonly MethodDefinition<RpcBackend>[] = [clientVersion, sha3]
