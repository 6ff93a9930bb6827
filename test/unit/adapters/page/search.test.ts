import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../adapters/page/rpc/ask.ts'
import { searchFailures } from '../../../../adapters/page/views/search/failures.ts'
import { type Contract, matchingContracts, matchingItems } from '../../../../adapters/page/views/search/matches.ts'
import { abiItems } from '../../../../src/abi/abiItem.ts'

const input = { type: 'uint256' }

function contract(name: string, abi: readonly unknown[]): Contract {
  return { name, sourceName: `${name}.sol`, address: undefined, items: abiItems(abi) }
}

const VAULT = contract('Vault', [
  { type: 'function', name: 'withdrawAll', inputs: [] },
  { type: 'function', name: 'withdraw', inputs: [input] },
  { type: 'event', name: 'Withdrawn', inputs: [input] },
  { type: 'error', name: 'Empty', inputs: [] },
])
const TOKEN = contract('Token', [
  { type: 'function', name: 'transfer', inputs: [{ type: 'address' }, { type: 'uint256' }] },
])

describe('the search among names', () => {
  it('finds contracts by name and source', () => {
    expect(matchingContracts([VAULT, TOKEN], 'vau').map(({ name }) => name)).toEqual(['Vault'])
    expect(matchingContracts([VAULT, TOKEN], 'Token.SOL').map(({ name }) => name)).toEqual(['Token'])
  })

  it('finds functions, events and errors, exact names first', () => {
    expect(matchingItems([VAULT, TOKEN], 'withdraw').map(({ kind, signature }) => `${kind} ${signature}`)).toEqual([
      'function withdraw(uint256)',
      'function withdrawAll()',
      'event Withdrawn(uint256)',
    ])
    expect(matchingItems([VAULT], 'empty')[0]).toMatchObject({ kind: 'error' })
  })

  it.each(['a9059cbb', '0xa9059cbb', '0xA905'])('finds the selector %s', (query) => {
    expect(matchingItems([VAULT, TOKEN], query).map(({ signature }) => signature)).toEqual([
      'transfer(address,uint256)',
    ])
  })

  it('is bounded', () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      contract(
        `C${i}`,
        Array.from({ length: 20 }, (_, j) => ({ type: 'function', name: `f${j}`, inputs: [] })),
      ),
    )
    expect(matchingItems(many, 'f')).toHaveLength(500)
  })
})

describe('the search for failures', () => {
  it('asks only for blocks with transactions, and looks at those that failed', async () => {
    const asked: string[] = []
    const answer = (method: string, [first]: readonly unknown[]): unknown => {
      if (method === 'eth_getBlockByNumber')
        return { number: first, transactions: first === '0x2' ? ['0xa', '0xb'] : [] }
      if (method === 'isonode_summary') return { sentence: 'reverted: Too Late', error: null, errorText: null }
      return ['0x1', '0x0'].map((status, i) => ({ status, transactionHash: `0x${'ab'[i]}`, blockNumber: first }))
    }
    const ask: Ask = async (method, ...params) => {
      asked.push(`${method} ${params[0]}`)
      return answer(method, params) as never
    }
    const found = await searchFailures(ask, 'too late', 3)
    expect(found).toEqual({ failures: [{ hash: '0xb', block: 2, sentence: 'reverted: Too Late' }], from: 0, looked: 1 })
    expect(asked.slice(4)).toEqual(['eth_getBlockReceipts 0x2', 'isonode_summary 0xb'])
    expect((await searchFailures(ask, 'paused', 3)).failures).toEqual([])
  })
})
