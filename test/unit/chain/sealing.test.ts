import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { nextGasLimit } from '../../../src/chain/transition/gasLimit.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { ALICE, BOB, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const alice = hexToBytes(ALICE.address)
const bob = hexToBytes(BOB.address)

function balance(chain: Chain, address: Uint8Array, header: ChainHeader = chain.head): bigint {
  return chain.stateAt(header).getAccount(address)?.balance ?? 0n
}

async function transfer(nonce: number, value = 1n) {
  return plannedOf(await signed(ALICE, { nonce, value }))
}

describe('sealed blocks', () => {
  it('are valid for another node that executes them', async () => {
    const chain = await openDevChain()
    // Returns its block number; logs once when created.
    const initCode = '0x600160005260206000a04360005260206000f3'
    const create = plannedOf(await signed(ALICE, { nonce: 1, to: null, data: initCode }))
    await sealBlocks(chain, [
      { transactions: [await transfer(0, 5n), create] },
      {},
      { transactions: [await transfer(2)], timestamp: 1_700_000_000n },
    ])
    expect(chain.head.header).toMatchObject({ number: 3n, gasUsed: 21_000n, timestamp: 1_700_000_000n })
    expect(chain.receipts(chain.headerByNumber(1)?.hash ?? alice)?.[1]?.logs).toHaveLength(1)
    checkInvariants(chain)

    const other = await openDevChain()
    for (const rlp of chain.exportBlocks({ startBlock: 1 })) {
      expect(await other.import(decodeBlock(rlp))).toMatchObject({ kind: 'imported', isHead: true })
    }
    expect(bytesToHex(other.head.hash)).toBe(bytesToHex(chain.head.hash))
  })

  it('omit transactions that cannot be executed, and are not built when none is left', async () => {
    const chain = await openDevChain()
    const refused: string[] = []
    const plan = {
      transactions: [await transfer(3)],
      refused: (_: unknown, { code }: { code: string }) => void refused.push(code),
    }
    await sealBlocks(chain, [plan])
    expect(refused).toEqual(['NONCE_TOO_HIGH'])
    expect(chain.body(chain.head.hash)?.transactions).toEqual([])
    const { sealed, isComplete } = await chain.seal(() => undefined)
    expect({ sealed, isComplete }).toEqual({ sealed: [], isComplete: true })
    expect(chain.head.header.number).toBe(1n)
  })

  it('move their gas limit towards the target by less than 1/1024', () => {
    expect(nextGasLimit(1_024_000n, undefined)).toBe(1_024_000n)
    expect(nextGasLimit(1_024_000n, 2_000_000n)).toBe(1_024_999n)
    expect(nextGasLimit(1_024_000n, 1_024_500n)).toBe(1_024_500n)
    expect(nextGasLimit(1_024_000n, 5000n)).toBe(1_023_001n)
  })
})

