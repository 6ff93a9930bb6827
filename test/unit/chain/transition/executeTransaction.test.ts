import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../../src/base/primitives/secp256k1.ts'
import type { ExecutionContext } from '../../../../src/chain/transition/applyMessage.ts'
import { executeTransaction, type TransactionOutcome } from '../../../../src/chain/transition/executeTransaction.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import { createAddress } from '../../../../src/types/address.ts'
import { authorizationSigningHash } from '../../../../src/types/authorization.ts'
import type { Authorization, FeeMarketTransaction, Transaction } from '../../../../src/types/transaction.ts'
import { lossy, MemoryState } from '../../../support/chains/memoryState.ts'
import { BENEFICIARY, CONTRACT, environmentOf, SENDER, testClock } from '../../../support/evm/evm.ts'
import { loadTestEvm } from '../../../support/evm/testEvm.ts'

const ETHER = 10n ** 18n
const SENDER_HEX = bytesToHex(SENDER)
const AUTHORITY_KEY = new Uint8Array(32).fill(7)
const AUTHORITY = publicKeyToAddress(publicKeyOf(AUTHORITY_KEY))

let evm: Evm
beforeAll(async () => {
  evm = await loadTestEvm(testClock)
})

function contextOf(fork: ForkName): ExecutionContext {
  const { chainId, rules, contractSizeLimit, block } = environmentOf(fork)
  return { chainId, rules, contractSizeLimit, block, evm, control: {} }
}

function feeMarket(changes: Partial<FeeMarketTransaction> = {}): FeeMarketTransaction {
  return {
    type: 2,
    chainId: 1n,
    nonce: 0n,
    gasLimit: 100_000n,
    to: CONTRACT,
    value: 0n,
    data: new Uint8Array(0),
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 3n,
    accessList: [],
    yParity: 0n,
    r: 1n,
    s: 1n,
    ...changes,
  }
}

function stateWith(code: Uint8Array = new Uint8Array(0)): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, ETHER)
  if (code.length > 0) state.setCode(CONTRACT, code)
  state.beginTransaction()
  return state
}

interface Options {
  readonly fork?: ForkName
  readonly budget?: Partial<Parameters<typeof executeTransaction>[0]['budget']>
  readonly keepRevertReason?: boolean
}

async function execute(
  transaction: Transaction,
  state: MemoryState,
  options: Options = {},
): Promise<TransactionOutcome> {
  const context = contextOf(options.fork ?? 'prague')
  const budget = {
    baseFeePerGas: context.block.baseFeePerGas,
    blobBaseFee: context.rules.blobs === undefined ? undefined : 1n,
    gasLeft: context.block.gasLimit,
    blobGasLeft: 6n * 131_072n,
    ...options.budget,
  }
  const { keepRevertReason = false } = options
  return executeTransaction(
    { transaction, sender: SENDER, budget, gasUsedBefore: 1000n, keepRevertReason },
    state,
    context,
  )
}

async function executed(transaction: Transaction, state: MemoryState, options: Options = {}) {
  const outcome = await execute(transaction, state, options)
  if (outcome.kind === 'invalid') throw new Error(outcome.rejection.message)
  return outcome
}

