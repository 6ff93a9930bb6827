import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMirror } from '../../../adapters/workers/mirror.ts'
import { MAX_MIRROR_BLOCKS_BYTES, MAX_MIRROR_GENESIS_BYTES } from '../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'

const LONDON = path.resolve(import.meta.dirname, '../../vectors/besu/london')
const genesis = readFileSync(path.join(LONDON, 'genesis.json'))
const blocks = readFileSync(path.join(LONDON, 'blocks.bin'))
const MIB = 1024 * 1024

/** A namespace whose streams arrive in chunks. */
function namespace(values: Readonly<Record<string, Iterable<Uint8Array>>>) {
  return {
    get: async (key: string) => {
      const value = values[key]
      return value === undefined ? null : streamOf(value)
    },
  }
}

function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream({
    pull: (controller) => {
      const next = iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}

function* pieces(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield new Uint8Array(bytes.subarray(at, at + length))
}

/** Starts like a block of 48 MiB. */
function* hugeBlock(): Generator<Uint8Array> {
  yield new Uint8Array([0xfb, 0x03, 0x00, 0x00, 0x00])
  yield* endless()
}

/** Longer than any value in a namespace. */
function* endless(): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(MIB).fill(0x20)
}

const evmModule = await compileNativeModule()
const open = (values: Readonly<Record<string, Iterable<Uint8Array>>>) =>
  openMirror(namespace(values), silentLogger, evmModule)

describe('the chain of a namespace', () => {
  it('is read in chunks of any size', async () => {
    const node = await open({ 'genesis.json': pieces(genesis, 7), 'blocks.rlp': pieces(blocks, 333) })
    expect(node.chain.head.header.number).toBe(5n)
  })

  it('may have no blocks', async () => {
    expect((await open({ 'genesis.json': pieces(genesis, 4096) })).chain.head.header.number).toBe(0n)
  })

  it('answers under any host name, but not to pages of other sites', async () => {
    const node = await open({ 'genesis.json': pieces(genesis, 4096) })
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
    const post = (headers: Record<string, string>) =>
      node.fetch(new Request('https://mirror.example/', { method: 'POST', body, headers }))
    expect((await post({ Host: 'mirror.example' })).status).toBe(200)
    expect((await post({ Origin: 'https://stranger.example' })).status).toBe(403)
  })

  it('is refused without a genesis', async () => {
    await expect(open({})).rejects.toThrow('the KV namespace CHAIN has no genesis.json')
  })

  it('is refused when it is too long', async () => {
    await expect(open({ 'genesis.json': endless() })).rejects.toThrow(
      `genesis.json is longer than ${MAX_MIRROR_GENESIS_BYTES} bytes`,
    )
    await expect(open({ 'genesis.json': pieces(genesis, 4096), 'blocks.rlp': hugeBlock() })).rejects.toThrow(
      `blocks.rlp is longer than ${MAX_MIRROR_BLOCKS_BYTES} bytes`,
    )
  })
})
