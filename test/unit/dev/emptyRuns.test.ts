// slow: 10,000,000 blocks, of which the last 32,768 are hashed
/** Runs of empty blocks: what clients and contracts see of blocks that are derived. */
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpDecodeList } from '../../../src/base/primitives/rlp.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { verifyProof } from '../../../src/trie/verifyProof.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()

type Rpc = OpenedNode['rpc']

interface BlockJson {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly stateRoot: string
  readonly timestamp: string
  readonly baseFeePerGas: string
  readonly transactions: readonly string[]
}

interface ProofJson {
  readonly accountProof: readonly string[]
  readonly storageHash: string
  readonly storageProof: readonly { readonly value: string; readonly proof: readonly string[] }[]
}

const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935'
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const ZERO = `0x${'0'.repeat(64)}`
const LONG = 10_000_000
/** Returns the hash of the block whose number is the call data. */
const BLOCKHASH_CODE = evmCode('0 CALLDATALOAD BLOCKHASH 0 MSTORE 32 0 RETURN')
const CONTRACT = `0x${'c0de'.repeat(10)}`

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

function blockAt(rpc: Rpc, number: number): Promise<BlockJson> {
  return rpc('eth_getBlockByNumber', hex(number), false)
}

async function hashAt(rpc: Rpc, number: number): Promise<string> {
  return (await blockAt(rpc, number)).hash
}

/** Compares everything that clients see of a block with its header. */
async function expectConsistent(rpc: Rpc, number: number): Promise<void> {
  const block = await blockAt(rpc, number)
  const header = hexToBytes(await rpc<string>('debug_getRawHeader', hex(number)))
  expect(bytesToHex(keccak256(header))).toBe(block.hash)
  const raw = hexToBytes(await rpc<string>('debug_getRawBlock', hex(number)))
  expect(raw.length).toBe(Number((block as unknown as { size: string }).size))
  expect(await rpc('eth_getBlockByHash', block.hash, false)).toEqual(block)
  expect(await rpc('eth_getBlockTransactionCountByHash', block.hash)).toBe('0x0')
  expect(await rpc('eth_getBlockReceipts', block.hash)).toEqual([])
  expect(await rpc('debug_traceBlockByHash', block.hash)).toEqual([])
  expect(await rpc('trace_block', hex(number))).toMatchObject([{ type: 'reward', blockHash: block.hash }])
  expect(await rpc('eth_getLogs', { blockHash: block.hash })).toEqual([])
  await expectProven(rpc, number, block.stateRoot)
}

async function expectProven(rpc: Rpc, number: number, stateRoot: string): Promise<void> {
  const slot = word(3)
  const proof = await rpc<ProofJson>('eth_getProof', HISTORY, [slot], hex(number))
  const account = verifyProof(
    hexToBytes(stateRoot),
    keccak256(hexToBytes(HISTORY)),
    proof.accountProof.map((node) => hexToBytes(node)),
  )
  const [, , storageRoot] = rlpDecodeList(account as Uint8Array)
  expect(bytesToHex(storageRoot as Uint8Array)).toBe(proof.storageHash)
  const nodes = proof.storageProof[0]?.proof.map((node) => hexToBytes(node)) ?? []
  const value = verifyProof(storageRoot as Uint8Array, keccak256(hexToBytes(slot)), nodes)
  expect(value === undefined ? '0x0' : hex(BigInt(bytesToHex(rlpValue(value))))).toBe(proof.storageProof[0]?.value)
}

function rlpValue(bytes: Uint8Array): Uint8Array {
  return bytes.length === 1 ? bytes : bytes.subarray(1)
}

/** Asks contracts on a block for the hashes of its ancestors. */
async function expectHashesInEvm(rpc: Rpc, at: number, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    const hash = await hashAt(rpc, number)
    expect(await rpc('eth_call', { to: HISTORY, data: word(number) }, hex(at)), `history of ${number}`).toBe(hash)
    expect(await rpc('eth_getStorageAt', HISTORY, hex(number % 8191), hex(at))).toBe(hash)
    const call = { to: CONTRACT, data: word(number) }
    const override = { [CONTRACT]: { code: bytesToHex(BLOCKHASH_CODE) } }
    const expected = at - number <= 256 ? hash : ZERO
    expect(await rpc('eth_call', call, hex(at), override), `BLOCKHASH of ${number}`).toBe(expected)
  }
}

