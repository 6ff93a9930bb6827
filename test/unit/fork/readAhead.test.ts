import { beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { applyMessage } from '../../../src/chain/transition/applyMessage.ts'
import { headerEnvironment } from '../../../src/chain/transition/headerEnvironment.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import { hasState } from '../../../src/state/contract.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import { MapSource } from '../../support/fork/mapSource.ts'
import { methodNotFound, NodeRemote } from '../../support/fork/nodeRemote.ts'
import { openTestFork, type TestFork } from '../../support/fork/openTestFork.ts'
import { ALICE } from '../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const READERS = 5
const SLOTS = 8
const SENDER = hexToBytes(ALICE.address)
const ROUTER = hexToBytes(`0x${'aa'.repeat(20)}`)
const readerAddress = (i: number): string => `0x${'b'.repeat(39)}${i}`

/** Adds the slots 0 to 7. The code of each reader differs. */
const readerCode = (i: number): Uint8Array =>
  evmCode(`${i} ${Array.from({ length: SLOTS }, (_, slot) => `${slot} SLOAD ADD`).join(' ')} 0 MSTORE 32 0 RETURN`)

/** Adds what all readers return. */
const routerCode = evmCode(
  `0 ${Array.from({ length: READERS }, (_, i) => `32 0 0 0 ${readerAddress(i)} GAS STATICCALL POP 0 MLOAD ADD`).join(' ')} 0 MSTORE 32 0 RETURN`,
)

function genesisWithContracts(): Record<string, unknown> {
  const genesis = devGenesis()
  const storage = Object.fromEntries(Array.from({ length: SLOTS }, (_, slot) => [`0x${slot}`, `0x${slot + 1}`]))
  const readers = Array.from({ length: READERS }, (_, i) => [
    readerAddress(i),
    { balance: '0x0', code: bytesToHex(readerCode(i)), storage },
  ])
  const contracts = Object.fromEntries([
    ...readers,
    [bytesToHex(ROUTER), { balance: '0x0', code: bytesToHex(routerCode) }],
  ])
  return { ...genesis, alloc: { ...(genesis['alloc'] as object), ...contracts } }
}

const SUM = BigInt(READERS * 36 + 10)
const open = closedAfterEach()
let evm: Evm

beforeAll(async () => {
  evm = await loadTestNativeEvm(TEST_CLOCK)
})

async function openRemote(): Promise<{ node: OpenedNode; remote: NodeRemote }> {
  const node = await open({ 'rpc-http-api': ['ETH', 'DEBUG', 'DEV'] }, undefined, {}, genesisWithContracts())
  return { node, remote: new NodeRemote(node.rpc) }
}

/** Calls the router on the state of the fork block. @param data which it does not read */
async function callRouter(fork: TestFork, data = 1): Promise<bigint> {
  const { store, state: base, point, chain } = fork
  const states = new StateStore(store, { base })
  const header = await fork.read(() => chain.headerByNumber(point.block.number))
  if (header === undefined || !hasState(header)) throw new Error('the fork block has no state')
  const rules = chain.config.rulesAt(header.header)
  const block = {
    ...headerEnvironment(header.header, header.header.beneficiary),
    blobBaseFee: 0n,
    blockHash: () => undefined,
  }
  const { result } = await applyMessage(
    {
      sender: SENDER,
      to: ROUTER,
      value: 0n,
      data: Uint8Array.of(data),
      gasLimit: 5_000_000n,
      gasPrice: 0n,
      priorityFee: 0n,
      blobFee: 0n,
      accessList: [],
      blobVersionedHashes: [],
      authorizationList: [],
      intrinsic: { intrinsic: 21_000n, floor: 0n },
    },
    states.mutable(header.stateRoot),
    { chainId: point.chainId, rules, contractSizeLimit: undefined, block, evm, control: { residency: store } },
  )
  expect(result.outcome).toBe('success')
  return BigInt(bytesToHex(result.output))
}

/**
 * Changes slot 0 of a reader in a new block, and calls the router on a fork of that block.
 * @param value a byte in hex
 * @returns the requests of the fork in `batches`
 */
async function callAfterChange(
  { node, remote }: Awaited<ReturnType<typeof openRemote>>,
  source: MapSource,
  value: string,
): Promise<{ sum: bigint; batches: NodeRemote['batches'] }> {
  await node.rpc('anvil_setStorageAt', readerAddress(2), '0x0', `0x${'00'.repeat(31)}${value}`)
  await node.rpc('evm_mine')
  const fork = await openTestFork(remote, { source })
  const before = remote.batches.length
  return { sum: await callRouter(fork), batches: remote.batches.slice(before) }
}

/** Access lists are asked for with and without funds for the sender, until it is known what the remote understands. */
const PLANS = ['isonode_callWitness', 'eth_createAccessList', 'eth_createAccessList'] as const

interface Witness {
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
  readonly state: readonly string[]
  readonly codes: readonly string[]
  readonly headers: readonly string[]
}

const without =
  (...methods: readonly string[]) =>
  ({ method }: { readonly method: string }, result: unknown): unknown =>
    methods.includes(method) ? methodNotFound(method) : result

describe('a call on a fork', () => {
  test.each([
    ['with a witness', [], PLANS, 2],
    ['with an access list', ['isonode_callWitness'], PLANS, 2],
    ['with a trace', ['isonode_callWitness', 'eth_createAccessList'], ['debug_traceCall'], 3],
  ] as const)('%s is fetched in few requests', async (_, missing, plan, requests) => {
    const { remote } = await openRemote()
    remote.lie = without(...missing)
    const fork = await openTestFork(remote)
    const before = remote.batches.length
    expect(await callRouter(fork)).toBe(SUM)
    expect(remote.batches.length - before).toBeLessThanOrEqual(requests)
    expect(remote.batches.slice(before)).toContainEqual([...plan])
  })

  test('without plans, the slots that code names are fetched together', async () => {
    const { remote } = await openRemote()
    remote.lie = without('isonode_callWitness', 'eth_createAccessList', 'debug_traceCall')
    const fork = await openTestFork(remote)
    const before = remote.batches.length
    expect(await callRouter(fork)).toBe(SUM)
    // Two refused plans, then for each contract the account and its slots.
    expect(remote.batches.length - before).toBeLessThanOrEqual(2 + 2 * (READERS + 2))
  })

  test('the next time on a newer block, accounts are asked for at once, and slots where a storage has changed', async () => {
    const { node, remote } = await openRemote()
    remote.lie = without('isonode_callWitness')
    const source = new MapSource()
    await callRouter(await openTestFork(remote, { source }))
    const { sum, batches } = await callAfterChange({ node, remote }, source, '65')
    expect(sum).toBe(SUM + 100n)
    const [accounts, slots, ...rest] = batches
    expect(new Set(accounts)).toEqual(new Set(['eth_getProof']))
    expect(slots).toEqual(['eth_getProof'])
    expect(rest).toEqual([])
  })

  test('the next time, one slot that was not read before is fetched alone', async () => {
    const { node, remote } = await openRemote()
    remote.lie = without('isonode_callWitness')
    const source = new MapSource()
    await node.rpc('anvil_setCode', readerAddress(2), bytesToHex(evmCode('0 SLOAD SLOAD 0 MSTORE 32 0 RETURN')))
    await node.rpc('evm_mine')
    // Slot 0 names slot 1, which is 2; the others add their slots.
    expect(await callRouter(await openTestFork(remote, { source }))).toBe(SUM - 38n + 2n)
    const { sum, batches } = await callAfterChange({ node, remote }, source, '05')
    expect(sum).toBe(SUM - 38n + 6n)
    const [accounts, slots, ...rest] = batches
    expect(new Set(accounts)).toEqual(new Set(['eth_getProof']))
    expect(slots).toEqual(['eth_getProof'])
    expect(rest).toEqual([['eth_getProof']])
  })

  /** Runs a call, changes a slot that decides what else is read, and runs it on a fork of the new block. */
  async function proveAgain(lie: NodeRemote['lie'] = (_, result) => result) {
    const { node, remote } = await openRemote()
    const answers: Witness[] = []
    const source = new MapSource()
    await node.rpc('anvil_setCode', readerAddress(2), bytesToHex(evmCode('0 SLOAD SLOAD 0 MSTORE 32 0 RETURN')))
    await node.rpc('evm_mine')
    remote.lie = (request, result) => {
      if (request.method === 'isonode_callWitness') answers.push(result as Witness)
      return result
    }
    await callRouter(await openTestFork(remote, { source }))
    const { lie: record } = remote
    remote.lie = (request, result) => lie(request, record(request, result))
    const { sum, batches } = await callAfterChange({ node, remote }, source, '05')
    expect(sum).toBe(SUM - 38n + 6n)
    return { batches, answers, node, remote, source }
  }

  test('the next time, a witness has only what is new', async () => {
    const { batches, answers, node, remote, source } = await proveAgain()
    expect(batches).toEqual([['isonode_callWitness']])
    const [first, second] = answers as [Witness, Witness]
    expect(first.codes.length).toBe(READERS + 1)
    expect(second).toMatchObject({ codes: [], headers: [] })
    expect(second.accessList).toEqual([{ address: readerAddress(2), storageKeys: [`0x${'0'.repeat(63)}5`] }])
    expect(second.state.length).toBeLessThan(first.state.length / 2)
    for (const rlp of second.state) expect(first.state).not.toContain(rlp)
    // A third block builds on both.
    const { sum, batches: third } = await callAfterChange({ node, remote }, source, '06')
    expect(sum).toBe(SUM - 38n + 7n)
    expect(third).toEqual([['isonode_callWitness']])
  })

  test.each<[string, (witness: Witness) => unknown]>([
    ['a node', (witness) => ({ ...witness, state: witness.state.slice(1) })],
    ['all', (witness) => ({ ...witness, state: [], accessList: [] })],
    ['its form', () => 'nonsense'],
  ])('a witness that lacks %s is not believed', async (_, change) => {
    const { batches } = await proveAgain(({ method }, result) =>
      method === 'isonode_callWitness' ? change(result as Witness) : result,
    )
    expect(batches[0]).toEqual(['isonode_callWitness'])
    expect(batches.flat()).toContain('eth_getProof')
  })

  test('the next time, slots that were fetched because the code names them are part of the plan', async () => {
    const { node, remote } = await openRemote()
    remote.lie = without(...PLANS, 'debug_traceCall')
    const source = new MapSource()
    await callRouter(await openTestFork(remote, { source }))
    const { sum, batches } = await callAfterChange({ node, remote }, source, '65')
    expect(sum).toBe(SUM + 100n)
    expect(batches.length).toBe(2)
  })

  test('nothing is fetched ahead while the cache has what is needed', async () => {
    const { node, remote } = await openRemote()
    const source = new MapSource()
    // The same code reads another slot in each contract, so what is known of the code says too much of each.
    const code = bytesToHex(evmCode('ADDRESS SLOAD 0 MSTORE 32 0 RETURN'))
    for (let i = 0; i < READERS; i++) {
      await node.rpc('anvil_setCode', readerAddress(i), code)
      await node.rpc('anvil_setStorageAt', readerAddress(i), readerAddress(i), `0x${'00'.repeat(31)}01`)
    }
    await node.rpc('evm_mine')
    remote.lie = without(...PLANS, 'debug_traceCall')
    await callRouter(await openTestFork(remote, { source }))
    for (const data of [1, 2]) {
      const again = new NodeRemote(node.rpc)
      again.lie = remote.lie
      const fork = await openTestFork(again, { source })
      const before = again.batches.length
      expect(await callRouter(fork, data)).toBe(BigInt(READERS))
      expect(again.batches.slice(before)).toEqual([])
    }
  })

  test('a plan for what cannot be fetched is given up', async () => {
    const { remote } = await openRemote()
    const address = `0x${'99'.repeat(20)}`
    const wrong = { accessList: [{ address, storageKeys: [] }], gasUsed: '0x0' }
    remote.lie = ({ method, params }, result) => {
      if (method === 'isonode_callWitness') return methodNotFound(method)
      if (method === 'eth_createAccessList') return wrong
      return params[0] === address ? 'nonsense' : result
    }
    expect(await callRouter(await openTestFork(remote))).toBe(SUM)
  })

  test('a wrong plan costs one request', async () => {
    const { remote } = await openRemote()
    const wrong = { accessList: [{ address: `0x${'99'.repeat(20)}`, storageKeys: [] }], gasUsed: '0x0' }
    remote.lie = ({ method }, result) =>
      method === 'eth_createAccessList' ? wrong : method === 'isonode_callWitness' ? methodNotFound(method) : result
    expect(await callRouter(await openTestFork(remote))).toBe(SUM)
  })
})
