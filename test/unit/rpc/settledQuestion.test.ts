import { describe, expect, it } from 'vitest'
import type { MethodDefinition } from '../../../src/rpc/method.ts'
import { METHODS } from '../../../src/rpc/methods/index.ts'
import { settledQuestion } from '../../../src/rpc/settledQuestion.ts'

const HASH = `0x${'aB'.repeat(32)}`
const ADDRESS = `0x${'Cd'.repeat(20)}`

const ask = (method: string, params: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('a question whose answer can never change', () => {
  it.each([
    ['eth_getBlockByHash', [HASH, true]],
    ['eth_getBlockByNumber', ['0x64', false]],
    ['eth_getBlockReceipts', [HASH]],
    ['eth_getBalance', [ADDRESS, '0x0']],
    ['eth_getBalance', [ADDRESS, { blockHash: HASH }]],
    ['eth_getStorageAt', [ADDRESS, '0x1', { blockHash: HASH, requireCanonical: false }]],
    ['eth_call', [{ to: ADDRESS, data: '0xABCD' }, '0x64', {}]],
    ['eth_getLogs', [{ blockHash: HASH }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64', address: ADDRESS }]],
    ['debug_traceBlockByHash', [HASH, { tracer: 'callTracer' }]],
    ['trace_block', ['0x1']],
  ])('is recognised: %s %j', (method, params) => {
    expect(settledQuestion(ask(method, params), 100n)).toBeDefined()
  })

  it.each([
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_getBlockByNumber', ['finalized', false]],
    ['eth_getBlockByNumber', ['0x65', false]],
    ['eth_getBlockByNumber', ['0x064', false]],
    ['eth_getBlockByHash', ['0x12', false]],
    ['eth_getBalance', [ADDRESS]],
    ['eth_getBalance', [ADDRESS, { blockHash: HASH, requireCanonical: true }]],
    ['eth_getLogs', [{ fromBlock: '0x1' }]],
    ['eth_getLogs', [{ toBlock: '0x1' }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]],
    ['eth_getLogs', []],
    ['eth_getTransactionByHash', [HASH]],
    ['eth_sendRawTransaction', [HASH]],
    ['toString', [HASH]],
    ['eth_call', { to: ADDRESS }],
  ])('is not: %s %j', (method, params) => {
    expect(settledQuestion(ask(method, params), 100n)).toBeUndefined()
  })

  it('is known only with a final block, if it names a number', () => {
    expect(settledQuestion(ask('eth_getBlockByNumber', ['0x0', false]), undefined)).toBeUndefined()
    expect(settledQuestion(ask('eth_getBlockByHash', [HASH, false]), undefined)).toBeDefined()
  })

  it.each(['', 'null', '[]', '1', '{"jsonrpc":"2.0"}', ask('eth_getBlockByHash', [HASH, true], null)])(
    'is left to the envelope: %j',
    (body) => {
      expect(settledQuestion(body, 100n)).toBeUndefined()
    },
  )

  it('is the same for requests with the same meaning', () => {
    const [first, second] = [
      ask('eth_call', [{ to: ADDRESS, data: '0xAB' }, { blockHash: HASH }], 1),
      `{"id":"a\\"b","params":[{"data":"0xab","to":"${ADDRESS.toLowerCase()}"},{"blockHash":"${HASH.toLowerCase()}"}],"method":"eth_call","jsonrpc":"2.0"}`,
    ].map((body) => settledQuestion(body, undefined))
    expect(first?.question).toBe(second?.question)
    expect([first?.id, second?.id]).toEqual(['1', '"a\\"b"'])
    const other = settledQuestion(ask('eth_call', [{ to: ADDRESS, data: '0xAC' }, { blockHash: HASH }]), undefined)
    expect(other?.question).not.toBe(first?.question)
  })

  it('names its block where the method does', () => {
    const methods: readonly MethodDefinition<never>[] = METHODS
    const known = methods.filter(({ name, params }) => {
      // The block is the only parameter that has a value which settles the answer.
      const values = params.map((_, i) => params.map((__, at) => (at === i ? { blockHash: HASH } : 'x')))
      const hashes = params.map((_, i) => params.map((__, at) => (at === i ? HASH : 'x')))
      return [...values, ...hashes].some((each) => settledQuestion(ask(name, each), undefined) !== undefined)
    })
    expect(known.length).toBe(23)
    for (const { name, params } of known) {
      const place = params.findIndex((_, i) =>
        [HASH, { blockHash: HASH }].some(
          (value) =>
            settledQuestion(
              ask(
                name,
                params.map((__, at) => (at === i ? value : 'x')),
              ),
              undefined,
            ) !== undefined,
        ),
      )
      expect(`${name} ${params[place]?.name}`).toMatch(/ (?:block|hash|blockHash|filter)$/)
    }
  })
})