describe('a transaction', () => {
  it('pays the tip to the beneficiary and burns the base fee', async () => {
    const state = stateWith()
    const { gasUsed, receipt } = await executed(feeMarket({ value: 5n }), state)
    expect(gasUsed).toBe(21_000n)
    expect(receipt).toMatchObject({ type: 2, status: true, cumulativeGasUsed: 22_000n, gasUsed: 21_000n })
    expect(state.getAccount(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 5n - 21_000n * 10n })
    expect(state.getAccount(BENEFICIARY)?.balance).toBe(21_000n * 3n)
    expect(state.getAccount(CONTRACT)?.balance).toBe(5n)
  })

  it.each([
    ['berlin', 2n],
    ['london', 5n],
  ] as const)('is refunded at most a part of its gas at %s', async (fork, quotient) => {
    const state = new MemoryState()
    state.setBalance(SENDER, ETHER)
    // Clears five slots.
    state.setCode(CONTRACT, hexToBytes(`0x${[1, 2, 3, 4, 5].map((slot) => `6000600${slot}55`).join('')}`))
    for (let slot = 1; slot <= 5; slot++) {
      const key = new Uint8Array(32)
      key[31] = slot
      state.setStorage(CONTRACT, key, new Uint8Array(32).fill(1))
    }
    const transaction: Transaction = { ...feeMarket(), type: 1, gasPrice: 10n }
    const { gasUsed, result } = await executed(transaction, state, { fork })
    const used = 21_000n + 5n * (3n + 3n + 5000n)
    const cap = used / quotient
    expect(result.gasRefund).toBe(fork === 'berlin' ? 75_000n : 24_000n)
    expect(gasUsed).toBe(used - (result.gasRefund < cap ? result.gasRefund : cap))
  })

  it('pays the floor for its data (EIP-7623)', async () => {
    const data = new Uint8Array(1000).fill(1)
    const { gasUsed } = await executed(feeMarket({ data }), stateWith())
    expect(gasUsed).toBe(21_000n + 40_000n)
    expect((await executed(feeMarket({ data }), stateWith(), { fork: 'cancun' })).gasUsed).toBe(21_000n + 16_000n)
  })

  it('reports the address of a failed creation, and the revert reason if requested', async () => {
    const data = hexToBytes('0x602a60005260206000fd')
    const state = stateWith()
    const { receipt } = await executed(feeMarket({ to: undefined, data }), state, { keepRevertReason: true })
    expect(receipt.status).toBe(false)
    expect(receipt.contractAddress).toEqual(createAddress(SENDER, 0n))
    expect(receipt.revertReason?.[31]).toBe(42)
    expect((await executed(feeMarket({ to: undefined, data }), stateWith())).receipt.revertReason).toBeUndefined()
  })

  it('burns the fee for blobs', async () => {
    const state = stateWith()
    const hash = new Uint8Array(32)
    hash[0] = 1
    const transaction: Transaction = {
      ...feeMarket(),
      to: CONTRACT,
      type: 3,
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: [hash, hash],
    }
    await executed(transaction, state, { budget: { blobBaseFee: 4n } })
    expect(state.getAccount(SENDER)?.balance).toBe(ETHER - 21_000n * 10n - 2n * 131_072n * 4n)
  })

  it('has the same result over a state that is not in memory', async () => {
    const code = hexToBytes('0x60015460010160005560005460005260206000a0')
    const plain = stateWith(code)
    const expected = await executed(feeMarket(), plain)
    const { state, residency, misses } = lossy(stateWith(code))
    const context = { ...contextOf('prague'), control: { residency } }
    const budget = { baseFeePerGas: 7n, blobBaseFee: 1n, gasLeft: 30_000_000n, blobGasLeft: 0n }
    const input = { transaction: feeMarket(), sender: SENDER, budget, gasUsedBefore: 1000n, keepRevertReason: false }
    expect(await executeTransaction(input, state, context)).toEqual(expected)
    expect(misses()).toBeGreaterThan(5)
    expect(state.getAccount(SENDER)).toEqual(plain.getAccount(SENDER))
  })
})

