import { describe, expect, it } from 'vitest'
import { MAX_WATCHED_CALLS, MAX_WATCHED_INPUT_BYTES } from '../../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { runMessage } from '../../../src/evm/driver.ts'
import type { Message, MessageResult, StartOptions } from '../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { MemoryState } from '../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../support/evm/evm.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'

const WATCHED = hexToBytes('0x000000000000000000636F6e736F6c652e6c6f67')
const ADDRESS = '0x636f6e736f6c652e6c6f67'
const INNER = hexToBytes('0x4000000000000000000000000000000000000004')

/** Calls the watched address with one byte of input, by STATICCALL, CALL and DELEGATECALL. */
const THREE_CALLS = evmCode(`
  0xa1 0 MSTORE8
  0 0 1 0 ${ADDRESS} GAS STATICCALL POP
  0xa2 0 MSTORE8
  0 0 1 0 0 ${ADDRESS} GAS CALL POP
  0xa3 0 MSTORE8
  0 0 1 0 ${ADDRESS} GAS DELEGATECALL POP
  STOP`)
const REVERTS = evmCode(`0xb1 0 MSTORE8 0 0 1 0 ${ADDRESS} GAS STATICCALL POP 0 0 REVERT`)
const CALLS_INNER = evmCode(`0 0 0 0 0 0x4000000000000000000000000000000000000004 GAS CALL POP STOP`)
const LOOP = evmCode(`JUMPDEST 0 0 100000 0 ${ADDRESS} GAS STATICCALL POP 0 JUMP`)

describe.each([
  ['native', loadTestNativeEvm],
  ['reference', loadReferenceEvm],
] as const)('calls to a watched address, %s EVM', (_, load) => {
  async function run(
    code: Uint8Array,
    options: StartOptions = { watchedAddress: WATCHED },
    message: Partial<Message> = {},
    prepare: (state: MemoryState) => void = () => {},
  ): Promise<MessageResult> {
    const state = new MemoryState()
    state.setBalance(SENDER, 10n ** 18n)
    state.setCode(CONTRACT, code)
    prepare(state)
    return runMessage(await load(testClock), messageTo(CONTRACT, message), environmentOf(), state, options)
  }

  const inputs = (result: MessageResult) => result.watchedCalls?.inputs.map(bytesToHex)

  it('are recorded in order, without an effect on the result', async () => {
    const watched = await run(THREE_CALLS)
    const { watchedCalls, ...plain } = await run(THREE_CALLS, {})
    expect(inputs(watched)).toEqual(['0xa1', '0xa2', '0xa3'])
    expect(watchedCalls).toBeUndefined()
    expect(watched).toMatchObject(plain)
  })

  it('are recorded in failed frames, and together with hooks', async () => {
    const withInner = (state: MemoryState) => state.setCode(INNER, REVERTS)
    expect(inputs(await run(CALLS_INNER, { watchedAddress: WATCHED }, {}, withInner))).toEqual(['0xb1'])
    const traced = await run(REVERTS, { watchedAddress: WATCHED, hooks: { enter: () => {} } })
    expect(traced.outcome).toBe('revert')
    expect(inputs(traced)).toEqual(['0xb1'])
  })

  it('are not recorded when the address has code, or when the call is refused', async () => {
    const withCode = (state: MemoryState) => state.setCode(WATCHED, Uint8Array.of(0))
    expect(inputs(await run(THREE_CALLS, { watchedAddress: WATCHED }, {}, withCode))).toBeUndefined()
    const pays = evmCode(`0 0 0 0 1 ${ADDRESS} GAS CALL POP STOP`)
    expect(inputs(await run(pays))).toBeUndefined()
  })

  it('are recorded beside creations', async () => {
    const creates = evmCode(`0 0 0 CREATE POP 0xc1 0 MSTORE8 0 0 1 0 ${ADDRESS} GAS STATICCALL POP STOP`)
    const result = await run(creates)
    expect(result.outcome).toBe('success')
    expect(inputs(result)).toEqual(['0xc1'])
  })

  it('are bounded in number and length', async () => {
    const { watchedCalls } = await run(LOOP, { watchedAddress: WATCHED }, { gas: 1_000_000n })
    expect(watchedCalls?.inputs).toHaveLength(MAX_WATCHED_CALLS)
    expect(watchedCalls?.inputs[0]).toHaveLength(MAX_WATCHED_INPUT_BYTES)
    expect(watchedCalls?.count).toBeGreaterThan(MAX_WATCHED_CALLS)
  })
})