describe('amended state', () => {
  it('lets a transaction be in several blocks, and finds it in those that remain', async () => {
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const again = await transfer(0, 5n)
    const place = (opened = chain) => opened.transactionLocation(again.hash)?.blockNumber
    for (let block = 0; block < 3; block++) {
      await devWriter(chain).amendHead((state) => state.setNonce(alice, 0n))
      await sealBlocks(chain, [{ transactions: [again, await transfer(1)] }])
    }
    const [first, second, third] = [1, 2, 3].map((number) => chain.headerByNumber(number)?.hash ?? alice) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    expect(place()).toBe(3)
    expect(place(await openDevChain({ kv }))).toBe(3)
    await chain.setHead(second)
    expect(place()).toBe(2)
    await chain.setHead(first)
    expect(place()).toBe(1)
    expect(chain.transactionLocation(again.hash)).toEqual({ blockHash: first, blockNumber: 1, index: 0 })
    await chain.setHead(third)
    expect(place()).toBe(3)
    await devWriter(chain).rollback(1)
    expect(place()).toBe(2)
    await chain.setHead(chain.genesis.hash)
    expect(place()).toBeUndefined()
  })

  it('is the base of later blocks, reads and a restart', async () => {
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 7n))
    await sealBlocks(chain, [{ transactions: [await transfer(0, 5n)] }])
    expect(balance(chain, bob)).toBe(12n)
    await devWriter(chain).amendHead((state) => {
      state.setCode(bob, hexToBytes('0x6001'))
      state.setStorage(bob, new Uint8Array(32), new Uint8Array(32).fill(1))
    })
    await devWriter(chain).amendHead((state) => state.setNonce(bob, 9n))
    const again = await openDevChain({ kv })
    for (const opened of [chain, again]) {
      expect(opened.stateAt(opened.head).getAccount(bob)).toMatchObject({ balance: 12n, nonce: 9n })
      expect(bytesToHex(opened.stateAt(opened.head).getCode(bob))).toBe('0x6001')
      expect(opened.stateAt(opened.head).root.hash).not.toEqual(opened.head.header.stateRoot)
    }
    await sealBlocks(again, [{ transactions: [await transfer(1, 1n)] }])
    expect(balance(again, bob)).toBe(13n)
    expect(bytesToHex(again.stateAt(again.head).root.hash)).toBe(bytesToHex(again.head.header.stateRoot))
  })

  it('belongs to its block when the head moves away and returns', async () => {
    const chain = await openDevChain()
    const [first] = await sealBlocks(chain, [{ transactions: [await transfer(0, 5n)] }])
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 1n))
    await sealBlocks(chain, [{ transactions: [await transfer(1, 2n)] }])
    const head = chain.head
    expect(balance(chain, bob)).toBe(3n)
    await chain.setHead(chain.genesis.hash)
    expect(balance(chain, bob)).toBe(10_000n * 10n ** 18n)
    await chain.setHead(first?.hash ?? alice)
    expect(balance(chain, bob)).toBe(1n)
    await chain.setHead(head.hash)
    expect(balance(chain, bob)).toBe(3n)
    expect(await chain.replayBlock(2)).toBeDefined()
    expect(balance(chain, bob)).toBe(3n)
  })

  it('keeps the chain from being exported, with the reason', async () => {
    const chain = await openDevChain()
    await sealBlocks(chain, [{}, {}])
    expect([...chain.exportBlocks({})]).toHaveLength(3)
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 1n))
    expect(() => [...chain.exportBlocks({})]).toThrow(
      'block 2 of this dev chain deviates from the protocol (its state was amended): its blocks cannot be exported',
    )
    expect([...chain.exportBlocks({ endBlock: 2 })]).toHaveLength(2)
    const impersonated = { ...(await transfer(0)), sender: bob, isImpersonated: true }
    await chain.setHead(chain.genesis.hash)
    await sealBlocks(chain, [{ transactions: [impersonated] }])
    expect(bytesToHex(chain.senders(chain.head.hash)?.[0] ?? alice)).toBe(bytesToHex(bob))
    expect(() => [...chain.exportBlocks({})]).toThrow('a transaction has an impersonated sender')
    await chain.setHead(chain.genesis.hash)
    await sealBlocks(chain, [{ baseFeePerGas: 5n, timestamp: 99n }])
    expect(chain.head.header.baseFeePerGas).toBe(5n)
    expect(() => [...chain.exportBlocks({})]).toThrow('its base fee or gas limit was set')
  })
})

describe('a checkpoint', () => {
  it('restores block and state repeatedly', async () => {
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const untouched = await devWriter(chain).checkpoint()
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 1n))
    const atGenesis = await devWriter(chain).checkpoint()
    await sealBlocks(chain, [{ transactions: [await transfer(0, 5n)] }])
    const sealed = await devWriter(chain).checkpoint()
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 100n))
    const amended = await devWriter(chain).checkpoint()
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 1000n))
    const points = [
      [untouched, 0n, 10_000n * 10n ** 18n],
      [atGenesis, 0n, 1n],
      [sealed, 1n, 6n],
      [amended, 1n, 100n],
    ] as const
    for (let round = 0; round < 3; round++) {
      for (const [point, number, expected] of round === 1 ? [...points].reverse() : points) {
        if (round === 2) await sealBlocks(chain, [{}, {}])
        await devWriter(chain).restore(point)
        for (const opened of [chain, await openDevChain({ kv })]) {
          expect(opened.head.header.number).toBe(number)
          expect(balance(opened, bob)).toBe(expected)
          expect(opened.stateAt(opened.head).accounts(new Uint8Array(32), 50).length).toBeGreaterThan(10)
        }
      }
    }
    await devWriter(chain).restore(undefined)
    expect(balance(chain, bob)).toBe(10_000n * 10n ** 18n)
    checkInvariants(chain)
  })

  it('leads to the same block when the same actions are repeated', async () => {
    const chain = await openDevChain()
    const start = await devWriter(chain).checkpoint()
    const plan = { transactions: [await transfer(0, 5n)] }
    const [first] = await sealBlocks(chain, [plan])
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 0n))
    await devWriter(chain).restore(start)
    const [second] = await sealBlocks(chain, [plan])
    expect(second?.hash).toEqual(first?.hash)
    expect(balance(chain, bob)).toBe(10_000n * 10n ** 18n + 5n)
    checkInvariants(chain)
    expect([...chain.exportBlocks({})]).toHaveLength(2)
  })
})
