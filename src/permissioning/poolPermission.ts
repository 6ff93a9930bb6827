/**
 * The account rules as the pool asks for them: synchronously, on the state of the head.
 * @module
 */

import { type MissCause, type MissRequest, type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import type { SenderCheckContext } from '../chain/senderCheck.ts'
import type { AccountPermission } from '../txpool/admission.ts'
import type { AccountRules } from './accountRules.ts'

export interface PoolPermission {
  /** @throws {StoreMiss} until a verdict that takes time is known: `residency` waits for it */
  readonly permits: AccountPermission
  readonly residency: Residency | undefined
}

/**
 * @param contextAtHead undefined when the state of the head is not available
 * @param below residency of the store
 */
export function poolPermission(
  rules: AccountRules,
  contextAtHead: () => SenderCheckContext | undefined,
  below: Residency | undefined,
): PoolPermission {
  const waiting = new WeakMap<MissRequest, Promise<unknown>>()
  const load = async (request: MissRequest, cause?: MissCause): Promise<void> => {
    const verdict = waiting.get(request)
    if (verdict === undefined) await below?.load(request, cause)
    else await verdict
  }
  return {
    permits: (sender, transaction) => {
      const context = contextAtHead()
      if (context === undefined) return 'undecided'
      const verdict = rules.verdict(transaction, sender, context)
      if (!(verdict instanceof Promise)) return verdict === 'failed' ? 'undecided' : verdict
      const request: MissRequest = { kind: 'keys', keys: [] }
      waiting.set(request, verdict)
      throw new StoreMiss(request)
    },
    residency: rules.asksContract ? { load } : below,
  }
}
