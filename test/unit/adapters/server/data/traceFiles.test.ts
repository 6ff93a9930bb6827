import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TraceFolder } from '../../../../../adapters/server/data/traceFiles.ts'
import { hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { decodeBlock } from '../../../../../src/types/blockCodec.ts'
import { eventually } from '../../../../support/host/eventually.ts'
import { ALICE, BOB } from '../../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../../support/nodes/devNodeInMemory.ts'

const CONTRACT = `0x${'c0'.repeat(20)}`
const ABSENT = `0x${'11'.repeat(32)}`

let home: string
let directory: string
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'isonode-traces-'))
  directory = path.join(home, 'traces')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

interface Made {
  readonly node: OpenedNode
  readonly block: { readonly hash: string; readonly transactions: readonly string[] }
}

/** A node with a block of two transactions: a call of `code`, then a transfer. */
async function nodeWithBlock(code: string, maxBytes?: number): Promise<Made> {
  const traceFiles = new TraceFolder({ directory, ...(maxBytes === undefined ? {} : { maxBytes }) })
  const node = await openDevNode({}, undefined, { traceFiles })
  await node.rpc('anvil_setCode', CONTRACT, code)
  await node.rpc('evm_setAutomine', false)
  await node.rpc('eth_sendTransaction', { from: ALICE.address, to: CONTRACT, gas: '0x4c4b40' })
  await node.rpc('eth_sendTransaction', { from: BOB.address, to: ALICE.address, value: '0x1', gas: '0x5208' })
  await node.rpc('evm_mine')
  return { node, block: await node.rpc('eth_getBlockByNumber', 'latest', false) }
}

const files = (): string[] => readdirSync(directory).sort()

