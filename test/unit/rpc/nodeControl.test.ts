/** Behaviour that no recorded case covers: rejected blocks, changes of the head, calls that take too long. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { rlpDecode } from '../../../src/base/primitives/rlp.ts'
import { encodedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { openRecordedChain, type RecordedChainOptions } from '../../support/recorded/recordedRpc.ts'

const genesisFile = recordedPath('besu/frontier/genesis.json')
const blocksFile = recordedPath('besu/frontier/blocks.bin')

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function open(options: Partial<RecordedChainOptions> = {}) {
  const opened = await openRecordedChain({ genesisFile: genesisFile ?? '', blocksFile, ...options })
  const call = async (method: string, ...params: unknown[]): Promise<Answer> => {
    const { body } = await opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(body) as Answer
  }
  return { ...opened, call }
}

describe('control of a node (recorded chain)', () => {
  it('shows rejected blocks until the state is loaded again', async () => {
    const { chain, call } = await open({ blocksFile: undefined })
    const blocks: Uint8Array[] = []
    for await (const rlp of readBlocks([readFileSync(blocksFile)])) blocks.push(rlp)
    const block = decodeBlock(rlpDecode(blocks[1] ?? new Uint8Array(0)))
    const header = { ...block.header, gasUsed: block.header.gasUsed + 1n }
    const outcome = await chain.import({ ...block, header }, { verifySeal: false })
    expect(outcome.kind).toBe('invalid')
    const { result } = await call('debug_getBadBlocks')
    const [bad] = result as {
      block: { transactions: { from: string }[]; totalDifficulty: string }
      hash: string
      rlp: string
    }[]
    expect(bad?.hash).toBe(bytesToHex(outcome.kind === 'invalid' ? outcome.hash : new Uint8Array(0)))
    expect(bad?.block.totalDifficulty).toBe(`0x${header.difficulty.toString(16)}`)
    expect(bad?.block.transactions[0]?.from).toBe('0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b')
    expect(bad?.rlp).toMatch(/^0xf9/)
    expect(await call('debug_resyncWorldState')).toMatchObject({ result: 'Success' })
    expect(await call('debug_getBadBlocks')).toMatchObject({ result: [] })
  })

  it('moves the head, and answers from its state', async () => {
    const { call } = await open()
    const account = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b'
    const before = await call('eth_getTransactionCount', account, '0x10')
    expect(await call('debug_setHead', '0x10')).toMatchObject({ result: 'Success' })
    expect(await call('eth_blockNumber')).toMatchObject({ result: '0x10' })
    expect(await call('eth_getTransactionCount', account, 'latest')).toEqual(before)
    expect(await call('eth_getBlockByNumber', '0x11', false)).toMatchObject({ result: null })
    expect(await call('debug_setHead', '0x20')).toMatchObject({ error: { code: -39001 } })
  })

  it('does not make a block without a state the head, and says why', async () => {
    const { chain: source } = await open()
    const blocks = [...source.exportBlocks({ startBlock: 1, endBlock: 4 })]
    const prepared = await prepareBlocks(
      blocks.map((rlp) => encodedBlock(decodeBlock(rlp), source.consensus, rlp)),
      TEST_SENDERS,
    )
    const { chain, call } = await open({ blocksFile: undefined })
    const run = prepared.map((block) => ({ prepared: block, receipts: source.receipts(block.hash) ?? [] }))
    await chain.insert(run, { isPivot: true, verifySeal: false })
    expect(chain.head.header.number).toBe(3n)
    for (const method of ['debug_setHead', 'debug_replayBlock']) {
      expect(await call(method, '0x2'), method).toMatchObject({
        error: { code: -32000, message: 'World state unavailable' },
      })
    }
    expect(chain.head.header.number).toBe(3n)
  })

  it('aborts calls that take too long, and answers others meanwhile', async () => {
    const { call } = await open({ callTimeoutMs: 30, profile: 'geth' })
    const endless = call('eth_call', { data: '0x5b600056', gas: '0x5f5e100' }, 'latest')
    const started = performance.now()
    expect(await call('eth_blockNumber')).toMatchObject({ result: '0x20' })
    expect((await endless).error?.message).toContain('timeout')
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('refuses to send a transaction for an account, and names eth_sendRawTransaction', async () => {
    const { call } = await open({ blocksFile: undefined })
    expect(await call('eth_sendTransaction', {})).toMatchObject({
      error: { code: -32604, message: expect.stringContaining('Use eth_sendRawTransaction') },
    })
  })
})

describe('answers by profile (recorded chain)', () => {
  const contract = '0x6295ee1b4f6dd65047762f924ecd367c17eabf8f'
  const absent = `0x${'77'.repeat(20)}`
  const reverting = { from: absent, data: '0xfe' }

  it('besu', async () => {
    const { call } = await open()
    expect(await call('eth_call', { to: contract })).toMatchObject({ error: { code: -32602 } })
    expect(await call('eth_call', reverting, 'latest')).toMatchObject({ error: { code: -32603 } })
    expect(await call('eth_getProof', absent, [], 'latest')).toMatchObject({ error: { message: 'Account not found' } })
    expect(await call('eth_getBalance', absent, '0x100')).toMatchObject({ error: { message: 'Block not found' } })
    // The balance is not checked unless the client requests it.
    const paying = { from: absent, to: contract, value: '0x1' }
    expect(await call('eth_call', paying, 'latest')).toHaveProperty('result')
    expect(await call('eth_call', { ...paying, strict: true }, 'latest')).toMatchObject({ error: { code: -32004 } })
  })

  it('geth', async () => {
    const { call } = await open({ profile: 'geth' })
    expect(await call('eth_call', { to: contract, data: '0x12a7b914' })).toHaveProperty('result')
    expect(await call('eth_call', reverting)).toMatchObject({ error: { code: -32015, message: 'invalid opcode' } })
    expect(await call('eth_getProof', absent, [])).toMatchObject({ result: { balance: '0x0', nonce: '0x0' } })
    expect(await call('eth_getBalance', absent, '0x100')).toMatchObject({ error: { message: 'header not found' } })
    const paying = { from: absent, to: contract, value: '0x1' }
    expect((await call('eth_call', paying)).error?.message).toContain('insufficient funds')
  })
})
