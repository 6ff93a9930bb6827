import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadNodeFrameCiphers, nodeFrameCiphers } from '../../../../../adapters/server/crypto/frameCiphers.ts'
import { MAX_RLPX_FRAME_BYTES } from '../../../../../src/base/limits/limits.ts'
import type { FrameCiphers } from '../../../../../src/base/ports/frameCipher.ts'
import { concatBytes, equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../../src/base/primitives/errors.ts'
import { ByteQueue } from '../../../../../src/net/p2p/rlpx/byteQueue.ts'
import { FrameReader, FrameWriter } from '../../../../../src/net/p2p/rlpx/frames.ts'
import { portableCiphers } from '../../../../../src/net/p2p/rlpx/portableCiphers.ts'
import type { FrameSecrets } from '../../../../../src/net/p2p/rlpx/secrets.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { CIPHERS, queueOf } from './handshakes.ts'

const bytes = (length: number): Uint8Array => new SeededRandom(length).bytes(length)

/** Both directions share a key and a MAC state, so that one side reads what it has written. */
function secretsOf(ciphers: FrameCiphers): FrameSecrets {
  const state = () => {
    const hash = ciphers.runningKeccak256()
    hash.update(new Uint8Array(32).fill(3))
    return hash
  }
  return {
    aes: new Uint8Array(32).fill(1),
    mac: new Uint8Array(32).fill(2),
    egress: state(),
    ingress: state(),
  }
}

const writerOf = (ciphers: FrameCiphers): FrameWriter => new FrameWriter(ciphers, secretsOf(ciphers))
const readerOf = (ciphers: FrameCiphers): FrameReader => new FrameReader(ciphers, secretsOf(ciphers))

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isNodeError(error, 'INVALID_FRAME')) return error.message
    throw error
  }
  return 'accepted'
}

describe('the ciphers of a host', () => {
  it('include Keccak-256 in WebAssembly', async () => {
    const { runningKeccak256 } = await loadNodeFrameCiphers()
    expect(runningKeccak256).not.toBe(nodeFrameCiphers.runningKeccak256)
    const [mine, portable] = [runningKeccak256(), portableCiphers.runningKeccak256()]
    const random = new SeededRandom(8)
    for (let i = 0; i < 50; i++) {
      const part = random.bytes(random.below(400))
      mine.update(part)
      portable.update(part)
      expect(mine.digest()).toEqual(portable.digest())
      runningKeccak256().update(part)
    }
  })
})

describe.each(CIPHERS)('frames with ciphers %s', (_, ciphers) => {
  it('are equal for all ciphers', () => {
    const [mine, portable] = [writerOf(ciphers), writerOf(portableCiphers)]
    for (const length of [1, 15, 16, 17, 1000, 70_001]) {
      expect(equalBytes(mine.write(bytes(length)), portable.write(bytes(length)))).toBe(true)
    }
  })

  it('arrive whole in segments of any size', () => {
    const random = new SeededRandom(5)
    const [writer, reader, queue] = [writerOf(ciphers), readerOf(ciphers), new ByteQueue()]
    const bodies = Array.from({ length: 60 }, (_, i) => bytes(1 + random.below(i % 10 === 0 ? 90_000 : 200)))
    const stream = concatBytes(...bodies.map((body) => writer.write(body.subarray(0, 1), body.subarray(1))))
    let read = 0
    for (let at = 0; at < stream.length; ) {
      const size = 1 + random.below([3, 50, 4000, 30_000][random.below(4)] as number)
      queue.push(stream.slice(at, at + size))
      at += size
      for (let body = reader.read(queue); body !== undefined; body = reader.read(queue)) {
        expect(equalBytes(body, bodies[read++] as Uint8Array)).toBe(true)
      }
    }
    expect([read, queue.length]).toEqual([bodies.length, 0])
  })
})

