/** A refused parameter: what the error says in the answer of JSON-RPC, and within the process. */
import { afterEach, describe, expect, it } from 'vitest'
import type { RpcProfile } from '../../../src/api/profile.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import type { MethodDefinition } from '../../../src/rpc/method.ts'
import { devMethods } from '../../../src/rpc/methods/dev/index.ts'
import { METHODS } from '../../../src/rpc/methods/index.ts'
import type { RequestError } from '../../../src/rpc/providerContract.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const DOCS = 'https://github.com/isonode/isonode/blob/main/docs/errors.md#32602'

async function openNode(rpcProfile: RpcProfile) {
  const { node } = await open({ 'rpc-profile': rpcProfile })
  const provider = node.openProvider()
  closers.push(() => provider.close())
  const raw = async (method: string, params: unknown): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = await node.endpoints.get('http').exchange.handle({ body })
    return JSON.parse(reply.body as string)
  }
  return { raw, request: provider.request }
}

/** Method, parameters, message of the profile `geth`, and the fields of the error within the process. */
const REFUSED: readonly (readonly [string, readonly unknown[], string, object])[] = [
  [
    'eth_getBalance',
    [5],
    'invalid argument 0 (address): address: expected a string, got 5',
    { expected: 'a string', got: '5', parameter: 'address' },
  ],
  [
    'eth_getBalance',
    [`0x${'11'.repeat(21)}`],
    'invalid argument 0 (address): address: expected 20 bytes, got 21 bytes',
    { expected: expect.stringMatching(/^(at most )?20 bytes$/), got: '21 bytes', parameter: 'address' },
  ],
  [
    'eth_getBalance',
    [],
    'missing value for required argument 0 (address)',
    { expected: 'a value', got: 'nothing', parameter: 'address' },
  ],
  [
    'eth_getTransactionByHash',
    ['0x12'],
    'invalid argument 0 (hash): hash: expected 32 bytes of hex, got 1 byte',
    { expected: '32 bytes of hex', got: '1 byte', parameter: 'hash' },
  ],
  [
    'eth_getTransactionByHash',
    [`0x${'11'.repeat(32)}`, 1, 2],
    'too many arguments, want at most 1',
    { expected: 'at most 1', got: '3 parameters', parameter: undefined },
  ],
  [
    'eth_call',
    [{ to: [1] }],
    'invalid argument 0 (call): to: address: expected a string, got an array of 1',
    { expected: 'a string', got: 'an array of 1', parameter: 'call.to' },
  ],
  [
    'eth_call',
    [{ data: '0x123' }],
    'invalid argument 0 (call): data: data: expected hex of whole bytes, got "0x123"',
    { expected: 'hex of whole bytes', got: '"0x123"', parameter: 'call.data' },
  ],
  [
    'eth_getLogs',
    [{ adress: '0x' }],
    'invalid argument 0 (filter): filter: expected the keys fromBlock, toBlock, address, topics, blockHash, got "adress"',
    {
      expected: 'the keys fromBlock, toBlock, address, topics, blockHash',
      got: '"adress"',
      parameter: 'filter',
    },
  ],
  [
    'eth_getBlockByNumber',
    ['head', false],
    'invalid argument 0 (block): expected an integer, got "head"',
    { expected: 'an integer', got: '"head"', parameter: 'block' },
  ],
]

describe('a refused parameter', () => {
  it.each(REFUSED)('of %s %j is named in the profile geth', async (method, params, message, fields) => {
    const { raw, request } = await openNode('geth')
    expect(await raw(method, params)).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } })
    const error = await request(method, params).catch((reason) => reason)
    expect(error).toMatchObject({ name: 'RequestError', code: -32602, message, docs: DOCS, data: undefined, ...fields })
  })

  it.each(REFUSED)(
    'of %s %j is named within the process only in the profile besu',
    async (method, params, _, fields) => {
      const { raw, request } = await openNode('besu')
      const error = { code: -32602, message: 'Invalid params' }
      expect(await raw(method, params)).toEqual({ jsonrpc: '2.0', id: 1, error })
      const thrown = await request(method, params).catch((reason) => reason)
      expect(thrown).toMatchObject({ ...error, docs: DOCS, ...fields })
    },
  )

  it('of eth_subscribe is named too', async () => {
    const { request } = await openNode('geth')
    await expect(request('eth_subscribe', ['logs', { address: 5 }])).rejects.toMatchObject({
      code: -32602,
      expected: 'a string',
      got: '5',
      parameter: 'address',
    })
  })

  it('may be the parameters as a whole, or the name of the method', async () => {
    const { raw, request } = await openNode('geth')
    const message = 'params: expected an array, got an object'
    expect(await raw('eth_chainId', { a: 1 })).toMatchObject({ error: { code: -32602, message } })
    await expect(request('eth_chainId', { a: 1 })).rejects.toMatchObject({ expected: 'an array', got: 'an object' })
    await expect(request({ method: 5 as unknown as string })).rejects.toMatchObject({
      code: -32600,
      message: 'request needs a method name, got 5',
      expected: 'a method name',
      got: '5',
    })
  })

  it('is shown in short, without control characters', async () => {
    const { request } = await openNode('geth')
    const error = await request<RequestError>('eth_getBalance', [`\u001b[31m${'x'.repeat(5000)}`]).catch(
      (reason) => reason,
    )
    expect(error.message.length).toBeLessThan(200)
    expect(error.got).toMatch(/^"\\u001b\[31mx+…"$/)
  })
})

describe('other errors', () => {
  it('have no such fields', async () => {
    const { request } = await openNode('geth')
    await expect(request('eth_nothing')).rejects.toMatchObject({
      expected: undefined,
      got: undefined,
      parameter: undefined,
    })
  })
})

/** Values of each JSON type, and texts that no parameter but a plain text accepts. */
const WRONG = [{ unknownKey: 1 }, [], [[{}]], 'wrong', '0x', '0xzz', `0x${'ff'.repeat(40)}`, -1, 1.5, 1e30, true]

const DEFINITIONS = [...METHODS, ...devMethods] as readonly MethodDefinition<never>[]

describe.each(['besu', 'geth'] as const)('each parameter, in the profile %s', (profile) => {
  it('says what it expects and what came', () => {
    const silent = new Set<string>()
    for (const { name, params } of DEFINITIONS) {
      for (const { name: parameter, codec } of params) {
        for (const value of WRONG) {
          try {
            codec.parse(value, profile)
          } catch (error) {
            if (isNodeError(error, 'INVALID_ENODE_URL')) continue
            if (!isNodeError(error)) throw error
            const { expected, got } = error.details as { expected?: string; got?: string }
            if (expected === undefined || got === undefined) {
              silent.add(`${name} ${parameter} ${error.code} ${error.message}`)
            }
          }
        }
      }
    }
    expect([...silent]).toEqual([])
  })
})
