import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Replay } from '../../../src/tracing/replay.ts'
import { devWriter, TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { loadTestEvm } from '../../support/evm/testEvm.ts'
import { testYield } from '../../support/host/testYield.ts'
import { ALICE, openDevChain, planBlock, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const CONTRACT = hexToBytes(`0x${'c0'.repeat(20)}`)
const ETHER = 10n ** 18n

/** A chain with a funded contract, and a transaction that has this contract as its sender. */
async function openWithContract() {
  const kv = new MemoryStore()
  const chain = await openDevChain({ kv })
  await devWriter(chain).amendHead((state) => {
    state.setCode(CONTRACT, Uint8Array.of(0))
    state.setBalance(CONTRACT, ETHER)
  })
  return { chain, kv, candidate: { ...plannedOf(await signed(ALICE, { nonce: 0, value: 5n })), sender: CONTRACT } }
}

describe('an impersonated contract', () => {
  it('sends, and its block can be executed again for traces', async () => {
    const { chain, kv, candidate } = await openWithContract()
    const [block] = await sealBlocks(chain, [{ transactions: [{ ...candidate, isImpersonated: true }] }])
    if (block === undefined) throw new Error('no block')
    expect(chain.receipts(block.hash)?.[0]?.status).toBe(true)
    expect(chain.stateAt(chain.head)?.getAccount(CONTRACT)?.nonce).toBe(1n)

    const { config } = chain
    const consensus = createSchedule(config)
    const scheduler = new ExecutionScheduler({ clock: TEST_CLOCK, yieldToHost: testYield })
    const evm = await loadTestEvm(TEST_CLOCK)
    const store = new StateStore(kv)
    const states = { mutable: ({ stateRoot }: ChainHeader) => store.mutable(requireState(stateRoot)) }
    const modules = { config, evm, consensus, control: { scheduler } }
    const replay = new Replay({ ...modules, chain, states, senders: TEST_SENDERS })
    const { state } = await replay.stateAfter(block, 1, { signal: undefined, timeoutMs: 10_000 })
    expect(state.getAccount(CONTRACT)?.nonce).toBe(1n)
  })

  it('is refused if it had signed itself (EIP-3607)', async () => {
    const { chain, candidate } = await openWithContract()
    const refused: string[] = []
    const plan = {
      transactions: [candidate],
      refused: (_: unknown, { code }: { code: string }) => void refused.push(code),
    }
    await chain.seal((parent) => (parent.header.number === 0n ? planBlock(parent, plan) : undefined))
    expect(refused).toEqual(['SENDER_NOT_EOA'])
  })
})
