// slow: expands 128 MiB
/** Dumps that are made to exhaust the memory or the time of the node that loads them. */
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MAX_ANVIL_DUMP_BYTES } from '../../../src/base/limits/limits.ts'
import { TimeSlicer } from '../../../src/base/ports/yieldToHost.ts'
import type { ChainLoad } from '../../../src/chain/dev/load.ts'
import { loadDump } from '../../../src/rpc/dump/readDump.ts'

const Decompression = DecompressionStream
const LOAD = { begin: async () => {} } as unknown as ChainLoad

/** Counts the chunks that are taken. */
function counted(chunkOf: (index: number) => Uint8Array | undefined) {
  const source = {
    taken: 0,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunkOf(source.taken)
        if (chunk === undefined) return
        source.taken++
        yield chunk
      }
    },
  }
  return source
}

const encoded = (value: string) => new TextEncoder().encode(value)

const once = (bytes: Uint8Array) => counted((at) => (at === 0 ? bytes : undefined))

/** Counts the expanded bytes. */
class CountingDecompression {
  static bytes = 0
  readonly writable: DecompressionStream['writable']
  readonly readable: ReadableStream<Uint8Array>

  constructor(format: 'gzip') {
    const { readable, writable } = new Decompression(format)
    this.writable = writable
    this.readable = readable.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          CountingDecompression.bytes += chunk.length
          controller.enqueue(chunk)
        },
      }),
    )
  }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a dump', () => {
  it('that is no JSON is refused at its first bytes, not when an endless file has filled the memory', async () => {
    const zeros = counted(() => new Uint8Array(65_536))
    await expect(loadDump(zeros, LOAD, undefined)).rejects.toThrow('it is not complete JSON')
    expect(zeros.taken).toBe(1)
  })

  it('is one JSON object in form, whatever its pieces are', async () => {
    const whole = '{"accounts":{"0x00":{}},"blocks":[],"best_block_number":1}'
    const broken = ['[]', `"${whole}`, `${whole}x`, `${whole}{}`, whole.replace(':1', ''), whole.replace('[]', '[,]')]
    broken.push(whole.replace('[]', '[}'), whole.replace('{}', '{'), whole.replace('[],', '[] 1,'), whole.slice(0, -1))
    for (const text of broken) {
      const loading = loadDump(once(encoded(text)), LOAD, undefined)
      await expect(loading, text).rejects.toThrow('it is not complete JSON')
    }
    await expect(loadDump(once(encoded(` ${whole}\n`)), LOAD, undefined)).rejects.toThrow('it has no best block')
  })

  it('of anvil is expanded up to the limit, not beyond', async () => {
    const bomb = gzipSync(Buffer.concat([encoded('{"accounts":{'), Buffer.alloc(2 * MAX_ANVIL_DUMP_BYTES, ' ')]), {
      level: 1,
    })
    vi.stubGlobal('DecompressionStream', CountingDecompression)
    CountingDecompression.bytes = 0
    const problem = `a dump of anvil may have at most ${MAX_ANVIL_DUMP_BYTES} bytes`
    await expect(loadDump(once(bomb), LOAD, undefined)).rejects.toThrow(problem)
    expect(CountingDecompression.bytes).toBeLessThan(MAX_ANVIL_DUMP_BYTES + 2 ** 20)
  })

  it('of anvil is parsed in pieces, with pauses', async () => {
    const accounts = Array.from({ length: 100 }, (_, at) => `"0x${at.toString(16).padStart(40, '0')}":{"nonce":1}`)
    const bytes = encoded(`{"block":{},"accounts":{${accounts.join(',')}},"best_block_number":0,"blocks":[]}`)
    let pauses = 0
    const slicer = new TimeSlicer({
      clock: { monotonic: () => 0 },
      yieldToHost: async () => {
        pauses++
      },
      sliceMs: 0,
    })
    await expect(loadDump(once(bytes), LOAD, slicer)).rejects.toThrow('it has no best block')
    expect(pauses).toBeGreaterThan(100)
  })
})
