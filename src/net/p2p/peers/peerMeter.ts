import type { AgreedCapability } from '../rlpx/capabilities.ts'
import type { SessionEnd } from '../rlpx/sessionContract.ts'

/** Counts events of connections. Calls are cheap, and none may throw. */
export interface PeerMeter {
  /** A TCP connection to a peer was opened, or could not be opened. */
  dialled(isConnected: boolean): void
  admitted(): void
  /** @param wasAdmitted false: the connection was refused by one of the sides, or lost, before its admission */
  ended(end: Pick<SessionEnd, 'reason' | 'by'>, wasAdmitted: boolean): void
  /** @param code relative to the capability; @param bytes of the payload without compression */
  received(capability: AgreedCapability, code: number, bytes: number): void
  sent(capability: AgreedCapability, code: number, bytes: number): void
}
