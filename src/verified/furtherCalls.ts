import type { MethodDefinition } from '../rpc/method.ts'
import { createAccessList } from '../rpc/methods/eth/createAccessList.ts'
import { estimateGas } from '../rpc/methods/eth/estimateGas.ts'
import { simulateV1 } from '../rpc/methods/eth/simulateV1.ts'
import { loadTries } from '../state/baseStates.ts'
import type { CallBackend } from './backend.ts'

/** Proven methods that execute code, beside eth_call. Only simulated blocks have a state root. */
const furtherCalls: readonly MethodDefinition<CallBackend>[] = [createAccessList, estimateGas, simulateV1]

/** @param method the one that is called */
export async function loadFurtherCalls(method: string): Promise<readonly MethodDefinition<CallBackend>[]> {
  if (method === simulateV1.name) await loadTries()
  return furtherCalls
}
