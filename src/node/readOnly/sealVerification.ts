/**
 * `--mirror-verify=seals`: a replica serves no state whose chain its validators have not sealed.
 * @module
 */
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { SegmentStore } from '../../mirror/segmentStore.ts'
import type { VerifyStep } from './following.ts'
import type { VerifiedMirror } from './replica.ts'
import { SealedChain } from './sealedChain.ts'

export interface SealHost {
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
}

/** @param checkpoint hash of the trusted block, 32 bytes; undefined: the genesis block that the mirror names */
export function sealVerification(
  { clock, yieldToHost, logger }: SealHost,
  checkpoint: Uint8Array | undefined,
): (mirror: VerifiedMirror) => VerifyStep {
  return ({ config, schedule, identity, source }) => {
    const root = checkpoint ?? identity.genesisHash
    logger.info('the seals of the chain are verified from a trusted block', { trusted: bytesToHex(root) })
    let chain: SealedChain | undefined
    return ({ view, changed }) => {
      const table = new SegmentStore(view, source)
      chain ??= new SealedChain({ config, schedule, yieldToHost, now: () => clock.now() }, root, table)
      return chain.verify({ table, head: view.manifest.head, changed })
    }
  }
}
