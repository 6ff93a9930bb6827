// slow: many accounts
/** Dump and load of the whole chain. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { DEV_ACCOUNTS, devGenesis } from '../../../src/config/devGenesis.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const STRANGER = '0x00000000000000000000000000000000000000aa'
const SENDER = '0x00000000000000000000000000000000000000bb'
/** Stores the caller's word at its slot, or destroys itself in its constructor's transaction; emits a log. */
const STORE_AND_LOG = '0x60003560203555602035600052602060006000a1'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
const UNKNOWN_GENESIS = () => {
  const json = devGenesis() as { alloc: Record<string, unknown> }
  return { ...json, timestamp: '0x10', alloc: { ...json.alloc, [STRANGER.slice(2)]: { balance: '7' } } }
}

const opened: OpenedNode[] = []
const open = async (...args: Parameters<typeof openDevNode>): Promise<OpenedNode> => {
  const node = await openDevNode(...args)
  opened.push(node)
  return node
}
afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

const word = (value: number) => value.toString(16).padStart(64, '0')

/** Blocks of every kind: amended before, between and after them, impersonated, with set base fees, failing. */
async function makeHistory({ rpc }: OpenedNode): Promise<void> {
  await rpc('anvil_setBalance', STRANGER, '0x64')
  await rpc('anvil_setCode', CONTRACT, STORE_AND_LOG)
  await rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
  await rpc('anvil_setNonce', BOB, '0xffffffffffffff0')
  await rpc('anvil_setStorageAt', CONTRACT, '0x5', `0x${word(9)}`)
  for (const [value, slot] of [
    [1, 1],
    [2, 2],
    [0, 1],
  ] as const) {
    await rpc('eth_sendTransaction', { from: ALICE, to: CONTRACT, data: `0x${word(value)}${word(slot)}` })
  }
  await rpc('anvil_impersonateAccount', SENDER)
  await rpc('anvil_setBalance', SENDER, '0xde0b6b3a7640000')
  await rpc('eth_sendTransaction', { from: SENDER, to: BOB, value: '0x5' })
  await rpc('anvil_setNextBlockBaseFeePerGas', '0x5')
  await rpc('anvil_mine', 3)
  await rpc('eth_sendTransaction', { from: ALICE, data: '0x600060006000fd', gas: '0x186a0' })
  await rpc('eth_sendTransaction', { from: ALICE, gasPrice: '0x77359400', data: '0x6001600055600160005260206000f3' })
  await rpc('anvil_setBalance', BOB, '0x77')
}

/** Everything that clients can see, in all blocks. */
async function seen({ rpc }: OpenedNode): Promise<unknown> {
  const height = Number(await rpc('eth_blockNumber'))
  const blocks = []
  for (let number = 0; number <= height; number++) {
    const tag = `0x${number.toString(16)}`
    const block = await rpc<{ transactions: { hash: string }[] }>('eth_getBlockByNumber', tag, true)
    const receipts = await rpc('eth_getBlockReceipts', tag)
    const accounts = []
    for (const address of [ALICE, BOB, STRANGER, SENDER, CONTRACT]) {
      accounts.push(await rpc('eth_getProof', address, ['0x1', '0x2', '0x5'], tag))
      accounts.push(await rpc('eth_getCode', address, tag))
    }
    const traces = number === 0 ? [] : await rpc('debug_traceBlockByNumber', tag, { tracer: 'prestateTracer' })
    blocks.push({ block, receipts, accounts, traces })
  }
  const logs = await rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: CONTRACT })
  const byAccount = await rpc('trace_filter', { fromBlock: '0x0', toBlock: 'latest', fromAddress: [SENDER] })
  return { blocks, logs, byAccount }
}

const changed = (dump: string, change: (text: string) => string): string => {
  const text = gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()
  return `0x${gzipSync(change(text)).toString('hex')}`
}

