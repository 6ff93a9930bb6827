import { loadRecovery } from '../../base/primitives/recovery.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import type { BftTrustDeps } from './bftTrust.ts'
import type { CliqueTrustDeps } from './cliqueTrust.ts'
import type { SealTrust } from './sealTrust.ts'

/**
 * The code of an engine is loaded with the first block that it sealed.
 * @param block that is trusted
 * @returns undefined: its engine has no seals that lead from one block to the next
 */
export async function openSealTrust(
  block: ForkHeader,
  deps: BftTrustDeps & CliqueTrustDeps,
): Promise<SealTrust | undefined> {
  const { name } = deps.schedule.claimedBy(block.header)
  if (name === 'qbft' || name === 'ibft2') {
    const [{ BftTrust }] = await Promise.all([import('./bftTrust.ts'), loadRecovery()])
    return new BftTrust(deps, block)
  }
  if (name === 'clique') {
    const [{ CliqueTrust }] = await Promise.all([import('./cliqueTrust.ts'), loadRecovery()])
    return new CliqueTrust(deps, block)
  }
  return undefined
}
