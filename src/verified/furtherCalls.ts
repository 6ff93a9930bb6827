import type { MethodDefinition } from '../rpc/method.ts'
import { createAccessList } from '../rpc/methods/eth/createAccessList.ts'
import { simulateV1 } from '../rpc/methods/eth/simulateV1.ts'
import type { CallBackend } from './backend.ts'

/** Proven methods that few pages call and that execute code. */
export const furtherCalls: readonly MethodDefinition<CallBackend>[] = [createAccessList, simulateV1]