describe('a frame', () => {
  it('is not copied when it arrives in one segment', () => {
    const segment = writerOf(portableCiphers).write(bytes(50))
    const queue = new ByteQueue()
    queue.push(segment)
    expect(readerOf(portableCiphers).read(queue)?.buffer).toBe(segment.buffer)
  })

  it('is refused when any of its bytes has changed, or when it is repeated', () => {
    const frame = writerOf(portableCiphers).write(bytes(20))
    for (let i = 0; i < frame.length; i++) {
      const changed = frame.slice()
      changed[i] = (changed[i] as number) ^ 1
      const expected = i < 32 ? 'MAC of the header' : 'MAC of the body'
      expect(
        refusal(() => readerOf(portableCiphers).read(queueOf(changed))),
        `byte ${i}`,
      ).toMatch(expected)
    }
    const reader = readerOf(portableCiphers)
    const queue = queueOf(concatBytes(frame, frame))
    expect(reader.read(queue)).toEqual(bytes(20))
    expect(refusal(() => reader.read(queue))).toMatch('MAC of the header')
  })

  it('is hashed and decrypted in parts while it arrives', () => {
    const body = bytes(500_000)
    const frame = writerOf(portableCiphers).write(body)
    for (const changed of [undefined, 40, 250_000, frame.length - 1]) {
      const [reader, queue] = [readerOf(portableCiphers), new ByteQueue()]
      const sent = frame.slice()
      if (changed !== undefined) sent[changed] = (sent[changed] as number) ^ 1
      let at = 0
      for (const segment of [1, 70_000, 32, 64_000, 10, 100_000]) {
        queue.push(sent.slice(at, at + segment))
        at += segment
        expect(reader.read(queue)).toBeUndefined()
        expect(queue.length).toBeLessThan(65_536)
      }
      queue.push(sent.slice(at))
      if (changed === undefined) expect(equalBytes(reader.read(queue) as Uint8Array, body)).toBe(true)
      else expect(refusal(() => reader.read(queue))).toMatch('MAC of the body')
    }
  })

  it('has a bound, which applies before the body arrives', () => {
    const header = writerOf(portableCiphers).write(bytes(2000)).subarray(0, 32)
    expect(refusal(() => readerOf(portableCiphers).read(queueOf(header), 1999))).toMatch('body of 2000 bytes')
    expect(readerOf(portableCiphers).read(queueOf(header), 2000)).toBeUndefined()
    expect(() => writerOf(portableCiphers).write(new Uint8Array(0))).toThrow(RangeError)
    expect(() => writerOf(portableCiphers).write(new Uint8Array(MAX_RLPX_FRAME_BYTES + 1))).toThrow(RangeError)
  })

  it('is awaited or refused for any bytes', () => {
    const check = (input: Uint8Array): void => void refusal(() => readerOf(portableCiphers).read(queueOf(input)))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check), { seed: 4, numRuns: 1000 })
  })
})

describe('the queue of received bytes', () => {
  it('returns the bytes in order, however they were pushed and taken', () => {
    const random = new SeededRandom(6)
    const all = bytes(300_000)
    const queue = new ByteQueue()
    let [pushed, taken] = [0, 0]
    while (taken < all.length) {
      const size = 1 + random.below([2, 100, 5000][random.below(3)] as number)
      if (random.chance(0.6)) {
        queue.push(all.slice(pushed, pushed + size))
        pushed = Math.min(pushed + size, all.length)
      } else {
        const count = Math.min(size, queue.length)
        expect(equalBytes(queue.peek(count), all.subarray(taken, taken + count))).toBe(true)
        expect(equalBytes(queue.take(count), all.subarray(taken, taken + count))).toBe(true)
        taken += count
      }
      expect(queue.length).toBe(pushed - taken)
    }
    expect(() => queue.take(1)).toThrow(RangeError)
  })

  it('returns arrays whose slices are copies, whatever the host passes', () => {
    const queue = new ByteQueue()
    queue.push(Buffer.from([1, 2, 3]))
    const taken = queue.take(2)
    taken.slice()[0] = 9
    expect(taken).toEqual(Uint8Array.of(1, 2))
  })

  it('joins many small chunks', () => {
    const queue = new ByteQueue()
    for (let i = 0; i < 50_000; i++) queue.push(Uint8Array.of(i, i >>> 8))
    expect(queue.length).toBe(100_000)
    for (let i = 0; i < 50_000; i++) if (queue.take(2)[1] !== ((i >>> 8) & 255)) throw new Error(`chunk ${i}`)
    expect(queue.length).toBe(0)
  })
})