function send(rpc: Rpc): Promise<string> {
  return rpc('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1' })
}

describe('a run of empty blocks', () => {
  it('has blocks that are linked by their hashes', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(2_500), hex(12))
    expect(await rpc('eth_blockNumber')).toBe(hex(2_500))
    let parent = await blockAt(rpc, 0)
    for (let number = 1; number <= 2_500; number++) {
      const block = await blockAt(rpc, number)
      expect(block.parentHash).toBe(parent.hash)
      if (number > 1) expect(Number(block.timestamp) - Number(parent.timestamp)).toBe(12)
      if (number > 300) expect(block.baseFeePerGas).toBe(parent.baseFeePerGas)
      parent = block
    }
    for (const number of [1, 2, 3, 150, 1_025, 1_026, 2_498, 2_499, 2_500]) await expectConsistent(rpc, number)
  })

  it('has the fees that executed blocks have', async () => {
    const [derived, executed] = [await open(), await open()]
    await derived.rpc('hardhat_mine', hex(600))
    await executed.rpc('hardhat_mine', hex(500))
    for (const number of [1, 2, 3, 50, 120, 200, 500]) {
      const { baseFeePerGas, timestamp } = await blockAt(executed.rpc, number)
      expect(await blockAt(derived.rpc, number)).toMatchObject({ baseFeePerGas, timestamp })
    }
  })

  it('shows contracts the hashes of its blocks', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(1_200))
    await expectHashesInEvm(rpc, 1_200, [0, 1, 2, 700, 943, 944, 1_000, 1_198, 1_199])
    await expectHashesInEvm(rpc, 1_199, [0, 1, 2, 943, 1_000, 1_197, 1_198])
    await expectHashesInEvm(rpc, 700, [0, 1, 2, 443, 444, 698, 699])
    await rpc('evm_mine')
    await expectHashesInEvm(rpc, 1_201, [1, 2, 944, 1_000, 1_199, 1_200])
    // The contract does not know a block that is not its ancestor.
    await expect(rpc('eth_call', { to: HISTORY, data: word(700) }, hex(700))).rejects.toThrow('revert')
  })

  it('leaves no hash of an older block in the ring of the history contract', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(8_700))
    await rpc('hardhat_mine', hex(8_700))
    await expectHashesInEvm(rpc, 17_400, [17_400 - 8_191, 9_300, 12_000, 16_500, 17_399])
    await expectHashesInEvm(rpc, 9_500, [9_500 - 8_191, 2_000, 8_699, 8_700, 8_701, 8_702, 9_499])
    await expectConsistent(rpc, 9_500)
    await expectConsistent(rpc, 17_400)
  })

  it('lets the beacon roots contract know no timestamps of derived blocks', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(1_200))
    const { timestamp } = await blockAt(rpc, 700)
    await expect(rpc('eth_call', { to: BEACON_ROOTS, data: word(Number(timestamp)) })).rejects.toThrow('revert')
    const head = await blockAt(rpc, 1_200)
    expect(await rpc('eth_call', { to: BEACON_ROOTS, data: word(Number(head.timestamp)) })).toBe(ZERO)
  })

  it('mines the transactions of the pool first', async () => {
    const { rpc } = await open()
    await rpc('evm_setAutomine', false)
    await send(rpc)
    await send(rpc)
    await rpc('hardhat_mine', hex(700))
    expect((await blockAt(rpc, 1)).transactions).toHaveLength(2)
    expect((await blockAt(rpc, 2)).transactions).toHaveLength(0)
    expect(await rpc('eth_blockNumber')).toBe(hex(700))
    expect(await rpc('eth_getBalance', BOB, hex(400))).toBe(await rpc('eth_getBalance', BOB, hex(700)))
  })

  it('begins at the time that was set for the next block', async () => {
    const { rpc } = await open()
    await rpc('evm_setNextBlockTimestamp', hex(2_000_000_000))
    await rpc('evm_setBlockTimestampInterval', hex(7)).catch(() => rpc('anvil_setBlockTimestampInterval', 7))
    await rpc('hardhat_mine', hex(700))
    for (const number of [1, 2, 3, 400, 699, 700]) {
      expect(Number((await blockAt(rpc, number)).timestamp)).toBe(2_000_000_000 + 7 * (number - 1))
    }
    await rpc('evm_mine')
    expect(Number((await blockAt(rpc, 701)).timestamp)).toBe(2_000_000_000 + 7 * 700)
  })
})

