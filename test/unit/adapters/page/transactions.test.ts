import { describe, expect, it } from 'vitest'
import type { Receipt } from '../../../../adapters/page/rpc/types.ts'
import { castSend, curlCommand, viemSend } from '../../../../adapters/page/views/tx/copyAs.ts'
import { feeParts } from '../../../../adapters/page/views/tx/fees.ts'
import { changesOfDiff } from '../../../../adapters/page/views/tx/stateDiff.ts'
import { waitingReason } from '../../../../adapters/page/views/tx/waitingReason.ts'

const URL = 'http://127.0.0.1:8545/'

describe('a transaction', () => {
  it('has a fee in parts', () => {
    const receipt = { gasUsed: '0x64', effectiveGasPrice: '0x5', blobGasUsed: '0xa', blobGasPrice: '0x2' } as Receipt
    expect(feeParts({}, receipt, { baseFeePerGas: '0x3' })).toEqual({ total: 520n, burnt: 300n, tip: 200n, blobs: 20n })
  })

  it('has a fee without a base fee', () => {
    const receipt = { gasUsed: '0x64' } as Receipt
    expect(feeParts({ gasPrice: '0x5' }, receipt, {})).toEqual({
      total: 500n,
      burnt: undefined,
      tip: 500n,
      blobs: undefined,
    })
  })

  it('says what it waits for', () => {
    const fields = { nonce: '0x5', maxFeePerGas: '0x5' }
    expect(waitingReason(fields, 3, '0x1')).toBe(
      '2 transactions of the sender must come first: its nonce is 5, the next is 3.',
    )
    expect(waitingReason(fields, 5, '0x9')).toBe('It pays at most 5 wei for gas, and the base fee is 9 wei.')
    expect(waitingReason(fields, 5, '0x1')).toBe('It waits for a block with room for it.')
  })

  it('becomes a command of other tools', () => {
    const call = { from: '0xaa', to: '0xbb', value: '0x1', gas: '0x5208', input: '0x1234' }
    expect(castSend(URL, call)).toBe(
      `cast send --rpc-url ${URL} --unlocked --from 0xaa --gas-limit 21000 --value 1 0xbb 0x1234`,
    )
    expect(castSend(URL, { ...call, to: null, value: '0x0' })).toContain('--create 0x1234')
    expect(viemSend(URL, call)).toContain('  value: 1n,')
    expect(curlCommand(URL, 'eth_x', ["it's"])).toContain("it'\\''s")
  })

  it('changes state by accounts and slots', () => {
    const diff = {
      pre: { '0x1': { balance: '0x5', nonce: 1, storage: { '0xa': '0x1', '0xb': '0x2' } }, '0x2': { balance: '0x9' } },
      post: { '0x1': { balance: '0x4', storage: { '0xa': '0x3' } } },
    }
    const [first, second] = changesOfDiff(diff)
    expect(first).toMatchObject({ balance: { before: '0x5', after: '0x4' }, nonce: null, code: null })
    expect(first?.slots.map(({ slot, before, after }) => [slot, before, BigInt(after)])).toEqual([
      ['0xa', '0x1', 3n],
      ['0xb', '0x2', 0n],
    ])
    expect(second?.balance).toEqual({ before: '0x9', after: '0x0' })
  })
})
