import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { commonEthMethods } from './common.ts'
import { furtherEthMethods } from './further.ts'

export const ethMethods: readonly MethodDefinition<RpcBackend>[] = [...commonEthMethods, ...furtherEthMethods]