describe('ten million blocks', () => {
  it('can be read, searched and found by hash after a restart', async () => {
    const kv = new MemoryStore()
    const first = await open({}, kv)
    await send(first.rpc)
    await first.rpc('hardhat_mine', hex(LONG), hex(12))
    await send(first.rpc)
    const { rpc } = first
    expect(await rpc('eth_blockNumber')).toBe(hex(LONG + 2))
    const numbers = [2, 3, 4, 1_026, 1_027, 5_000_000, LONG - 40_000, LONG - 5_000, LONG, LONG + 1, LONG + 2]
    for (const number of numbers) {
      const [parent, block] = [await blockAt(rpc, number - 1), await blockAt(rpc, number)]
      // The first block of a stretch in the middle has no true link.
      if (number !== 1_027) expect(block.parentHash).toBe(parent.hash)
      if (number > 3 && number <= LONG + 1) expect(Number(block.timestamp) - Number(parent.timestamp)).toBe(12)
    }
    for (const number of [3, 1_027, 5_000_000, LONG]) await expectConsistent(rpc, number)
    await expectHashesInEvm(rpc, LONG + 2, [LONG - 8_000, LONG - 100, LONG + 1])
    await expectHashesInEvm(rpc, 5_000_000, [4_999_999, 4_999_000, 4_992_000])
    expect(await rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toEqual([])
    expect(await rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: BOB })).toEqual([])
    const history = await rpc<{ gasUsedRatio: number[] }>('eth_feeHistory', hex(1_024), hex(6_000_000), [50])
    expect(history.gasUsedRatio).toHaveLength(1_024)

    const read = { ...(await blockAt(rpc, 7_654_321)) }
    const contractOnly = await rpc<string>('eth_getStorageAt', HISTORY, hex((LONG - 3_000) % 8191), 'latest')
    await rpc('eth_blockNumber')
    await first.node.close()
    const again = await open({}, kv)
    expect(await again.rpc('eth_getBlockByHash', read.hash, false)).toEqual(read)
    expect(await again.rpc('eth_getBlockByHash', read.parentHash, false)).toMatchObject({ number: hex(7_654_320) })
    // No client has asked for this block before.
    expect(await again.rpc('eth_getBlockByHash', contractOnly, false)).toMatchObject({ number: hex(LONG - 3_000) })
    expect(await again.rpc('eth_getBlockByHash', `0x${'12'.repeat(32)}`, false)).toBeNull()
    await again.rpc('hardhat_mine', hex(LONG))
    expect(await again.rpc('eth_blockNumber')).toBe(hex(2 * LONG + 2))
  })

  it('are announced by the blocks around them', async () => {
    const { rpc } = await open()
    const filter = await rpc('eth_newBlockFilter')
    await rpc('hardhat_mine', hex(LONG))
    const hashes = await rpc<string[]>('eth_getFilterChanges', filter)
    expect(hashes).toEqual([await hashAt(rpc, 1), await hashAt(rpc, LONG)])
  })

  it('refuses numbers and times that are too high', async () => {
    const { rpc } = await open()
    await expect(rpc('hardhat_mine', hex(2n ** 60n))).rejects.toThrow('would have the number')
    await expect(rpc('hardhat_mine', hex(LONG), hex(2n ** 40n))).rejects.toThrow('would have the timestamp')
    await expect(rpc('anvil_mine_detailed', { blocks: LONG })).rejects.toThrow('can be listed per request')
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    await rpc('hardhat_mine', hex(2n ** 46n))
    expect(await rpc('eth_blockNumber')).toBe(hex(2n ** 46n))
    expect(await rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: BOB })).toEqual([])
  })
})

