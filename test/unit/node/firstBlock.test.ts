// slow: hundreds of blocks
/** Chains whose genesis block has another number than 0. */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNode } from '../../../mod.ts'
import { importBlocks } from '../../../src/chain/import.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'
import { graphql } from '../../support/nodes/graphqlNode.ts'

type Json = Readonly<Record<string, string>>

const FIRST = 20_000_123
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** Stores the number of the block and the hash of its parent, and logs the number. */
const READER = '0x4360005560014303406001554360005260206000a000'
const [SENDER] = DEV_ACCOUNTS as unknown as [(typeof DEV_ACCOUNTS)[number]]
const hex = (number: number): string => `0x${number.toString(16)}`
const word = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

const openNode = closedAfterEach()

function genesisAt(number: number, more: object = {}): Record<string, unknown> {
  const json = devGenesis({ number })
  return { ...json, ...more, alloc: { ...(json['alloc'] as object), [CONTRACT]: { balance: '0x0', code: READER } } }
}

const open = (number = FIRST, store = new MemoryStore()): Promise<OpenedNode> =>
  openNode({}, store, {}, genesisAt(number))

const call = ({ rpc }: OpenedNode): Promise<string> =>
  rpc('eth_sendTransaction', { from: SENDER.address, to: CONTRACT, gas: '0x186a0' })

const numbersOf = (logs: readonly Json[]): number[] => logs.map(({ blockNumber }) => Number(blockNumber))

