import { describe, expect, it } from 'vitest'
import { applyStateOverrides, PrecompileMoves } from '../../../../src/api/calls/stateOverrides.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../../src/config/forks.ts'
import { stateOverrides } from '../../../../src/rpc/codecs/overrides.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const ECRECOVER = `0x${'00'.repeat(19)}01`
const SHA256 = `0x${'00'.repeat(19)}02`
const slot = (n: number): Uint8Array => hexToBytes(n.toString(16).padStart(64, '0'))

function apply(overrides: unknown, state = new MemoryState()) {
  const precompiles = new PrecompileMoves(forkRules('cancun'))
  applyStateOverrides(state, stateOverrides.parse(overrides), precompiles, () => ({
    slicer: undefined,
    signal: undefined,
  }))
  return { state, precompiles }
}

const refusal = (overrides: unknown): unknown => {
  try {
    apply(overrides)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('applyStateOverrides', () => {
  it('sets balance, nonce and code', () => {
    const { state } = apply({ [A]: { balance: '0x5', nonce: '0x7', code: '0x60' } })
    expect(state.getAccount(hexToBytes(A))).toMatchObject({ balance: 5n, nonce: 7n })
    expect(bytesToHex(state.getCode(hexToBytes(A)))).toBe('0x60')
  })

  it('replaces the storage, or sets some of its slots', () => {
    const filled = (): MemoryState => {
      const state = new MemoryState()
      state.setBalance(hexToBytes(A), 1n)
      state.setStorage(hexToBytes(A), slot(1), slot(11))
      return state
    }
    const replaced = apply({ [A]: { state: { '0x2': '0x16' } } }, filled()).state
    expect([1, 2].map((n) => replaced.getStorage(hexToBytes(A), slot(n))[31])).toEqual([0, 22])
    const changed = apply({ [A]: { stateDiff: { '0x2': '0x16' } } }, filled()).state
    expect([1, 2].map((n) => changed.getStorage(hexToBytes(A), slot(n))[31])).toEqual([11, 22])
  })

  it('moves precompiles, and removes those that become accounts', () => {
    expect(apply({ [A]: { balance: '0x1' } }).precompiles.moved).toBeUndefined()
    const { precompiles } = apply({ [ECRECOVER]: { movePrecompileToAddress: A, code: '0x60' } })
    expect(precompiles.at(A)).toBe(ECRECOVER)
    expect(precompiles.at(ECRECOVER)).toBeUndefined()
    expect(precompiles.moved?.get(A)).toBe(ECRECOVER)
    const gone = apply({ [ECRECOVER]: { code: '0x60' } }).precompiles
    expect(gone.at(ECRECOVER)).toBeUndefined()
    expect([...(gone.moved?.values() ?? [])]).toEqual([ECRECOVER])
  })

  it('refuses invalid moves', () => {
    expect(refusal({ [A]: { movePrecompileToAddress: B } })).toContain('is not a precompile')
    expect(refusal({ [ECRECOVER]: { movePrecompileToAddress: SHA256 }, [SHA256]: {} })).toContain('already overridden')
  })
})
