/** Mistakes put into the synchronisation, to verify that the simulation of hostile peers finds them. */
import { Lag } from '../../../../src/net/sync/lag.ts'
import { SyncPeers } from '../../../../src/net/sync/syncPeers.ts'

export type SyncFault =
  /** A node is behind as long as a peer claims to be far ahead, and no peer is dropped for it. */
  | 'claimsCount'
  /** A peer that takes long to answer counts as one that does not deliver its chain. */
  | 'slownessFails'

/** @returns removes the fault */
export function injectSyncFault(fault: SyncFault): () => void {
  const { setClaimed } = Lag.prototype
  const { fellShort, lostPatience } = SyncPeers.prototype
  if (fault === 'claimsCount') {
    Lag.prototype.setClaimed = function (isClaimed) {
      setClaimed.call(this, isClaimed)
      if (isClaimed) this.progressed()
    }
    SyncPeers.prototype.fellShort = () => {}
  } else
    SyncPeers.prototype.lostPatience = function (peer) {
      lostPatience.call(this, peer)
      this.failed(peer, 'does not deliver headers of its chain')
    }
  return () => {
    Lag.prototype.setClaimed = setClaimed
    Object.assign(SyncPeers.prototype, { fellShort, lostPatience })
  }
}
