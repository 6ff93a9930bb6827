/** Any bytes are refused, awaited or accepted by each parser of RLPx; nothing else is thrown, and none takes long. */
import { expect, it } from 'vitest'
import { concatBytes } from '../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { decodeDisconnect, encodeDisconnect } from '../../src/net/p2p/rlpx/disconnect.ts'
import { FrameReader } from '../../src/net/p2p/rlpx/frames.ts'
import { awaitHandshake, initiateHandshake } from '../../src/net/p2p/rlpx/handshake.ts'
import { decodeHello, encodeHello } from '../../src/net/p2p/rlpx/hello.ts'
import { MessageCodec } from '../../src/net/p2p/rlpx/messageCodec.ts'
import { snappyCompress, snappyDecompress } from '../../src/net/p2p/rlpx/snappy.ts'
import { SeededRandom } from '../simulation/seededRandom.ts'
import { hostOf, queueOf, shakeHands } from '../unit/net/p2p/rlpx/handshakes.ts'
import { longCount } from './count.ts'

/** Without a number of runs from the outside. */
const DEFAULT_RUNS = 20_000
/** One in this number of runs parses a handshake, which takes a thousand times longer. */
const HANDSHAKE_SHARE = 500
const REFUSALS = ['INVALID_HANDSHAKE', 'INVALID_FRAME', 'INVALID_SNAPPY', 'INVALID_P2P_MESSAGE']

const random = new SeededRandom(Number(process.env['ISONODE_FUZZ_SEED'] ?? 1))
const [a, b] = [hostOf(1), hostOf(2)]
const hello = encodeHello({
  version: 5,
  clientId: 'isonode/v0.1.0/linux-x64',
  capabilities: ['eth', 'snap', 'istanbul'].map((name, i) => ({ name, version: 66 + i })),
  port: 30303,
  nodeId: a.signer.publicKey,
})

/** A valid value with some bytes changed, removed or repeated; or bytes without any form. */
function mutated(valid: Uint8Array): Uint8Array {
  if (random.chance(0.2)) return random.bytes(random.below(valid.length * 2))
  let bytes: Uint8Array = valid.slice()
  for (let i = random.below(4); i > 0 && bytes.length > 0; i--) {
    const at = random.below(bytes.length)
    const kind = random.below(4)
    if (kind === 0) bytes = concatBytes(bytes.subarray(0, at), bytes.subarray(at + random.below(4)))
    else if (kind === 1) bytes = concatBytes(bytes.subarray(0, at), bytes.subarray(at >>> 1))
    else bytes[at] = kind === 2 ? random.below(256) : (bytes[at] as number) ^ (1 << random.below(8))
  }
  return bytes
}

const auth = initiateHandshake(a, b.signer.publicKey)
const ack = awaitHandshake(b).read(queueOf(auth.opening))?.reply as Uint8Array
const { initiator, responder } = shakeHands(a, b)
const compressing = new MessageCodec()
compressing.startCompression()
compressing.decode(Uint8Array.of(2, ...snappyCompress(new Uint8Array(1))))

const HANDSHAKES = [
  () => awaitHandshake(b).read(queueOf(mutated(auth.opening))),
  () => auth.read(queueOf(mutated(ack))),
]
const PARSERS = [
  () => decodeHello(mutated(hello)),
  () => decodeDisconnect(mutated(encodeDisconnect('timeout'))),
  () =>
    snappyDecompress(mutated(snappyCompress(concatBytes(hello, hello.subarray(random.below(hello.length))))), 100_000),
  () => compressing.decode(mutated(Uint8Array.of(0x10, ...snappyCompress(hello)))),
  () => new MessageCodec().decode(mutated(Uint8Array.of(0x82, 1, 2, 3))),
  () => new FrameReader(a.ciphers, initiator.secrets).read(queueOf(random.bytes(random.below(100)))),
  () => new FrameReader(b.ciphers, responder.secrets).read(queueOf(random.bytes(32 + random.below(100)))),
]

it('refuses or reads any bytes', () => {
  const runs = Number.isFinite(longCount) ? longCount : DEFAULT_RUNS
  const outcomes = new Map<string, number>()
  for (let run = 0; run < runs; run++) {
    const parsers = run % HANDSHAKE_SHARE === 0 ? HANDSHAKES : PARSERS
    const parse = parsers[random.below(parsers.length)] as () => unknown
    let outcome = 'read'
    try {
      if (parse() === undefined) outcome = 'awaited'
    } catch (error) {
      if (!isNodeError(error)) throw error
      outcome = error.code
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  expect([...outcomes.keys()].sort()).toEqual([...REFUSALS, 'awaited', 'read'].sort())
})