describe('a dump', () => {
  it('restores everything on another node, which continues from there', async () => {
    const first = await open()
    await makeHistory(first)
    const before = await seen(first)
    const dump = await first.rpc<string>('anvil_dumpState')
    const second = await open()
    await second.rpc('eth_sendTransaction', { from: ALICE, to: BOB })
    expect(await second.rpc('anvil_loadState', dump)).toBe(true)
    expect(await seen(second)).toEqual(before)
    await second.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
    expect(await second.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x66')
    await second.rpc('anvil_rollback', 1)
    expect(await seen(second)).toEqual(before)
    await second.rpc('anvil_rollback', 4)
    await second.rpc('anvil_reset')
    expect(await second.rpc('eth_blockNumber')).toBe('0x0')
    expect(await second.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x0')
    await second.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
    expect(await second.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x1')
  })

  it('is the same after it was loaded, except for the pace of the clock', async () => {
    const first = await open()
    await makeHistory(first)
    const dump = await first.rpc<string>('anvil_dumpState')
    const second = await open()
    await second.rpc('anvil_loadState', dump)
    const again = await second.rpc<string>('anvil_dumpState')
    expect(gunzipSync(Buffer.from(again.slice(2), 'hex'))).toEqual(gunzipSync(Buffer.from(dump.slice(2), 'hex')))
  })

  it('restores an earlier state of the same node', async () => {
    const node = await open()
    await makeHistory(node)
    const before = await seen(node)
    const dump = await node.rpc<string>('anvil_dumpState')
    await node.rpc('anvil_setBalance', STRANGER, '0x999')
    await node.rpc('evm_snapshot')
    await node.rpc('anvil_reorg', 3, [])
    await node.rpc('anvil_mine', 5)
    await node.rpc('hardhat_loadState', dump)
    expect(await seen(node)).toEqual(before)
    expect(await node.rpc('evm_revert', '0x1')).toBe(false)
  })

  it.each([['a node with another genesis block', async () => open({}, new MemoryStore(), {}, UNKNOWN_GENESIS())]])(
    'is loaded by %s',
    async (_name, other) => {
      const first = await open()
      await makeHistory(first)
      const before = await seen(first)
      const second = await other()
      await second.rpc('eth_sendTransaction', { from: ALICE, to: BOB })
      const own = await seen(second)
      const ownDump = await second.rpc<string>('anvil_dumpState')
      await second.rpc('anvil_loadState', await first.rpc('anvil_dumpState'))
      expect(await seen(second)).toEqual(before)
      expect(await second.rpc('eth_getBlockByNumber', 'earliest', false)).toEqual(
        await first.rpc('eth_getBlockByNumber', 'earliest', false),
      )
      await second.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
      expect(await second.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x66')
      await second.rpc('anvil_loadState', ownDump)
      expect(await seen(second)).toEqual(own)
      await second.rpc('anvil_loadState', await first.rpc('anvil_dumpState'))
      await second.rpc('anvil_reset')
      expect(await second.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x7')
      await second.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
      expect(await second.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x8')
    },
  )

  it('is loaded with the states that it has when the earlier ones are missing', async () => {
    const first = await open()
    await makeHistory(first)
    const second = await open()
    await second.rpc('anvil_loadState', changed(await first.rpc('anvil_dumpState'), withoutOwnParts))
    await second.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
    const dump = await second.rpc<string>('anvil_dumpState')
    const third = await open()
    await third.rpc('anvil_loadState', dump)
    for (const address of [ALICE, BOB, STRANGER, CONTRACT])
      expect(await third.rpc('eth_getProof', address, ['0x1'], 'latest')).toEqual(
        await second.rpc('eth_getProof', address, ['0x1'], 'latest'),
      )
    await third.rpc('anvil_rollback', 1)
    expect(await third.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x65')
    await expect(third.rpc('anvil_rollback', 1)).rejects.toThrow('is not available')
  })

  it('survives a restart of the node that loaded it', async () => {
    const first = await open()
    await makeHistory(first)
    const before = await seen(first)
    const kv = new MemoryStore()
    const second = await open({}, kv, {}, UNKNOWN_GENESIS())
    await second.rpc('anvil_loadState', await first.rpc('anvil_dumpState'))
    await second.node.close()
    const third = await open({}, kv, {}, UNKNOWN_GENESIS())
    expect(await seen(third)).toEqual(before)
    await third.rpc('anvil_reset')
    expect(await third.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x7')
  })
})

/** A dump in anvil's form: it has the state after the last block only. */
function withoutOwnParts(text: string): string {
  const dump = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(Object.fromEntries(Object.entries(dump).filter(([name]) => !name.startsWith('isonode'))))
}

describe('a dump that is not valid changes nothing', () => {
  const prepare = async () => {
    const node = await open()
    await makeHistory(node)
    const dump = await node.rpc<string>('anvil_dumpState')
    await node.rpc('anvil_mine', 2)
    return { node, dump, before: await seen(node) }
  }

  it('when it is cut, of another version, changed, or not a dump at all', async () => {
    const { node, dump, before } = await prepare()
    const cases: [string, string | RegExp][] = [
      [dump.slice(0, 2 * Math.floor(dump.length / 4)), 'its compression is damaged or cut'],
      [changed(dump, (text) => text.slice(0, text.length / 2)), 'it is incomplete, its end is missing'],
      [
        changed(dump, (text) => text.slice(0, text.lastIndexOf('"isonode_end"'))),
        'it is incomplete, its end is missing',
      ],
      [
        changed(dump, (text) => text.replace('"format":1', '"format":2')),
        'its format is 2, this version reads format 1',
      ],
      [
        changed(dump, (text) => text.replace('"best_block_number":', '"best_block_number":1')),
        'its checksum does not match',
      ],
      [
        changed(dump, (text) => text.replace('"after":{"nonce":"0x1"', '"after":{"nonce":"0x3"')),
        'the state after block',
      ],
      [changed(dump, (text) => `${text}x`), 'data follow its end'],
      [changed(dump, (text) => text.replace(/"receipts":"0x[0-9a-f]+"/, '"receipts":"0xc0"')), 'the receipts of block'],
      [changed(dump, (text) => text.replace(/"rlp":"0x/, '"rlp":"0x00')), 'a block cannot be decoded'],
      [changed(dump, () => '{}'), 'it has no accounts'],
      [
        changed(dump, (text) => withoutOwnParts(text).replace(/"nonce":(?:\d+|"0x\w+")/g, '"nonce":{}')),
        'data: expected',
      ],
      [changed(dump, () => ''), 'it is empty'],
      ['0x', 'it is empty'],
      ['0x7b22', 'it is not complete JSON'],
      ['0xff00ff', 'it is not UTF-8'],
    ]
    for (const [bytes, message] of cases) {
      const error = await node.rpc('anvil_loadState', bytes).catch((thrown: Error) => thrown)
      expect(error, String(message)).toMatchObject({ code: -32602, message: expect.stringContaining(String(message)) })
    }
    expect(await seen(node)).toEqual(before)
    await node.rpc('eth_sendTransaction', { from: ALICE, to: BOB })
  })
})