describe('a chain that begins at a number', () => {
  it('has its first block there, and no block below', async () => {
    const node = await open()
    const { rpc } = node
    const genesis = await rpc<Json>('eth_getBlockByNumber', 'earliest', false)
    expect(genesis['number']).toBe(hex(FIRST))
    expect(await rpc('eth_blockNumber')).toBe(hex(FIRST))
    expect(await rpc('eth_getBlockByNumber', hex(FIRST), false)).toEqual(genesis)
    for (const below of ['0x0', '0x1', hex(FIRST - 1)]) {
      expect(await rpc('eth_getBlockByNumber', below, false)).toBeNull()
      await expect(rpc('eth_getBalance', SENDER.address, below)).rejects.toMatchObject({ code: -32000 })
    }
    for (const tag of ['safe', 'finalized', 'latest'])
      expect(await rpc('eth_getBlockByNumber', tag, false)).toEqual(genesis)
    expect(await rpc('eth_capabilities')).toMatchObject({ blocks: { oldestBlock: hex(FIRST) } })
  })

  it('executes transactions at its height', async () => {
    const node = await open()
    const { rpc } = node
    const hash = await call(node)
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      blockNumber: hex(FIRST + 1),
      logs: [{ data: word(FIRST + 1) }],
    })
    const { hash: genesisHash } = await rpc<Json>('eth_getBlockByNumber', 'earliest', false)
    expect(await rpc('eth_getStorageAt', CONTRACT, '0x0', 'latest')).toBe(word(FIRST + 1))
    expect(await rpc('eth_getStorageAt', CONTRACT, '0x1', 'latest')).toBe(genesisHash)
    // EIP-2935 has the genesis block, and nothing before it.
    const history = '0x0000F90827F1C53a10cb7A02335B175320002935'
    const historyAt = (number: number) => rpc('eth_call', { to: history, data: word(number) }, 'latest')
    expect(await historyAt(FIRST)).toBe(genesisHash)
    expect(await historyAt(FIRST - 1)).toBe(word(0))
    // BLOCKHASH of the block before the genesis block is unknown.
    const code = '0x62'.concat((FIRST - 1).toString(16).padStart(8, '0')).replace('0x62', '0x63')
    const overrides = { [CONTRACT]: { code: `${code}4060005260206000f3` } }
    expect(await rpc('eth_call', { to: CONTRACT }, 'latest', overrides)).toBe(word(0))
  })

  it('searches logs, fees and traces from its first block on', async () => {
    const node = await open()
    const { rpc } = node
    for (let i = 0; i < 3; i++) await call(node)
    const logs = (filter: object) => rpc<Json[]>('eth_getLogs', filter).then(numbersOf)
    const all = [FIRST + 1, FIRST + 2, FIRST + 3]
    expect(await logs({ fromBlock: 'earliest', address: CONTRACT })).toEqual(all)
    expect(await logs({ fromBlock: '0x0', toBlock: 'latest' })).toEqual(all)
    expect(await logs({ fromBlock: hex(FIRST + 2), toBlock: hex(FIRST + 2) })).toEqual([FIRST + 2])
    expect(await logs({ fromBlock: '0x0', toBlock: hex(FIRST) })).toEqual([])
    const id = await rpc('eth_newFilter', { fromBlock: 'earliest', toBlock: 'latest' })
    expect(numbersOf(await rpc('eth_getFilterLogs', id))).toEqual(all)

    expect(await rpc('eth_feeHistory', '0x400', 'latest', [])).toMatchObject({
      oldestBlock: hex(FIRST),
      gasUsedRatio: { length: 4 },
    })
    expect(await rpc('eth_gasPrice')).toMatch(/^0x/)

    const traced = await rpc<Json[]>('trace_filter', {
      fromBlock: 'earliest',
      toBlock: 'latest',
      toAddress: [CONTRACT],
    })
    expect(traced.map(({ blockNumber }) => Number(blockNumber))).toEqual(all)
    expect(await rpc('trace_filter', { fromBlock: '0x0', toBlock: hex(FIRST) })).toEqual([])
    expect(await rpc('trace_block', hex(FIRST))).toEqual([])
    expect(await rpc('debug_traceBlockByNumber', hex(FIRST + 1), {})).toHaveLength(1)
    await expect(rpc('debug_traceBlockByNumber', hex(FIRST), {})).rejects.toThrow('genesis is not traceable')
  })

  it('answers GraphQL', async () => {
    const node = await open()
    await call(node)
    const { data } = await graphql(
      node,
      `{ block { number parent { number parent { number } } } blocks(from: ${FIRST}) { number } }`,
    )
    expect(data).toEqual({
      block: { number: FIRST + 1, parent: { number: FIRST, parent: null } },
      blocks: [{ number: FIRST }, { number: FIRST + 1 }],
    })
    const below = await graphql(node, `{ blocks(from: ${FIRST - 1}) { number } }`)
    expect(below.errors?.[0]?.message).toContain(`${FIRST - 1}`)
    expect((await graphql(node, `{ logs(filter: { fromBlock: 0 }) { index } }`)).data).toEqual({ logs: [{ index: 0 }] })
  })

  it('indexes the blocks of its incomplete first section, and the sections after it', async () => {
    const node = await open(200)
    const { rpc } = node
    await call(node)
    await rpc('anvil_mine', hex(400))
    await call(node)
    await rpc('anvil_mine', hex(300))
    await call(node)
    const logs = await rpc<Json[]>('eth_getLogs', { fromBlock: 'earliest', address: CONTRACT })
    expect(numbersOf(logs)).toEqual([201, 602, 903])
    // A reorganisation across the first section moves the index back.
    await rpc('anvil_rollback', 703)
    await call(node)
    await rpc('anvil_mine', hex(700))
    const again = await rpc<Json[]>('eth_getLogs', { fromBlock: '0x0', address: CONTRACT })
    expect(numbersOf(again)).toEqual([201])
  })

  it('returns to its first block, and not beyond', async () => {
    const node = await open()
    const { rpc } = node
    const genesis = await rpc<Json>('eth_getBlockByNumber', 'earliest', false)
    const snapshot = await rpc('evm_snapshot')
    await call(node)
    expect(await rpc('evm_revert', snapshot)).toBe(true)
    expect(await rpc('eth_blockNumber')).toBe(hex(FIRST))
    await call(node)
    await expect(rpc('anvil_rollback', 2)).rejects.toMatchObject({ code: -32602 })
    await expect(rpc('anvil_reorg', 2)).rejects.toThrow('the chain has only 1 blocks above the genesis block')
    await rpc('anvil_rollback', 1)
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toEqual(genesis)
    await rpc('anvil_setBalance', SENDER.address, '0x5')
    await rpc('anvil_reset')
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toEqual(genesis)
    expect(await rpc('eth_getBalance', SENDER.address, 'latest')).not.toBe('0x5')
  })

  it('is dumped, and loaded into a chain that begins there too', async () => {
    const node = await open()
    await call(node)
    await call(node)
    const dump = await node.rpc<string>('anvil_dumpState')
    const same = await open()
    await call(same)
    expect(await same.rpc('anvil_loadState', dump)).toBe(true)
    for (const number of [FIRST, FIRST + 1, FIRST + 2]) {
      const block = await node.rpc('eth_getBlockByNumber', hex(number), true)
      expect(await same.rpc('eth_getBlockByNumber', hex(number), true)).toEqual(block)
    }
    expect(await same.rpc('eth_getBalance', SENDER.address, hex(FIRST + 1))).toBe(
      await node.rpc('eth_getBalance', SENDER.address, hex(FIRST + 1)),
    )
    await call(same)
    expect(await same.rpc('eth_blockNumber')).toBe(hex(FIRST + 3))
    const other = await open(0)
    await expect(other.rpc('anvil_loadState', dump)).rejects.toThrow(
      `it begins at block ${FIRST}, and this chain at block 0: load it into a new chain with --number=${FIRST}`,
    )
    expect(await other.rpc('eth_blockNumber')).toBe('0x0')
  })

  it('is stored, exported and imported', async () => {
    const store = new MemoryStore()
    const node = await open(FIRST, store)
    await call(node)
    await call(node)
    const exported = [...node.node.chain.exportBlocks({})]
    expect(exported).toHaveLength(3)
    const genesis = await node.rpc('eth_getBlockByNumber', 'earliest', false)
    const head = await node.rpc('eth_getBlockByNumber', 'latest', false)
    await node.node.close()
    const again = await open(FIRST, store)
    expect(await again.rpc('eth_getBlockByNumber', 'earliest', false)).toEqual(genesis)
    expect(await again.rpc('eth_getBlockByNumber', 'latest', false)).toEqual(head)

    const target = await open()
    const { chain } = target.node
    const report = await importBlocks(
      { chain, senders: TEST_SENDERS, clock: target.clock },
      { blocks: exported, verifySeal: true },
    )
    expect(report).toMatchObject({ end: { kind: 'done' } })
    expect(await target.rpc('eth_getBlockByNumber', 'latest', false)).toEqual(head)
  })

  it('has the rules of its height', async () => {
    const json = genesisAt(FIRST)
    const { londonBlock: _, ...forks } = { ...(devGenesis({ fork: 'BERLIN' })['config'] as Record<string, unknown>) }
    const config = { ...forks, londonBlock: FIRST + 2 }
    const { baseFeePerGas: __, ...others } = json as Record<string, unknown>
    const { rpc } = await openNode({}, undefined, {}, { ...others, config })
    await rpc('anvil_mine', hex(3))
    const fees = await Promise.all(
      [0, 1, 2, 3].map(async (i) => (await rpc<Json>('eth_getBlockByNumber', hex(FIRST + i), false))['baseFeePerGas']),
    )
    expect(fees).toEqual([undefined, undefined, '0x3b9aca00', '0x342770c0'])
  })

  it('reproduces a block of another chain, to its hash', async () => {
    const source = await open(0)
    const { rpc } = source
    await call(source)
    await rpc('anvil_mine', hex(300))
    const number = Number(await rpc('eth_blockNumber'))
    const parent = await rpc<Json>('eth_getBlockByNumber', hex(number), false)
    const { accounts } = await rpc<{ accounts: Record<string, object> }>('debug_dumpBlock', hex(number))
    await rpc('evm_setNextBlockTimestamp', 1_900_000_000)
    await rpc('hardhat_setPrevRandao', word(7))
    const block = await rpc<Json>(
      'eth_getBlockByHash',
      (await rpc<Json>('eth_getTransactionReceipt', await call(source)))['blockHash'],
      false,
    )
    const raw = await rpc<string>('debug_getRawTransaction', block['transactions']?.[0])

    const { miner, sha3Uncles: _, ...header } = parent
    const json = {
      ...header,
      coinbase: miner,
      config: devGenesis()['config'],
      alloc: Object.fromEntries(
        Object.entries(accounts).map(([address, account]) => {
          const { balance, nonce, code, storage } = account as Record<string, never>
          return [address, { balance, nonce: hex(nonce ?? 0), code, storage }]
        }),
      ),
    }
    const copy = await openNode({}, undefined, {}, json)
    expect(await copy.rpc('eth_getBlockByNumber', 'earliest', false)).toEqual({ ...parent })
    await copy.rpc('evm_setNextBlockTimestamp', 1_900_000_000)
    await copy.rpc('hardhat_setPrevRandao', word(7))
    await copy.rpc('eth_sendRawTransaction', raw)
    expect(await copy.rpc('eth_getBlockByNumber', 'latest', false)).toEqual(block)
  })
})