describe('authorisations (EIP-7702)', () => {
  function authorization(changes: Partial<Authorization> = {}): Authorization {
    const unsigned = { chainId: 1n, address: CONTRACT, nonce: 0n, ...changes }
    const { signature, yParity } = signHash(authorizationSigningHash(unsigned), AUTHORITY_KEY)
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
    return { ...unsigned, yParity: BigInt(yParity), r: BigInt(bytesToHex(r)), s: BigInt(bytesToHex(s)), ...changes }
  }

  function setCode(...authorizationList: Authorization[]): Transaction {
    return { ...feeMarket(), to: AUTHORITY, gasLimit: 300_000n, type: 4, authorizationList }
  }

  it('delegate, run the code of the target, and cost less for an existing account', async () => {
    const logs = hexToBytes('0x60006000a0')
    const state = stateWith(logs)
    const { receipt, gasUsed } = await executed(setCode(authorization()), state)
    expect(receipt.logs).toMatchObject([{ address: AUTHORITY }])
    expect(state.getCode(AUTHORITY)).toEqual(concatBytes(hexToBytes('0xef0100'), CONTRACT))
    expect(state.getAccount(AUTHORITY)?.nonce).toBe(1n)

    const existing = stateWith(logs)
    existing.setBalance(AUTHORITY, 1n)
    const most = gasUsed / 5n
    expect((await executed(setCode(authorization()), existing)).gasUsed).toBe(
      gasUsed - (most < 12_500n ? most : 12_500n),
    )
  })

  it.each([
    ['of another chain', { chainId: 2n }],
    ['with another nonce', { nonce: 3n }],
    ['with a parity that is none', { yParity: 2n }],
    ['with a high s', { s: 2n ** 256n - 1n }],
  ])('%s have no effect', async (_, changes) => {
    const state = stateWith()
    await executed(setCode(authorization(changes)), state)
    expect(state.getCode(AUTHORITY)).toEqual(new Uint8Array(0))
  })

  it('are revoked by the zero address', async () => {
    const state = stateWith()
    await executed(setCode(authorization(), authorization({ nonce: 1n, address: new Uint8Array(20) })), state)
    expect(state.getCode(AUTHORITY)).toEqual(new Uint8Array(0))
    expect(state.getAccount(AUTHORITY)?.nonce).toBe(2n)
  })

  it('let a delegated account send', async () => {
    const state = stateWith()
    state.setCode(SENDER, concatBytes(hexToBytes('0xef0100'), CONTRACT))
    expect((await execute(feeMarket(), state)).kind).toBe('executed')
    state.setCode(SENDER, hexToBytes('0x00'))
    expect(await execute(feeMarket({ nonce: 1n }), state)).toMatchObject({
      rejection: { code: 'SENDER_NOT_EOA', message: `sender not an eoa: address ${SENDER_HEX}, len(code): 1` },
    })
  })
})

describe('an invalid transaction is rejected and changes nothing', () => {
  const cases: readonly [string, Transaction, string, Options?][] = [
    ['nonce', feeMarket({ nonce: 1n }), `nonce too high: address ${SENDER_HEX}, tx: 1 state: 0`],
    [
      'funds',
      feeMarket({ value: ETHER }),
      `insufficient funds for gas * price + value: address ${SENDER_HEX} have ${ETHER} want ${ETHER + 10_000_000n}`,
    ],
    ['gas', feeMarket({ gasLimit: 20_999n }), 'intrinsic gas too low: have 20999, want 21000'],
    [
      'base fee',
      feeMarket({ maxFeePerGas: 6n }),
      `max fee per gas less than block base fee: address ${SENDER_HEX}, maxFeePerGas: 6, baseFee: 7`,
    ],
    ['tip', feeMarket({ maxPriorityFeePerGas: 101n }), 'max priority fee per gas higher than max fee per gas'],
    ['block gas', feeMarket(), 'gas limit reached: have 99999, want 100000', { budget: { gasLeft: 99_999n } }],
    ['type', feeMarket(), 'transaction type not supported', { fork: 'berlin' }],
    ['chain', feeMarket({ chainId: 5n }), 'invalid chain id for signer: have 5 want 1'],
    ['gas cap', feeMarket({ gasLimit: 2n ** 24n + 1n }), 'transaction gas limit too high', { fork: 'osaka' }],
    [
      'init code',
      feeMarket({ to: undefined, data: new Uint8Array(49_153), gasLimit: 1_000_000n }),
      'max initcode size exceeded',
    ],
    ['authorisations', { ...feeMarket(), to: CONTRACT, type: 4, authorizationList: [] }, 'empty auth list'],
  ]
  it.each(cases)('%s', async (_, transaction, message, options) => {
    const state = stateWith()
    const outcome = await execute(transaction, state, options)
    expect(outcome).toMatchObject({ kind: 'invalid' })
    if (outcome.kind === 'invalid') expect(outcome.rejection.message).toContain(message)
    expect(state.getAccount(SENDER)).toMatchObject({ nonce: 0n, balance: ETHER })
  })

  it('with a nonce that is too low', async () => {
    const state = stateWith()
    state.setNonce(SENDER, 2n)
    const outcome = await execute(feeMarket({ nonce: 1n }), state)
    expect(outcome).toMatchObject({
      rejection: { code: 'NONCE_TOO_LOW', message: `nonce too low: address ${SENDER_HEX}, tx: 1 state: 2` },
    })
  })
})
