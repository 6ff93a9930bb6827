import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { revertReason } from '../../../src/evm/revertReason.ts'
import { refused } from '../../../src/remote/errors.ts'
import { toRpcError } from '../../../src/rpc/errors.ts'
import { ERROR_TABLE } from '../../../src/rpc/errorTable.ts'
import { FURTHER_ERRORS } from '../../../src/rpc/furtherErrors.ts'
import { commonEthMethods } from '../../../src/rpc/methods/eth/common.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

const word = (value: number | string) =>
  typeof value === 'number' ? value.toString(16).padStart(64, '0') : value.padEnd(64, '0')
const reasonText = `0x08c379a0${word(32)}${word(5)}${word('68656c6c6f')}`

const reverted = (data: unknown) => new NodeError({ code: 'EXECUTION_REVERTED', data }, 'reverted')

describe('domain errors as JSON-RPC errors', () => {
  it('has a revert in the wording of both profiles', () => {
    expect(toRpcError(reverted(hexToBytes(reasonText)), 'besu')).toEqual({
      code: -32000,
      message: 'Execution reverted',
      data: reasonText,
    })
    expect(toRpcError(reverted(reasonText), 'geth')).toEqual({
      code: 3,
      message: 'execution reverted: hello',
      data: reasonText,
    })
    expect(toRpcError(reverted(new Uint8Array(0)), 'geth')).toEqual({
      code: 3,
      message: 'execution reverted',
      data: '0x',
    })
    expect(toRpcError(reverted(undefined), 'geth')).toEqual({ code: 3, message: 'execution reverted' })
  })

  it('reports why nothing could be stored', () => {
    for (const profile of ['besu', 'geth'] as const) {
      const full = new NodeError({ code: 'DISK_FULL' }, 'no space left for the database in /secret')
      expect(toRpcError(full, profile)).toEqual({
        code: -32000,
        message: 'No room left on the disk for the database',
      })
      const failed = new NodeError({ code: 'STORE_FAILED' }, 'the database in /secret: Input/output error')
      expect(toRpcError(failed, profile)).toEqual({ code: -32000, message: 'The database cannot be read or written' })
    }
  })

  it('sends data only if the table says so', () => {
    const error = new NodeError({ code: 'BLOCK_NOT_FOUND', data: 'x' }, 'no block 7')
    expect(toRpcError(error, 'besu')).toEqual({ code: -32000, message: 'Block not found' })
    expect(toRpcError(error, 'geth')).toEqual({ code: -32000, message: 'header not found' })
  })

  it("allows messages with more detail than go-ethereum's", () => {
    const short = 'insufficient funds for gas * price + value'
    const code = 'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE'
    const long = new NodeError({ code }, `${short}: address 0x0 have 0 want 1`)
    expect(toRpcError(long, 'geth')?.message).toBe(`${short}: address 0x0 have 0 want 1`)
    expect(toRpcError(new NodeError({ code }, 'poor'), 'geth')).toEqual({ code: -32000, message: short })
    expect(toRpcError(long, 'besu')).toEqual({ code: -32004, message: 'Upfront cost exceeds account balance' })
  })

  it('passes on the error of another node', () => {
    const error = { code: 3, message: 'execution reverted: no', data: reasonText }
    const refusal = refused('eth_call', error)
    for (const profile of ['besu', 'geth'] as const) expect(toRpcError(refusal, profile)).toEqual(error)
    const other = refused('eth_call', { code: -32000, message: 'x', data: { secret: 1 } })
    expect(toRpcError(other, 'geth')).toEqual({ code: -32000, message: 'x' })
  })

  it('does not expose other errors', () => {
    expect(toRpcError(new Error('x'), 'besu')).toBeUndefined()
    expect(toRpcError(new NodeError({ code: 'NO_SUCH_CODE' }, 'x'), 'geth')).toBeUndefined()
    expect(toRpcError('x', 'besu')).toBeUndefined()
  })

  it('has in a page, from the start, the rows of the methods that it has from the start', () => {
    const needed = new Set(commonEthMethods.flatMap(({ errors = [] }) => errors))
    const later = Object.keys(FURTHER_ERRORS).filter((code) => needed.has(code))
    // A page loads them with the parts that throw them: forks and mirrors.
    expect(
      later.filter((code) => !/^(?:FORK|MIRROR)_|^(?:PROOF_INVALID|REMOTE_REFUSED|READS_EXCEEDED)$/.test(code)),
    ).toEqual([])
  })

  const recorded = recordedPath('besu', 'error-codes.json')
  it('has every recorded number and message', () => {
    const rows = JSON.parse(readFileSync(recorded, 'utf8')) as {
      name: string
      code: number
      message: string
    }[]
    const ours = new Set([...ERROR_TABLE.values()].map(({ code, message }) => `${code} ${message}`))
    const missing = rows.filter(({ code, message }) => !ours.has(`${code} ${message}`)).map(({ name }) => name)
    expect(missing.filter((name) => !/GOQUORUM|TESSERA|GAS_PRICE_MUST_BE_ZERO/.test(name))).toEqual([])
  })
})

describe('the reason in revert output', () => {
  it('is read from Error(string) and Panic(uint256)', () => {
    expect(revertReason(reasonText)).toBe('hello')
    expect(revertReason(`0x4e487b71${word(0x11)}`)).toBe('arithmetic underflow or overflow')
    expect(revertReason(`0x4e487b71${word(0x77)}`)).toBe('unknown panic code: 0x77')
  })

  it.each([
    '0x',
    '0x08c379a0',
    `0x08c379a0${word(32)}`,
    `0x08c379a0${word(32)}${word(6)}68656c6c6f`,
    `0x08c379a0${'f'.repeat(64)}${word(5)}`,
    `0x08c379a0${word(32)}${'f'.repeat(64)}`,
    '0x4e487b7111',
    `0x7d88c185${word(1)}`,
  ])('is not invented for %s', (output) => {
    expect(revertReason(output)).toBeUndefined()
  })
})