describe('the number of a genesis block', () => {
  it('leaves room for blocks', () => {
    expect(() => parseGenesis({ ...devGenesis(), number: '0x800000000001' })).toThrow(
      'number must be at most 140737488355328',
    )
    expect(parseGenesis({ ...devGenesis(), number: '0x5' }).config.firstBlock).toBe(5n)
    expect(parseGenesis(devGenesis()).config.firstBlock).toBe(0n)
  })

  it.each([
    [
      'with peers',
      { config: { chainId: 5, londonBlock: 0, ethash: {} } },
      { p2p: true },
      /with peers begins at block 0/,
    ],
    ['of Clique', { config: { chainId: 5, clique: {} } }, {}, /a chain of clique begins at block 0/],
    ['of QBFT', { config: { chainId: 5, qbft: {} } }, {}, /a chain of qbft begins at block 0/],
  ])('is 0 on a chain %s', async (_what, fields, options, message) => {
    const signers = `0x${'00'.repeat(32)}${SENDER.address.slice(2)}${'00'.repeat(65)}`
    const genesis = {
      difficulty: '0x1',
      gasLimit: '0x1c9c380',
      extraData: signers,
      alloc: {},
      number: '0x5',
      ...fields,
    }
    await expect(startNode({ genesis, listen: false, ...options })).rejects.toThrow(message)
  })

  it('is another one on a chain without peers', async () => {
    const config = { chainId: 5, londonBlock: 0, ethash: {} }
    const genesis = { difficulty: '0x1', gasLimit: '0x1c9c380', alloc: {}, number: '0x5', config }
    const node = await startNode({ genesis, listen: false, p2p: false })
    onTestFinished(() => node.close())
    expect(await node.request('eth_blockNumber')).toBe('0x5')
  })

  it('is an option of a new dev chain, which a stored one keeps', async () => {
    const dataPath = mkdtempSync(path.join(os.tmpdir(), 'isonode-number-'))
    onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }))
    const start = async (flags: object): Promise<unknown> => {
      const node = await startNode({ dataPath, listen: false, flags })
      try {
        await node.request('evm_mine')
        return await node.request('eth_blockNumber')
      } finally {
        await node.close()
      }
    }
    expect(await start({ number: 100 })).toBe('0x65')
    expect(await start({})).toBe('0x66')
    expect(await start({ number: 100 })).toBe('0x67')
    await expect(start({ number: 7 })).rejects.toThrow('was created with number=100, not 7')
  })
})
