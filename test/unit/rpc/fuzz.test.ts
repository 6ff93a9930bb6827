// slow: generated requests
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/rpc/jsonText.ts'
import type { Reply } from '../../../src/rpc/reply.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { testMethods, testService } from '../../support/rpc/rpcService.ts'

const PARAMETERS = { numRuns: 500, seed: 7 }

async function answer(body: string | Uint8Array): Promise<Reply> {
  const { envelope } = testService()
  return await envelope.handle(body, new RpcRequestContext({ groups: new Set(['ETH'] as const) }))
}

/** Every answer is empty, or JSON with the members of a response. */
function check({ status, body }: Reply): void {
  expect([200, 400]).toContain(status)
  if (body === '') return
  const value = JSON.parse(body)
  for (const response of Array.isArray(value) ? value : [value]) {
    expect(response.jsonrpc).toBe('2.0')
    expect('id' in response).toBe(true)
    expect('result' in response).toBe(!('error' in response))
    if ('error' in response) expect(Number.isInteger(response.error.code)).toBe(true)
  }
}

const names = testMethods.map(({ name }) => name).filter((name) => name !== 'eth_getWork' && name !== 'eth_getLogs')
const key = fc.constantFrom('id', 'method', 'params', 'jsonrpc', '__proto__', 'constructor', 'toString', 'i\u0000d')
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(...names),
  fc.array(fc.jsonValue({ maxDepth: 3 })),
  fc.double(),
)
const request = fc.dictionary(key, anyValue, { noNullPrototype: false })
const nearlyRequest = fc.record(
  { jsonrpc: fc.constant('2.0'), id: anyValue, method: fc.constantFrom(...names), params: fc.array(anyValue) },
  { requiredKeys: ['method'] },
)
/** Text with one part removed, duplicated or replaced. */
const damaged = fc
  .tuple(fc.oneof(request, nearlyRequest, fc.array(nearlyRequest)), fc.nat(), fc.nat(20), fc.string())
  .map(([value, at, length, piece]) => {
    const text = JSON.stringify(value)
    const from = at % (text.length + 1)
    return text.slice(0, from) + piece + text.slice(from + length)
  })

describe('any input', () => {
  it('of bytes is answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => check(await answer(bytes))),
      PARAMETERS,
    )
  })

  it('of text is answered', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), damaged)
    await fc.assert(
      fc.asyncProperty(text, async (body) => check(await answer(body))),
      PARAMETERS,
    )
  })

  it('of requests and batches is answered', async () => {
    const body = fc.oneof(request, nearlyRequest, fc.array(fc.oneof(request, nearlyRequest, anyValue)))
    await fc.assert(
      fc.asyncProperty(body, async (value) => check(await answer(JSON.stringify(value)))),
      PARAMETERS,
    )
  })

  it('is read like JSON.parse', () => {
    const property = fc.property(fc.oneof(fc.json(), damaged), (text) => {
      let expected: unknown
      try {
        expected = JSON.parse(text)
      } catch {
        expect(parseJson(text)).toBeUndefined()
        return
      }
      const same = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)
      const parsed = parseJson(text)
      expect(parsed).toBeDefined()
      expect(JSON.stringify(parsed?.value, (_key, value) => same(value))).toBe(JSON.stringify(expected))
    })
    fc.assert(property, PARAMETERS)
  })

  it('does not change prototypes', async () => {
    await answer(
      '{"id":1,"method":"eth_call","params":[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]}',
    )
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})
