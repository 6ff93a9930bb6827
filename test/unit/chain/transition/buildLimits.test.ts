import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import type { PlannedTransaction } from '../../../../src/chain/transition/buildInput.ts'
import type { Rejection } from '../../../../src/chain/transition/rejection.ts'
import { ExecutionScheduler } from '../../../../src/evm/scheduler.ts'
import { TEST_CLOCK } from '../../../support/chains/testChain.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { ALICE, BOB, openDevChain, planBlock, plannedOf, signed } from '../../../support/nodes/devChain.ts'

const MUCH_GAS = 2n ** 62n
/** A creation that writes beyond 4 GiB. */
const GIANT = evmCode(`1 ${0xfffe_0000} MSTORE8`)
const ENDLESS = evmCode('JUMPDEST 0 JUMP')

async function open() {
  const scheduler = new ExecutionScheduler({ clock: TEST_CLOCK, yieldToHost: testYield })
  const evm = await loadTestNativeEvm(TEST_CLOCK)
  const chain = await openDevChain({ scheduler, evm }, { fork: 'PRAGUE' })
  const refused: [hash: string, code: string][] = []
  const plan = (transactions: readonly PlannedTransaction[], changes = {}) =>
    planBlock(chain.head, {
      transactions,
      gasLimit: 2n ** 63n - 1n,
      setsGasLimit: true,
      refused: ({ hash }: PlannedTransaction, { code }: Rejection) => refused.push([bytesToHex(hash), code]),
      ...changes,
    })
  return { chain, refused, plan, scheduler }
}

const transfer = async (account = ALICE, nonce = 0) => plannedOf(await signed(account, { nonce, value: 1n }))
/** The cheapest possible price, since the gas costs more than anyone has otherwise. */
const creation = async (code: Uint8Array, gas: bigint, account = ALICE, nonce = 0) =>
  plannedOf(
    await signed(account, {
      nonce,
      to: undefined,
      data: bytesToHex(code) as `0x${string}`,
      gas,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
    }),
  )

describe('a block under construction', () => {
  it('goes on without a transaction that needs more memory than there is', async () => {
    const { chain, refused, plan } = await open()
    const giant = await creation(GIANT, MUCH_GAS)
    const others = [await transfer(ALICE), await transfer(BOB)]
    const candidate = await chain.build(plan([giant, ...others], { baseFeePerGas: 0n }), chain.head)
    expect(refused).toEqual([[bytesToHex(giant.hash), 'EXECUTION_OUT_OF_MEMORY']])
    expect(candidate?.included).toEqual(others)
    if (candidate === undefined) throw new Error('no block')
    expect(await chain.commit(candidate)).toMatchObject({ kind: 'imported' })
  })

  it('leaves out the transaction in progress at its deadline', async () => {
    const { chain, refused, plan, scheduler } = await open()
    const endless = await creation(ENDLESS, MUCH_GAS, BOB)
    const first = await transfer(ALICE)
    const last = await transfer(ALICE, 1)
    const limits = { baseFeePerGas: 0n, deadlineMs: 100 }
    const candidate = await chain.build(plan([first, endless, last], limits), chain.head)
    expect(refused).toEqual([[bytesToHex(endless.hash), 'EXECUTION_TOO_SLOW']])
    expect(candidate?.included).toEqual([first])
    if (candidate === undefined) throw new Error('no block')
    expect(await chain.commit(candidate)).toMatchObject({ kind: 'imported' })
    expect(chain.stateAt(chain.head).getAccount(endless.sender)?.nonce).toBe(0n)
    expect(scheduler.running).toBe(0)
  })

  it('ends when it is no longer wanted', async () => {
    const { chain, plan, scheduler } = await open()
    const signal = { aborted: false, reason: undefined as unknown }
    const endless = await creation(ENDLESS, MUCH_GAS)
    const building = chain.build(plan([endless], { baseFeePerGas: 0n, signal }), chain.head)
    while (scheduler.pauses === 0) await testYield()
    signal.aborted = true
    await expect(building).rejects.toMatchObject({ details: { code: 'EXECUTION_ABORTED' } })
    expect(scheduler.running).toBe(0)
  })
})
