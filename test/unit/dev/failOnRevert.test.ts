/** `--fail-on-revert`: a transaction that fails in its block is answered with its error, and mined all the same. */
import { concatHex, type Hex, numberToHex, size } from 'viem'
import { describe, expect, it } from 'vitest'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { devAccount } from '../../support/rpc/viemClient.ts'

const FROM = devAccount(0).address
const GAS = '0x100000'
const REASON: Hex =
  '0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000'
const PANIC: Hex = '0x4e487b710000000000000000000000000000000000000000000000000000000000000011'

/** Init code that reverts with the output. */
const reverting = (output: Hex): Hex =>
  concatHex([
    '0x60',
    numberToHex(size(output), { size: 1 }),
    '0x600c60003960',
    numberToHex(size(output), { size: 1 }),
    '0x6000fd',
    output,
  ])

const EXCEPTION = 'Error: VM Exception while processing transaction:'

async function open(given: Partial<NodeOptions> = { 'fail-on-revert': true }) {
  const node = await openDevNode({ ...defaultOptions(true), ...given })
  const failure = (method: string, ...params: readonly unknown[]) =>
    node.rpc(method, ...params).then(
      (result) => ({ result }),
      (error) => ({ code: error.code, message: error.message, data: error.data }),
    )
  return { ...node, failure, create: (data: Hex) => failure('eth_sendTransaction', { from: FROM, data, gas: GAS }) }
}

const receiptOf = async (rpc: Awaited<ReturnType<typeof open>>['rpc'], failure: object) =>
  rpc<{ status: string }>('eth_getTransactionReceipt', (failure as { data: { txHash: string } }).data.txHash)

describe('a transaction that fails', () => {
  it('is answered with its error when it has the most gas instead of an estimate, as from hardhat-ethers', async () => {
    const { rpc, failure, create } = await open({})
    const data = reverting(REASON)
    const failed = await failure('eth_sendTransaction', { from: FROM, data, gas: '0x1000000' })
    expect(failed).toMatchObject({ code: -32603, message: `${EXCEPTION} reverted with reason string 'no'` })
    expect(await receiptOf(rpc, failed)).toMatchObject({ status: '0x0' })
    expect(await create(data)).toMatchObject({ result: expect.stringMatching(/^0x/) })
  })

  it.each<[kind: string, init: Hex, code: number, message: string, output: Hex]>([
    ['with a reason', reverting(REASON), -32603, `${EXCEPTION} reverted with reason string 'no'`, REASON],
    [
      'with a custom error',
      reverting('0xdeadbeef'),
      -32603,
      `${EXCEPTION} reverted with an unrecognized custom error (return data: 0xdeadbeef)`,
      '0xdeadbeef',
    ],
    [
      'with a panic',
      reverting(PANIC),
      -32603,
      `${EXCEPTION} reverted with panic code 0x11 (arithmetic underflow or overflow)`,
      PANIC,
    ],
    ['without output', '0x60006000fd', -32603, 'Error: Transaction reverted without a reason string', '0x'],
    ['out of gas', '0x5b600056', -32000, 'Transaction ran out of gas', '0x'],
  ])('%s has the error of Hardhat, and a receipt', async (_, init, code, message, output) => {
    const { rpc, create } = await open()
    const failure = await create(init)
    expect(failure).toEqual({ code, message, data: { message, txHash: expect.any(String), data: output } })
    expect((await receiptOf(rpc, failure)).status).toBe('0x0')
  })

  it('is mined without a gas limit in the request', async () => {
    const { rpc, failure } = await open()
    const answer = await failure('eth_sendTransaction', { from: FROM, data: reverting(REASON) })
    expect(answer).toMatchObject({ code: -32603 })
    expect((await receiptOf(rpc, answer)).status).toBe('0x0')
  })

  it.each(['eth_sendRawTransaction', 'eth_sendRawTransactionSync'])('has its error from %s', async (method) => {
    const { rpc, failure } = await open()
    const raw = await devAccount(0).signTransaction({
      chainId: 31337,
      data: reverting(REASON),
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      type: 'eip1559',
    })
    const answer = await failure(method, raw)
    expect(answer).toMatchObject({ code: -32603, data: { data: REASON } })
    expect((await receiptOf(rpc, answer)).status).toBe('0x0')
  })

  it('has its error from eth_sendTransactionSync', async () => {
    const { failure } = await open()
    expect(await failure('eth_sendTransactionSync', { from: FROM, data: reverting(REASON), gas: GAS })).toMatchObject({
      code: -32603,
      data: { data: REASON },
    })
  })

  it('has a hash by default, and from the time on that a request says so', async () => {
    const { rpc, create } = await open({})
    expect(await create(reverting(REASON))).toEqual({ result: expect.any(String) })
    await rpc('isonode_setFailOnRevert', true)
    expect(await create(reverting(REASON))).toMatchObject({ code: -32603 })
    await rpc('isonode_setFailOnRevert', false)
    expect(await create(reverting(REASON))).toEqual({ result: expect.any(String) })
  })

  it('has a hash while it waits for its block, and a successful one always', async () => {
    const { rpc, create } = await open({ 'fail-on-revert': true, 'no-mining': true })
    const waiting = await create(reverting(REASON))
    expect(waiting).toEqual({ result: expect.any(String) })
    await rpc('evm_mine')
    const { rpc: other } = await open()
    expect(await other('eth_sendTransaction', { from: FROM, to: FROM })).toMatch(/^0x/)
  })
})
