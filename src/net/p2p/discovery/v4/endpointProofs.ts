import { MAX_ENDPOINT_PROOFS } from '../../../../base/limits/limits.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { LruCache } from '../../../../base/primitives/lruCache.ts'
import { PROOF_MS } from './rules.ts'

const addressKey = ({ host, port }: SocketAddress): string => `${host} ${port}`

interface Proof {
  readonly key: string
  readonly atMs: number
}

/**
 * Remembers which node was verified at which address. One address has one node at a time.
 * @see devp2p, discv4.md, "Endpoint Proof"
 */
export class EndpointProofs {
  /** Senders of a valid pong. Only these count against the bound of verified nodes. */
  readonly #verified = new LruCache<string, Proof>(MAX_ENDPOINT_PROOFS)
  /** Recipients of a pong: they have verified this node. */
  readonly #answered = new LruCache<string, Proof>(MAX_ENDPOINT_PROOFS)

  verify(key: string, address: SocketAddress, nowMs: number): void {
    this.#verified.set(addressKey(address), { key, atMs: nowMs })
  }

  answer(key: string, address: SocketAddress, nowMs: number): void {
    this.#answered.set(addressKey(address), { key, atMs: nowMs })
  }

  revoke(address: SocketAddress): void {
    this.#verified.delete(addressKey(address))
  }

  isVerified(key: string, address: SocketAddress, nowMs: number): boolean {
    return isValid(this.#verified.get(addressKey(address)), nowMs, key)
  }

  /** Whether any node is verified at an address. */
  isAddressVerified(address: SocketAddress, nowMs: number): boolean {
    return isValid(this.#verified.get(addressKey(address)), nowMs)
  }

  wasAnswered(key: string, address: SocketAddress, nowMs: number): boolean {
    return isValid(this.#answered.get(addressKey(address)), nowMs, key)
  }
}

function isValid(proof: Proof | undefined, nowMs: number, key?: string): boolean {
  return proof !== undefined && nowMs - proof.atMs < PROOF_MS && (key === undefined || proof.key === key)
}
