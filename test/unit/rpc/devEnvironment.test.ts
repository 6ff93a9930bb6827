/** The chain id and the signers of signatures, as a dev chain's clients set them. */
import { encodeAbiParameters, type Hex, pad } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { MAX_IMPERSONATED_SIGNATURES } from '../../../src/base/limits/limits.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const openDevNode = closedAfterEach()

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ALICE = privateKeyToAccount(KEY)
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CAROL = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
/** Stores the chain id in slot 0 and returns it. */
const STORES_ID = '0x465f5546 5f52 6020 5ff3'.replaceAll(' ', '') as Hex
const READER = '0x00000000000000000000000000000000000000aa'
/** Passes its input to ecrecover, stores the answer in slot 0 and returns it. */
const STORES_SIGNER = '0x365f5f37 60205f 365f 6001 5afa 50 5f51 5f55 60205ff3'.replaceAll(' ', '') as Hex
const VERIFIER = '0x00000000000000000000000000000000000000bb'
const ECRECOVER = '0x0000000000000000000000000000000000000001'

interface Receipt {
  readonly status: Hex
  readonly blockNumber: Hex
}

async function chain(options: Partial<NodeOptions> = {}, kv = new MemoryStore()): Promise<OpenedNode> {
  const node = await openDevNode(options, kv)
  await node.rpc('anvil_setCode', READER, STORES_ID)
  await node.rpc('anvil_setCode', VERIFIER, STORES_SIGNER)
  return node
}

const idOf = async ({ rpc }: OpenedNode): Promise<number> => Number(await rpc<Hex>('eth_chainId'))
const called = async ({ rpc }: OpenedNode, to: Hex, data: Hex = '0x', block = 'latest'): Promise<Hex> =>
  rpc<Hex>('eth_call', { to, data }, block)

async function send({ rpc }: OpenedNode, to: Hex, data: Hex = '0x'): Promise<Hex> {
  const hash = await rpc<Hex>('eth_sendTransaction', { from: ALICE.address, to, data, gas: '0x30d40' })
  expect((await rpc<Receipt>('eth_getTransactionReceipt', hash)).status).toBe('0x1')
  return hash
}

const traced = async ({ rpc }: OpenedNode, hash: Hex): Promise<string> =>
  (await rpc<{ returnValue: string }>('debug_traceTransaction', hash)).returnValue.replace(/^0x/, '')

const signed = async ({ rpc }: OpenedNode, chainId: number): Promise<Hex> => {
  const nonce = Number(await rpc<Hex>('eth_getTransactionCount', ALICE.address))
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
  return ALICE.signTransaction({ chainId, nonce, to: BOB, value: 1n, gas: 21_000n, ...fees, type: 'eip1559' })
}

const word = (value: number): string => value.toString(16).padStart(64, '0')

describe.each([{ evm: 'native' }, { evm: 'reference' }] as const)('anvil_setChainId with the $evm EVM', (options) => {
  it('applies to eth_chainId, calls, new blocks and the transactions that are accepted', async () => {
    const node = await chain(options)
    const before = await send(node, READER)
    expect(await node.rpc('anvil_setChainId', 5)).toBeNull()
    expect(await idOf(node)).toBe(5)
    expect(await node.rpc('net_version')).toBe('5')
    expect(await called(node, READER)).toBe(`0x${word(5)}`)
    const after = await send(node, READER)
    expect(await node.rpc('eth_getStorageAt', READER, '0x0', 'latest')).toBe(`0x${word(5)}`)
    await expect(node.rpc('eth_sendRawTransaction', await signed(node, 31_337))).rejects.toThrow(/chain ?id/i)
    const hash = await node.rpc<Hex>('eth_sendRawTransaction', await signed(node, 5))
    expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    // Each block keeps the id with which it was executed.
    expect([await traced(node, before), await traced(node, after)]).toEqual([word(31_337), word(5)])
    expect(await called(node, READER, '0x', '0x0')).toBe(`0x${word(31_337)}`)
  })
})