describe('returning into a run', () => {
  it('reverts across it and mines other blocks', async () => {
    const { rpc } = await open()
    await send(rpc)
    const snapshot = await rpc('evm_snapshot')
    await rpc('hardhat_mine', hex(700))
    await send(rpc)
    const before = await hashAt(rpc, 400)
    expect(await rpc('evm_revert', snapshot)).toBe(true)
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    expect(await rpc('eth_getBlockByNumber', hex(2), false)).toBeNull()
    expect(await rpc('eth_getBlockByNumber', hex(400), false)).toBeNull()
    // As other blocks that are no longer canonical.
    expect(await rpc('eth_getBlockByHash', before, false)).toMatchObject({ number: hex(400) })
    await rpc('hardhat_mine', hex(800), hex(60))
    expect(await hashAt(rpc, 400)).not.toBe(before)
    await expectConsistent(rpc, 400)
    await expectHashesInEvm(rpc, 801, [1, 2, 400, 800])
  })

  it('can make one of its blocks the head', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(1_000))
    const top = await hashAt(rpc, 1_000)
    await rpc('anvil_rollback', 300)
    expect(await rpc('eth_blockNumber')).toBe(hex(700))
    await expectConsistent(rpc, 700)
    await expectHashesInEvm(rpc, 700, [1, 444, 699])
    expect(await rpc('eth_getBlockByNumber', hex(701), false)).toBeNull()
    const snapshot = await rpc('evm_snapshot')
    await rpc('hardhat_setBalance', BOB, '0x7')
    await rpc('hardhat_setNonce', BOB, '0x9')
    expect(await rpc('eth_getBalance', BOB, 'latest')).toBe('0x7')
    expect(await rpc('eth_getBalance', BOB, hex(699))).not.toBe('0x7')
    await send(rpc)
    await expectHashesInEvm(rpc, 701, [1, 2, 445, 600, 699, 700])
    expect(await rpc('eth_getBalance', BOB, 'latest')).toBe('0x8')
    await expectConsistent(rpc, 699)
    await rpc('hardhat_mine', hex(700))
    await expectHashesInEvm(rpc, 1_401, [2, 700, 701, 702, 703, 1_000, 1_400])
    expect(await rpc('evm_revert', snapshot)).toBe(true)
    expect(await rpc('eth_blockNumber')).toBe(hex(700))
    expect(await rpc('eth_getBalance', BOB, 'latest')).not.toBe('0x7')
    await rpc('debug_setHead', hex(350))
    await expectConsistent(rpc, 350)
    await rpc('evm_mine')
    await expectHashesInEvm(rpc, 351, [1, 100, 349, 350])
    expect(await rpc('eth_getBlockByHash', top, false)).toMatchObject({ number: hex(1_000) })
    await rpc('anvil_rollback', 351)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('eth_getBlockByNumber', hex(1), false)).toBeNull()
  })

  it('replaces its newest blocks', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(1_000))
    const before = await blockAt(rpc, 995)
    const kept = await blockAt(rpc, 990)
    await rpc('anvil_reorg', 10, [])
    expect(await rpc('eth_blockNumber')).toBe(hex(1_000))
    expect(await blockAt(rpc, 990)).toEqual(kept)
    expect((await blockAt(rpc, 995)).hash).not.toBe(before.hash)
    for (let number = 989; number <= 1_000; number++) {
      expect((await blockAt(rpc, number)).parentHash).toBe(await hashAt(rpc, number - 1))
    }
    await expectHashesInEvm(rpc, 1_000, [1, 500, 989, 990, 991, 999])
  })

  it('begins again from the genesis block', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(LONG))
    await rpc('hardhat_reset')
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('eth_getBlockByNumber', hex(5_000), false)).toBeNull()
    await rpc('hardhat_mine', hex(600))
    await expectConsistent(rpc, 300)
  })
})

