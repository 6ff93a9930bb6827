import { describe, expect, it } from 'vitest'
import { MAX_PERMISSION_VERDICTS } from '../../../src/base/limits/limits.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { MaybePromise } from '../../../src/base/primitives/maybePromise.ts'
import type { ParentCall } from '../../../src/chain/engine.ts'
import type { SenderCheckContext } from '../../../src/chain/senderCheck.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import type { PeerEndpoint } from '../../../src/permissioning/contract.ts'
import { ContractCaller } from '../../../src/permissioning/contractCaller.ts'
import type { ContractVerdict } from '../../../src/permissioning/contractCalls.ts'
import { NodeContract, type NodeContractVersion } from '../../../src/permissioning/nodeContract.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { openTestChain, TEST_CLOCK } from '../../support/chains/testChain.ts'
import { loadTestEvm } from '../../support/evm/testEvm.ts'
import { DEV_CHAIN } from '../../support/nodes/devChain.ts'

const CONTRACT = `0x${'cc'.repeat(20)}`
const end = (byte: number, port = 30303): PeerEndpoint => ({
  id: new Uint8Array(64).fill(byte),
  host: `192.0.2.${byte}`,
  port,
})
const [SELF, PEER] = [end(1), end(2)]
const CONTEXT = {} as SenderCheckContext

/** A contract whose answers are given by the test. */
function scripted(answers: readonly (() => MaybePromise<ContractVerdict>)[], version: NodeContractVersion = 1) {
  const calls: ParentCall[] = []
  const changes = { count: 0 }
  const context: { value: SenderCheckContext | undefined } = { value: CONTEXT }
  const contract = new NodeContract({
    address: hexToBytes(CONTRACT),
    version,
    caller: {
      ask: (call) => {
        const answer = answers[calls.length]
        calls.push(call)
        if (answer === undefined) throw new Error('the contract is asked too often')
        return answer()
      },
    },
    contextAtHead: () => context.value,
    onChange: () => changes.count++,
  })
  return { contract, calls, changes, place: context }
}

const allowed = (): ContractVerdict => 'allowed'
const refused = (): ContractVerdict => 'refused'
const broken = (): never => {
  throw new Error('the state is damaged')
}

/** An answer that the test gives later. */
class LateAnswer {
  #settle: { readonly give: (verdict: ContractVerdict) => void; readonly fail: (error: Error) => void } | undefined
  readonly #promise = new Promise<ContractVerdict>((give, fail) => {
    this.#settle = { give, fail }
  })
  readonly answer = (): Promise<ContractVerdict> => this.#promise

  async give(verdict: ContractVerdict): Promise<void> {
    this.#settle?.give(verdict)
    await this.#promise
  }

  async fail(): Promise<void> {
    this.#settle?.fail(new Error('the store is closed'))
    await this.#promise.catch(() => {})
  }
}

describe('a node contract', () => {
  it('is asked once per connection and head', () => {
    const { contract, calls } = scripted([allowed, refused, refused])
    expect([contract.allows(SELF, PEER), contract.allows(SELF, PEER)]).toEqual([true, true])
    expect(contract.allows(PEER, SELF)).toBe(false)
    expect(calls).toHaveLength(2)
    contract.refresh()
    expect(contract.allows(SELF, PEER)).toBe(false)
  })

  it('takes both ends in version 2, and stops at the first refusal', () => {
    const first = scripted([allowed, refused], 2)
    expect(first.contract.allows(SELF, PEER)).toBe(false)
    const asked = first.calls.map(({ data }) => new TextDecoder().decode(data).match(/(?:0[12]){64}/)?.[0])
    expect(asked).toEqual(['01'.repeat(64), '02'.repeat(64)])
    expect(scripted([refused], 2).contract.allows(SELF, PEER)).toBe(false)
    expect(scripted([allowed, allowed], 2).contract.allows(SELF, PEER)).toBe(true)
  })

  it('permits nothing without the state of the head, whatever it has permitted before', () => {
    const { contract, place: context } = scripted([allowed])
    expect(contract.allows(SELF, PEER)).toBe(true)
    context.value = undefined
    contract.refresh()
    expect(contract.allows(SELF, PEER)).toBe(false)
  })

  it.each([1, 2] as const)('permits nothing when the call fails (version %s)', (version) => {
    expect(scripted([broken], version).contract.allows(SELF, PEER)).toBe(false)
    expect(scripted([() => 'failed'], version).contract.allows(SELF, PEER)).toBe(false)
  })

  it('withdraws a permission when the call for a later head fails', () => {
    const { contract } = scripted([allowed, broken])
    expect(contract.allows(SELF, PEER)).toBe(true)
    contract.refresh()
    expect([contract.allows(SELF, PEER), contract.allows(SELF, PEER)]).toEqual([false, false])
  })

  it('forgets no refusal when it has many connections to judge', () => {
    const count = MAX_PERMISSION_VERDICTS + 10
    const { contract, calls } = scripted(Array.from({ length: count + 1 }, () => refused))
    for (let port = 1; port <= count; port++) expect(contract.allows(SELF, end(2, port))).toBe(false)
    expect(contract.allows(SELF, end(2, 1))).toBe(false)
    expect(calls).toHaveLength(count + 1)
  })
})

