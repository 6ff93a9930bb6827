import { loadNodeFrameCiphers, nodeFrameCiphers } from '../../../../../adapters/server/crypto/frameCiphers.ts'
import type { FrameCiphers } from '../../../../../src/base/ports/frameCipher.ts'
import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import { ByteQueue } from '../../../../../src/net/p2p/rlpx/byteQueue.ts'
import { awaitHandshake, type HandshakeResult, initiateHandshake } from '../../../../../src/net/p2p/rlpx/handshake.ts'
import type { HandshakeForm, HandshakeHost } from '../../../../../src/net/p2p/rlpx/handshakePackets.ts'
import { portableCiphers } from '../../../../../src/net/p2p/rlpx/portableCiphers.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'

export const CIPHERS: readonly (readonly [string, FrameCiphers])[] = [
  ['portable', portableCiphers],
  ['of Node', nodeFrameCiphers],
  ['of Node with WebAssembly', await loadNodeFrameCiphers()],
]

export function hostOf(seed: number, ciphers: FrameCiphers = nodeFrameCiphers): HandshakeHost {
  const random = new SeededRandom(seed)
  return { signer: createSigner(random), random, ciphers }
}

/** A queue that holds a copy of the bytes. */
export function queueOf(bytes: Uint8Array): ByteQueue {
  const queue = new ByteQueue()
  queue.push(bytes.slice())
  return queue
}

export interface Handshaken {
  readonly initiator: HandshakeResult
  readonly responder: HandshakeResult
}

/** A complete handshake of two hosts. */
export function shakeHands(a: HandshakeHost, b: HandshakeHost, form?: HandshakeForm): Handshaken {
  const first = initiateHandshake(a, b.signer.publicKey, form)
  const responder = awaitHandshake(b).read(queueOf(first.opening))
  const initiator = first.read(queueOf(responder?.reply as Uint8Array))
  if (responder === undefined || initiator === undefined) throw new Error('the handshake is incomplete')
  return { initiator, responder }
}