describe('a chain with runs', () => {
  it('is dumped and loaded with the same hashes', async () => {
    const [source, target] = [await open(), await open()]
    await send(source.rpc)
    await source.rpc('hardhat_mine', hex(LONG), hex(3))
    await source.rpc('anvil_rollback', 5_000)
    await source.rpc('hardhat_setBalance', BOB, '0x5')
    await send(source.rpc)
    await source.rpc('hardhat_mine', hex(700))
    const dump = await source.rpc<string>('anvil_dumpState')
    await target.rpc('anvil_loadState', dump)
    const head = Number(await source.rpc('eth_blockNumber'))
    expect(await target.rpc('eth_blockNumber')).toBe(hex(head))
    const middle = LONG + 1 - 5_000
    for (const number of [1, 2, 3, 5_000_000, middle - 1, middle, middle + 1, middle + 2, middle + 3, head - 1, head]) {
      expect(await blockAt(target.rpc, number)).toEqual(await blockAt(source.rpc, number))
    }
    await expectConsistent(target.rpc, 5_000_000)
    await expectHashesInEvm(target.rpc, middle, [middle - 8_000, middle - 1])
    await expectHashesInEvm(target.rpc, head, [middle - 1, middle, middle + 1, middle + 2, head - 1])
    expect(await target.rpc('eth_getBalance', BOB, hex(middle))).toBe('0x5')
    expect(await target.rpc('anvil_dumpState')).toHaveLength(dump.length)
    await target.rpc('debug_replayBlock', hex(middle + 1)).catch((error: Error) => {
      expect(error.message).toMatch(/not supported|does not exist|not available/)
    })
  })

  it('is not exported', async () => {
    const { rpc, node } = await open()
    await rpc('hardhat_mine', hex(700))
    expect(() => [...node.chain.exportBlocks({})]).toThrow('blocks 2 to 699 of this dev chain are derived')
    expect([...node.chain.exportBlocks({ endBlock: 2 })]).toHaveLength(2)
  })

  it('executes its blocks again with the same result', async () => {
    const { rpc, node } = await open()
    await rpc('hardhat_mine', hex(700))
    await send(rpc)
    for (const number of [1, 700, 701]) {
      expect((await node.chain.replayBlock(number))?.hash).toEqual(node.chain.canonicalHash(number))
      await rpc('debug_setHead', hex(701)).catch(() => {})
    }
  })

  it('ends where a fork begins', async () => {
    const genesis = devGenesis({ fork: 'PRAGUE' })
    const config = { ...(genesis['config'] as object), osakaTime: 1_800_001_500 }
    const { rpc } = await open({}, new MemoryStore(), {}, { ...genesis, config })
    await rpc('hardhat_mine', hex(3_000))
    expect(await rpc('eth_blockNumber')).toBe(hex(3_000))
    for (let number = 1_480; number <= 1_520; number++) {
      expect((await blockAt(rpc, number)).parentHash).toBe(await hashAt(rpc, number - 1))
    }
    await expectHashesInEvm(rpc, 3_000, [1, 1_400, 1_500, 1_501, 1_502, 1_503, 2_999])
    await expectConsistent(rpc, 1_400)
    await expectConsistent(rpc, 2_500)
  })

  it('is linked under every fork', async () => {
    for (const fork of ['OSAKA', 'CANCUN', 'SHANGHAI', 'PARIS', 'LONDON']) {
      const node = await open({}, new MemoryStore(), {}, devGenesis({ fork } as never))
      await node.rpc('hardhat_mine', hex(700))
      for (const number of [1, 2, 3, 400, 699, 700]) {
        expect((await blockAt(node.rpc, number)).parentHash).toBe(await hashAt(node.rpc, number - 1))
      }
      const header = hexToBytes(await node.rpc<string>('debug_getRawHeader', hex(400)))
      expect(bytesToHex(keccak256(header))).toBe(await hashAt(node.rpc, 400))
    }
  })
})