describe('a slow node contract', () => {
  it('permits nothing before its first answer', async () => {
    const slow = new LateAnswer()
    const { contract, changes } = scripted([slow.answer])
    expect([contract.allows(SELF, PEER), contract.allows(SELF, PEER)]).toEqual([false, false])
    await slow.give('allowed')
    expect([contract.allows(SELF, PEER), changes.count]).toEqual([true, 1])
  })

  it('keeps its latest verdict in force until the next answer', async () => {
    const slow = new LateAnswer()
    const { contract, changes } = scripted([allowed, slow.answer])
    contract.allows(SELF, PEER)
    contract.refresh()
    expect(contract.allows(SELF, PEER)).toBe(true)
    await slow.give('refused')
    expect([contract.allows(SELF, PEER), changes.count]).toEqual([false, 1])
  })

  it('permits nothing when the answer fails', async () => {
    const slow = new LateAnswer()
    const { contract, changes } = scripted([allowed, slow.answer])
    contract.allows(SELF, PEER)
    contract.refresh()
    contract.allows(SELF, PEER)
    await slow.fail()
    expect([contract.allows(SELF, PEER), changes.count]).toEqual([false, 1])
  })

  it('withdraws a permission although every answer takes longer than a block', async () => {
    const [second, third] = [new LateAnswer(), new LateAnswer()]
    const { contract, changes } = scripted([allowed, second.answer, third.answer])
    contract.allows(SELF, PEER)
    for (let block = 0; block < 2; block++) {
      contract.refresh()
      expect(contract.allows(SELF, PEER)).toBe(true)
    }
    await second.give('refused')
    expect([contract.allows(SELF, PEER), changes.count]).toEqual([false, 1])
    await third.give('refused')
    expect(changes.count).toBe(1)
  })

  it('ignores an answer about a head that a later answer has overtaken', async () => {
    const [first, second, third] = [new LateAnswer(), new LateAnswer(), new LateAnswer()]
    const { contract, changes } = scripted([first.answer, second.answer, third.answer])
    contract.allows(SELF, PEER)
    contract.refresh()
    contract.allows(SELF, PEER)
    await second.give('refused')
    contract.refresh()
    contract.allows(SELF, PEER)
    await first.give('allowed')
    expect([contract.allows(SELF, PEER), changes.count]).toEqual([false, 0])
  })
})

/** A verdict of code, executed on the state of a chain. */
async function verdictOf(code: string | undefined, version: NodeContractVersion): Promise<boolean> {
  const base = devGenesis() as { readonly alloc: object }
  const json = {
    ...base,
    alloc: { ...base.alloc, ...(code === undefined ? {} : { [CONTRACT]: { balance: '0x0', code } }) },
  }
  const genesis = parseGenesis(json, { networkId: BigInt(DEV_CHAIN) })
  const kv = new MemoryStore()
  const states = new StateStore(kv)
  const evm = await loadTestEvm(TEST_CLOCK)
  const chain = await openTestChain({
    kv,
    states,
    evm,
    config: genesis.config,
    genesis: { alloc: genesis.alloc, text: '{}', block: (stateRoot) => genesisBlock(genesis, stateRoot) },
  })
  const execution = { config: chain.config, evm, consensus: chain.consensus, control: {} }
  const contract = new NodeContract({
    address: hexToBytes(CONTRACT),
    version,
    caller: new ContractCaller(execution, false),
    contextAtHead: () => ({
      parent: chain.head,
      state: () => states.mutable(requireState(chain.head.stateRoot)),
      blockHash: () => undefined,
    }),
    onChange: () => {},
  })
  contract.allows(SELF, PEER)
  await new Promise((resolve) => setTimeout(resolve, 0))
  return contract.allows(SELF, PEER)
}

/** Returns this word. */
const returning = (word: string): string => `0x7f${word.padStart(64, '0')}60005260206000f3`
const ONES = 'ff'.repeat(32)

describe('an answer of code', () => {
  it.each([
    ['ones in all bits', 1, returning(ONES)],
    ['1', 2, returning('1')],
    // Both ends are asked about on one state.
    ['1 if slot 0 is empty, which is set then,', 2, '0x60005415600052600160005560206000f3'],
  ] as const)('allows: %s in version %s', async (_, version, code) => {
    expect(await verdictOf(code, version)).toBe(true)
  })

  it.each([
    ['no contract', 1, undefined],
    ['no contract', 2, undefined],
    ['1', 1, returning('1')],
    ['0', 1, returning('0')],
    ['all bits but the first', 1, returning(`7f${ONES.slice(2)}`)],
    ['all bits but the last', 1, returning(`${ONES.slice(2)}fe`)],
    ['0', 2, returning('0')],
    ['2', 2, returning('2')],
    ['ones in all bits', 2, returning(ONES)],
    ['a 1 in the first byte', 2, returning(`01${'00'.repeat(31)}`)],
    ['nothing', 1, '0x00'],
    ['nothing', 2, '0x00'],
    ['31 bytes', 1, `0x7f${ONES}600052601f6000f3`],
    ['one byte', 2, '0x600160005260016001f3'],
    ['two words', 1, `0x7f${ONES}6000527f${ONES}60205260406000f3`],
    ['two words', 2, '0x600160005260406000f3'],
    ['a revert with the allowing word', 1, `0x7f${ONES}60005260206000fd`],
    ['a revert with the allowing word', 2, '0x600160005260206000fd'],
    ['an invalid instruction', 2, '0xfe'],
    ['an endless loop', 2, '0x5b600056'],
    ['an endless recursion', 2, '0x600060006000600060003061fffff1600056'],
  ] as const)('refuses: %s in version %s', async (_, version, code) => {
    expect(await verdictOf(code, version)).toBe(false)
  })
})
