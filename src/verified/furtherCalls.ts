import type { MethodDefinition } from '../rpc/method.ts'
import { createAccessList } from '../rpc/methods/eth/createAccessList.ts'
import { simulateV1 } from '../rpc/methods/eth/simulateV1.ts'
import { loadTries } from '../state/baseStates.ts'
import type { CallBackend } from './backend.ts'

/** Proven methods that few pages call and that execute code. Simulated blocks have a state root. */
export async function loadFurtherCalls(): Promise<readonly MethodDefinition<CallBackend>[]> {
  await loadTries()
  return [createAccessList, simulateV1]
}