describe('anvil_setChainId', () => {
  it('survives a restart, and follows snapshots, rollback and reset', async () => {
    const kv = new MemoryStore()
    const first = await chain({}, kv)
    await first.rpc('anvil_setChainId', '0x9c40')
    const hash = await send(first, READER)
    await first.node.close()
    const node = await openDevNode({}, kv)
    expect(await idOf(node)).toBe(40_000)
    expect(await traced(node, hash)).toBe(word(40_000))
    const snapshot = await node.rpc('evm_snapshot')
    await node.rpc('anvil_setChainId', 7)
    await send(node, READER)
    await node.rpc('anvil_rollback', 1)
    expect(await idOf(node)).toBe(7)
    await node.rpc('evm_revert', snapshot)
    expect(await idOf(node)).toBe(40_000)
    expect(await called(node, READER)).toBe(`0x${word(40_000)}`)
    await node.rpc('anvil_reset')
    expect(await idOf(node)).toBe(31_337)
  })

  it('is part of a dump', async () => {
    const source = await chain()
    const before = await send(source, READER)
    await source.rpc('anvil_setChainId', 9)
    const after = await send(source, READER)
    const dump = await source.rpc('anvil_dumpState')
    const node = await openDevNode()
    await node.rpc('anvil_loadState', dump)
    expect(await idOf(node)).toBe(9)
    expect([await traced(node, before), await traced(node, after)]).toEqual([word(31_337), word(9)])
  })

  it('refuses a value that is no chain id', async () => {
    const node = await openDevNode()
    for (const value of [-1, '0x10000000000000000', 'one', null]) {
      await expect(node.rpc('anvil_setChainId', value)).rejects.toMatchObject({ code: -32602 })
    }
    expect(await idOf(node)).toBe(31_337)
  })

  it('leaves a chain that cannot be exported as a valid one, unless the id is the original one', async () => {
    const node = await openDevNode()
    await node.rpc('anvil_setChainId', 9)
    expect(() => [...node.node.chain.exportBlocks({})]).toThrow(/chain id/)
    await node.rpc('anvil_setChainId', 31_337)
    expect([...node.node.chain.exportBlocks({})]).toHaveLength(1)
  })
})

describe.each([{ evm: 'native' }, { evm: 'reference' }] as const)(
  'anvil_impersonateSignature with the $evm EVM',
  (options) => {
    it('lets ecrecover return the address in calls, blocks and traces', async () => {
      const node = await chain(options)
      const hash = `0x${'11'.repeat(32)}` as const
      const { r, s, v } = await sign({ hash, privateKey: KEY })
      const input = encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'uint256' }, { type: 'bytes32' }, { type: 'bytes32' }],
        [hash, v as bigint, r, s],
      )
      const before = await send(node, VERIFIER, input)
      expect(await called(node, ECRECOVER, input)).toBe(pad(ALICE.address.toLowerCase() as Hex))
      const signature = `${r}${s.slice(2)}${Number(v).toString(16)}`
      expect(await node.rpc('anvil_impersonateSignature', signature, CAROL)).toBeNull()
      expect(await called(node, ECRECOVER, input)).toBe(pad(CAROL))
      expect(await called(node, VERIFIER, input)).toBe(pad(CAROL))
      const after = await send(node, VERIFIER, input)
      expect(await node.rpc('eth_getStorageAt', VERIFIER, '0x0', 'latest')).toBe(pad(CAROL))
      const words = [pad(ALICE.address.toLowerCase() as Hex), pad(CAROL)].map((text) => text.slice(2))
      expect([await traced(node, before), await traced(node, after)]).toEqual(words)
      // Any other signature is recovered.
      const other = `0x${input.slice(2, 66)}${input.slice(66, 130)}${'22'.repeat(64)}` as Hex
      expect(await called(node, ECRECOVER, other)).not.toBe(pad(CAROL))
    })
  },
)

describe('anvil_impersonateSignature', () => {
  it('is bounded, and refuses what is no signature', async () => {
    const node = await openDevNode()
    const signature = (i: number): string => `0x${word(i)}${word(1)}1b`
    for (let i = 0; i < MAX_IMPERSONATED_SIGNATURES; i++) {
      await node.rpc('anvil_impersonateSignature', signature(i), BOB)
    }
    await node.rpc('anvil_impersonateSignature', signature(0), CAROL)
    await expect(node.rpc('anvil_impersonateSignature', signature(99), BOB)).rejects.toThrow(/at most 64 signatures/)
    await expect(node.rpc('anvil_impersonateSignature', '0x1234', BOB)).rejects.toThrow(/expected 65 bytes, got 2/)
    await expect(node.rpc('anvil_impersonateSignature', `${signature(1).slice(0, -2)}1d`, BOB)).rejects.toThrow(
      /expected 27 or 28, got 29/,
    )
  })
})