describe('a folder of trace files', () => {
  const write = async (): Promise<string> => {
    const file = await new TraceFolder({ directory }).create('trace')
    await file.close()
    await file.publish()
    return file.path
  }

  it('and its files are accessible only to their owner', async () => {
    const file = await write()
    expect([directory, file].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600])
  })

  it('that is a link is not followed', async () => {
    const elsewhere = path.join(home, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, directory)
    await expect(write()).rejects.toMatchObject({ code: 'TRACE_FILE_FAILED' })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('debug_standardTraceBlockToFile', () => {
  it('writes a file for each transaction and answers with their absolute paths', async () => {
    const { node, block } = await nodeWithBlock('0x6001600255')
    const paths = await node.rpc<string[]>('debug_standardTraceBlockToFile', block.hash)
    const [call, transfer] = block.transactions as [string, string]
    const prefix = `block_${block.hash.slice(0, 10)}`
    expect(paths).toEqual([
      path.join(directory, `${prefix}-0-${call.slice(0, 10)}-1800000000000`),
      path.join(directory, `${prefix}-1-${transfer.slice(0, 10)}-1800000000000`),
    ])
    expect(files()).toEqual(paths.map((file) => path.basename(file)))
    const lines = readFileSync(paths[0] as string, 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line).opName)).toEqual(['PUSH1', 'PUSH1', 'SSTORE', undefined])
    expect(readFileSync(paths[1] as string, 'utf8')).toMatch(/^\{"output":"","gasUsed":"0x5208","time":\d+\}\n$/)
    await node.node.close()
  })

  it('traces a single transaction, with memory on request', async () => {
    const { node, block } = await nodeWithBlock('0x600160005200')
    const [call] = block.transactions as [string]
    const write = async (options: object): Promise<string> => {
      const paths = await node.rpc<string[]>('debug_standardTraceBlockToFile', block.hash, { txHash: call, ...options })
      expect(paths).toHaveLength(1)
      return readFileSync(paths[0] as string, 'utf8')
    }
    expect(await write({})).not.toContain('"memory"')
    expect(await write({ disableMemory: true })).not.toContain('"memory"')
    expect(await write({ disableMemory: false })).toContain(`"memory":"0x${'00'.repeat(31)}01"`)
    expect(await node.rpc('debug_standardTraceBlockToFile', block.hash, { txHash: ABSENT })).toEqual([])
    await node.node.close()
  })

  it('rejects unknown blocks, and writes nothing for a block without transactions', async () => {
    const { node } = await nodeWithBlock('0x00')
    for (const method of ['debug_standardTraceBlockToFile', 'debug_standardTraceBadBlockToFile'])
      await expect(node.rpc(method, ABSENT)).rejects.toMatchObject({ code: -32000 })
    const genesis = await node.rpc<{ hash: string }>('eth_getBlockByNumber', '0x0', false)
    expect(await node.rpc('debug_standardTraceBlockToFile', genesis.hash)).toEqual([])
    await node.node.close()
  })

  it('reports an error on hosts without files', async () => {
    const node = await openDevNode()
    await node.rpc('eth_sendTransaction', { from: ALICE.address, to: BOB.address })
    const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    await expect(node.rpc('debug_standardTraceBlockToFile', hash)).rejects.toMatchObject({
      code: -32000,
      message: 'There is no place for trace files',
    })
    await node.node.close()
  })

  it('traces a rejected block on top of its parent', async () => {
    const { node, block } = await nodeWithBlock('0x6001600255')
    const good = decodeBlock(hexToBytes(await node.rpc<string>('debug_getRawBlock', 'latest')))
    const spoiled = { ...good, header: { ...good.header, gasUsed: 77n } }
    expect((await node.node.chain.import(spoiled, { verifySeal: false })).kind).toBe('invalid')
    const [bad] = await node.rpc<{ hash: string }[]>('debug_getBadBlocks')
    await expect(node.rpc('debug_standardTraceBadBlockToFile', block.hash)).rejects.toMatchObject({ code: -32000 })
    const paths = await node.rpc<string[]>('debug_standardTraceBadBlockToFile', bad?.hash)
    expect(paths).toHaveLength(2)
    expect(paths[0]).toContain(`block_${bad?.hash.slice(0, 10)}-0-`)
    expect(readFileSync(paths[0] as string, 'utf8')).toContain('"opName":"SSTORE"')
    await node.node.close()
  })

  it('leaves nothing behind when the files occupy too much space, and continues when space is available again', async () => {
    // Counts down for a long time.
    const { node, block } = await nodeWithBlock('0x6127105b6001900380600357', 3_000_000)
    await expect(node.rpc('debug_standardTraceBlockToFile', block.hash)).rejects.toMatchObject({
      code: -32000,
      message: 'The trace files take too much room',
    })
    expect(files()).toEqual([])
    const [, transfer] = block.transactions
    expect(await node.rpc('debug_standardTraceBlockToFile', block.hash, { txHash: transfer })).toHaveLength(1)
    await node.node.close()
  })

  it('leaves nothing behind when the client disconnects meanwhile', async () => {
    const { node, block } = await nodeWithBlock('0x61ffff5b6001900380600357')
    const params = [block.hash]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_standardTraceBlockToFile', params })
    let pending: { abort(reason: unknown): void } | undefined
    const answer = node.node.endpoints.get('http').exchange.handle({
      body,
      onPending: (request) => {
        pending = request
      },
    })
    await eventually(() => expect(files()).toHaveLength(1), 1)
    pending?.abort(new DOMException('the client has disconnected', 'AbortError'))
    expect(JSON.parse((await answer).body).error).toMatchObject({ message: 'execution aborted' })
    expect(files()).toEqual([])
    await node.node.close()
  })

  it('writes more than the bound of its buffer', async () => {
    const { node, block } = await nodeWithBlock('0x6127105b6001900380600357')
    const [file] = await node.rpc<string[]>('debug_standardTraceBlockToFile', block.hash)
    const lines = readFileSync(file as string, 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(1 + 7 * 10_000 + 1)
    expect(lines.every((line) => typeof JSON.parse(line) === 'object')).toBe(true)
    await node.node.close()
  })
})

describe('a folder of trace files', () => {
  const text = new TextEncoder().encode('line\n')

  it('removes leftovers of a crash, and keeps complete files', async () => {
    const first = await new TraceFolder({ directory }).create('a')
    first.sink.write(text.slice())
    await first.close()
    const [left] = files()
    expect(left).not.toBe('a')
    writeFileSync(path.join(directory, 'complete'), 'x')
    const next = await new TraceFolder({ directory }).create('b')
    next.sink.write(text.slice())
    await next.close()
    await next.publish()
    expect(files()).toEqual(['b', 'complete'])
    expect(readFileSync(next.path, 'utf8')).toBe('line\n')
  })

  it('discards a file whether it is published or not', async () => {
    const folder = new TraceFolder({ directory })
    const open = await folder.create('open')
    open.sink.write(text.slice())
    const published = await folder.create('published')
    await published.close()
    await published.publish()
    await open.discard()
    await published.discard()
    expect(files()).toEqual([])
    await expect(open.sink.drained()).rejects.toMatchObject({ code: 'TRACE_FILE_FAILED' })
  })

  it('reports that it cannot be written to', async () => {
    writeFileSync(directory, 'a file in the way')
    await expect(new TraceFolder({ directory }).create('a')).rejects.toMatchObject({ code: 'TRACE_FILE_FAILED' })
  })
})
