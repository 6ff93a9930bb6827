import { describe, expect, it, vi } from 'vitest'
import { StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../../src/rpc/method.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { cpuTimeMs } from '../../support/host/cpuTime.ts'
import {
  anything,
  type TestBackend,
  type TestServiceOptions,
  testMethods,
  testService,
} from '../../support/rpc/rpcService.ts'

const call = () => new RpcRequestContext({ groups: new Set(['ETH'] as const) })

function send(body: unknown, options?: TestServiceOptions) {
  const { envelope } = testService(options)
  const reply = envelope.handle(typeof body === 'string' ? body : JSON.stringify(body), call())
  if (reply instanceof Promise) throw new Error('the answer came later')
  return reply
}

const answer = (body: unknown, options?: TestServiceOptions) => send(body, options).body
const error = (code: number, message: string, id = 'null') =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`
const chainId = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })

describe('an invalid request', () => {
  it.each(['', ' ', 'a string', '"a string"', '{bla', '5', 'null', 'true', '{} {}', '[1,]', '\u00a0[]', '{"a":01}'])(
    'answers %j with a parse error',
    (body) => {
      expect(send(body)).toEqual({ status: 400, body: error(-32700, 'Parse error') })
    },
  )

  it.each([
    ['[]', 'null'],
    ['{}', 'null'],
    ['{"id":7}', '7'],
    ['{"id":"7"}', 'null'],
    ['{"id":7,"method":null}', '7'],
    ['{"id":7,"method":"eth_chainId","params":{}}', '7'],
    ['{"id":4294967297,"method":[]}', '1'],
    ['{"id":36893488147419103233,"method":[]}', '1'],
    ['{"id":1.5,"method":{}}', '1'],
    ['{"id":[],"method":"eth_chainId"}', 'null'],
    ['{"id":{},"method":"eth_chainId"}', 'null'],
    ['{"id":true,"method":"eth_chainId"}', 'null'],
    ['{"method":"eth_chainId","params":"x"}', 'null'],
  ])('answers %s with an invalid request', (body, id) => {
    expect(send(body)).toEqual({ status: 400, body: error(-32600, 'Invalid Request', id) })
  })
})

describe('a request', () => {
  it.each([
    '1',
    '0',
    '-1',
    '-0',
    '""',
    '"abc"',
    '"\\u2028\\"\\\\"',
    'null',
    '1.0',
    '1.50',
    '1e3',
    '1E+400',
    '9007199254740993',
    '123456789012345678901234567890',
    '-123456789012345678901234567890',
  ])('gets its id %s back unchanged', (id) => {
    const { body, status } = send(
      `{"jsonrpc":"2.0", "params":[{"id":1.25,"x":[{"id" : 7.0}]}], "id" : ${id} ,"method":"eth_chainId"}`,
    )
    expect(status).toBe(200)
    const echoed = body.slice('{"jsonrpc":"2.0","id":'.length, -',"result":"0x1"}'.length)
    if (id.startsWith('"')) expect(JSON.parse(echoed)).toBe(JSON.parse(id))
    else expect(echoed).toBe(id)
  })

  it('may omit the version and parameters, and have unknown members', () => {
    expect(answer('{"id":1,"method":"eth_chainId","beta":true}')).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    expect(answer({ jsonrpc: '1.0', id: 1, method: 'eth_chainId', params: null })).toContain('"0x1"')
    expect(answer({ ...chainId('123'), params: [1, 2, 3] })).toContain('"result":"0x1"')
  })

  it('is not run when it is a notification', () => {
    const { envelope, backend } = testService()
    expect(envelope.handle('{"jsonrpc":"2.0","method":"eth_chainId"}', call())).toEqual({ status: 200, body: '' })
    expect(envelope.handle('{"method":"no_such"}', call())).toEqual({ status: 200, body: '' })
    expect(backend.ran).toEqual([])
  })

  it('uses the last of duplicate keys', () => {
    expect(answer('{"id":1,"id":2.0,"method":"x_y","method":"eth_chainId"}')).toContain('"id":2.0,"result"')
    expect(answer('{"id":1.0,"id":"a","method":"eth_chainId"}')).toContain('"id":"a"')
    expect(answer('{"id":1.0,"\\u0069d":3,"method":"eth_chainId"}')).toContain('"id":3,')
    expect(answer('{"\\u0069d":1e999,"method":"eth_chainId"}')).toContain('"id":null,')
  })

  it('cannot reach prototypes', () => {
    expect(send('{"__proto__":{"id":1,"method":"eth_chainId"}}').status).toBe(400)
    for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(answer({ id: 1, method })).toContain('-32601')
    }
  })

  it('writes an undefined result as null', () => {
    expect(answer({ id: 1, method: 'eth_mining' })).toBe('{"jsonrpc":"2.0","id":1,"result":null}')
  })

  it.each(['', 'plain', '"', 'a\\b', 'a\nb', '\u007f', '\u2028 é', '\ud800', 'x'.repeat(100)])(
    'writes the text %j as JSON does',
    (text) => {
      const body = answer({ id: 1, method: 'eth_call', params: [text] })
      expect(body).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(text)}}`)
    },
  )

  it('reads bytes as UTF-8 and survives invalid ones', () => {
    const { envelope } = testService()
    const bytes = new TextEncoder().encode('{"id":"é€😀","method":"eth_chainId"}')
    expect(envelope.handle(bytes, call())).toEqual({
      status: 200,
      body: '{"jsonrpc":"2.0","id":"é€😀","result":"0x1"}',
    })
    bytes[7] = 0xff
    expect(envelope.handle(bytes, call())).toMatchObject({ status: 200 })
    expect(envelope.handle(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d), call())).toMatchObject({ status: 400 })
  })

  it('accepts integers of any size as parameters', () => {
    const body = '{"id":1,"method":"eth_call","params":[[9007199254740991,1000000000000000,"1234567890123456789"]]}'
    expect(answer(body)).toContain('[9007199254740991,1000000000000000,"1234567890123456789"]')
    const seen: unknown[] = []
    const method = defineMethod({
      name: 'eth_see',
      group: 'ETH',
      summary: '',
      params: [],
      result: result('x', anything),
      handler: () => seen.length,
    })
    const spy: MethodDefinition<TestBackend> = {
      ...method,
      params: [optional('x', { ...anything, parse: (value) => seen.push(value) }, 'Any value.')],
    }
    answer('{"id":1,"method":"eth_see","params":[{"a":[12345678901234567890,-9007199254740993]}]}', { methods: [spy] })
    expect(seen).toEqual([{ a: [12345678901234567890n, -9007199254740993n] }])
  })
})

describe('errors', () => {
  it('distinguishes unknown methods from disabled ones', () => {
    expect(answer({ id: 1, method: 'eth_nosuch' })).toBe(error(-32601, 'Method not found', '1'))
    expect(answer({ id: 1, method: 5 })).toBe(error(-32601, 'Method not found', '1'))
    expect(answer({ id: 1, method: 'ETH_CHAINID' })).toBe(error(-32601, 'Method not found', '1'))
    expect(answer({ id: 1, method: 'debug_traceBlock' })).toBe(error(-32604, 'Method not enabled', '1'))
    expect(answer({ id: 1, method: 'engine_getPayloadV1' })).toBe(error(-32604, 'Method not enabled', '1'))
    const [first] = testMethods
    const methods = [
      { ...first, name: 'eth_subscribe', needsSubscriber: true },
      { ...first, name: 'debug_hidden', group: 'DEBUG', whenDisabled: 'not found' },
    ] as typeof testMethods
    expect(answer({ id: 1, method: 'eth_subscribe' }, { methods })).toBe(error(-32604, 'Method not enabled', '1'))
    expect(answer({ id: 1, method: 'debug_hidden' }, { methods })).toBe(error(-32601, 'Method not found', '1'))
    expect(answer({ id: 1, method: 'eth_sendTransaction' })).toContain('"code":-32604,"message":"The method eth_send')
  })

  it('refuses wrong parameters', () => {
    const refused = error(-32602, 'Invalid params', '1')
    for (const params of [[], [null], ['1'], [-1], [1, 'x'], [1, 2, 3]]) {
      expect(answer({ id: 1, method: 'eth_getBalance', params })).toBe(refused)
    }
    expect(answer({ id: 1, method: 'eth_getBalance', params: [1, 2] })).toContain('"result":3')
    expect(answer({ id: 1, method: 'eth_getBalance', params: [1, null] })).toContain('"result":1')
    expect(answer({ id: 1, method: 'eth_getBalance', params: ['1'] }, { profile: 'geth' })).toBe(
      error(-32602, 'invalid argument 0 (number): expected a uint', '1'),
    )
    expect(answer({ id: 1, method: 'eth_getBalance' }, { profile: 'geth' })).toBe(
      error(-32602, 'missing value for required argument 0 (number)', '1'),
    )
  })

  it('logs unexpected errors and does not send them', () => {
    const log = vi.fn()
    const logger = { ...silentLogger, error: log }
    expect(answer({ id: 1, method: 'eth_accounts' }, { logger })).toBe(error(-32603, 'Internal error', '1'))
    expect(log).toHaveBeenCalledWith('request failed', { method: 'eth_accounts', error: expect.any(TypeError) })
    expect(answer({ id: 1, method: 'eth_hashrate' }, { logger })).toBe(error(-32603, 'Internal error', '1'))
  })

  it("checks the caller's permissions", () => {
    const { envelope } = testService()
    const limited = new RpcRequestContext({
      groups: new Set(['ETH'] as const),
      principal: { permits: (method) => method === 'eth_chainId', claims: undefined },
    })
    expect(envelope.handle('{"id":1,"method":"eth_chainId"}', limited)).toMatchObject({ status: 200 })
    const refused = error(-40100, 'Unauthorized', '1')
    expect(envelope.handle('{"id":1,"method":"eth_mining"}', limited)).toMatchObject({ status: 401, body: refused })
    expect(envelope.handle('[{"id":1,"method":"eth_mining"}]', limited)).toEqual({ status: 200, body: `[${refused}]` })
    expect(envelope.handle('{"id":1,"method":"nope"}', limited)).toMatchObject({ status: 200 })
  })
})

describe('a batch', () => {
  it('is answered in order, without notifications', () => {
    const body = [chainId(1), { method: 'eth_chainId' }, chainId('b'), chainId(1), { id: 2, method: 'nope' }, 5, [], {}]
    expect(JSON.parse(answer(body))).toMatchObject([
      { id: 1, result: '0x1' },
      { id: 'b', result: '0x1' },
      { id: 1, result: '0x1' },
      { id: 2, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ])
    expect(send([{ method: 'eth_chainId' }])).toEqual({ status: 200, body: '[]' })
  })

  it('keeps the text of ids', () => {
    const ids = ['1.0', '[1,"]"]', '123456789012345678901', '"x"', '2.50']
    const items = ids.map((id) => `{"params":[{"id":9.0},[1,2]],"id":${id},"method":"eth_chainId"}`)
    const found = [...answer(`[ ${items.join(' , ')} ]`).matchAll(/"id":([^,]*),/g)].map((match) => match[1])
    expect(found).toEqual(['1.0', 'null', '123456789012345678901', '"x"', '2.50'])
  })

  it('is refused as a whole when it is too large or has a null in it', () => {
    const { envelope, backend } = testService({ maxBatchItems: 2 })
    const three = JSON.stringify([chainId(1), chainId(2), chainId(3)])
    const refused = error(-32005, 'Number of requests exceeds max batch size')
    expect(envelope.handle(three, call())).toEqual({ status: 200, body: refused })
    expect(envelope.handle(JSON.stringify([chainId(1), null]), call())).toEqual({ status: 400, body: '' })
    expect(backend.ran).toEqual([])
    expect(send(Array(1025).fill(chainId(1))).body).toBe(refused)
    expect(JSON.parse(send(Array(1024).fill(chainId(1))).body)).toHaveLength(1024)
    expect(JSON.parse(send(Array(1025).fill(chainId(1)), { maxBatchItems: 0 }).body)).toHaveLength(1025)
  })

  it('stops running requests when the response is too large', () => {
    const big = 'x'.repeat(60)
    const item = (id: number) => ({ id, method: 'eth_call', params: [big] })
    const body = [item(1), item(2), item(3), { method: 'eth_call' }, item(4)]
    expect(JSON.parse(answer(body, { maxBatchResponseLength: 150 }))).toMatchObject([
      { id: 1, result: big },
      { id: 2, result: big },
      { id: 3, error: { code: -32005 } },
      { id: 4, error: { code: -32005 } },
    ])
  })

  it.each([2, 3])(
    'is answered even when what no request is to blame for fails (at reading %d of the clock)',
    async (n) => {
      let readings = 0
      const monotonic = () => {
        if (++readings === n) throw new RangeError('Invalid string length')
        return readings
      }
      const { envelope } = testService({ clock: { now: () => 0, monotonic } })
      const reply = await envelope.handle(
        JSON.stringify([chainId(1), { id: 2, method: 'eth_syncing' }, chainId(3)]),
        call(),
      )
      expect(reply).toEqual({ status: 200, body: error(-32603, 'Internal error') })
    },
  )

  it('waits for each request before the next', async () => {
    const { envelope, backend } = testService()
    const body = JSON.stringify([
      { id: 1, method: 'eth_syncing' },
      chainId(2),
      { id: 3, method: 'eth_syncing', params: [7] },
      { method: 'eth_syncing' },
    ])
    const reply = await envelope.handle(body, call())
    expect(JSON.parse(reply.body)).toMatchObject([{ result: false }, { result: '0x1' }, { result: 7 }])
    expect(backend.ran).toEqual(['eth_syncing', 'eth_chainId', 'eth_syncing'])
  })

  it('yields when it takes long, and ends when its client disconnects', async () => {
    const { envelope, backend } = testService({ clockStepMs: 5 })
    const body = JSON.stringify(Array.from({ length: 20 }, (_, id) => chainId(id)))
    const long = envelope.handle(body, call())
    expect(long).toBeInstanceOf(Promise)
    expect(JSON.parse((await long).body).map(({ id }: { id: number }) => id)).toEqual([...Array(20).keys()])
    backend.ran.length = 0
    const gone = call()
    const pending = envelope.handle(body, gone)
    gone.abort(new Error('gone'))
    await pending
    expect(backend.ran.length).toBeLessThan(5)
  })
})

describe('limits of the text', () => {
  const deep = (levels: number) => `{"id":1,"method":"eth_chainId","params":${'['.repeat(levels)}${']'.repeat(levels)}}`
  it('bounds nesting', () => {
    expect(send(deep(255)).status).toBe(200)
    for (const levels of [256, 100_000, 2_000_000]) expect(send(deep(levels)).status).toBe(400)
    expect(send('['.repeat(5_000_000)).status).toBe(400)
    expect(send('{"a":'.repeat(500_000)).status).toBe(400)
    expect(answer({ id: 1, method: 'eth_call', params: ['['.repeat(1000)] })).toContain('[[[')
  })

  it('bounds the digits of numbers', () => {
    const body = (digits: number) => `{"id":1,"method":"eth_chainId","params":[1${'0'.repeat(digits - 1)}]}`
    expect(send(body(1000)).status).toBe(200)
    expect(send(body(1001)).status).toBe(400)
    expect(send(`{"id":1${'0'.repeat(5_000_000)},"method":"eth_chainId"}`).status).toBe(400)
  })

  it('does not accept invalid JSON', () => {
    for (const text of [
      '0123456789012345678',
      '-',
      '1234567890123456.',
      '{1234567890123456:1}',
      '1234567890123456"a"',
    ]) {
      expect(send(`{"id":1,"method":"eth_chainId","params":[${text}]}`).status, text).toBe(400)
    }
    expect(send('{"id":1,"method":"eth_chainId","params":["\\u0000integer:x"]}').status).toBe(200)
  })

  it('is fast for long strings full of escapes', () => {
    const body = `{"id":1,"method":"eth_chainId","params":["${'\\"'.repeat(1_000_000)}${'\\\\'.repeat(1_000_000)}"]}`
    const started = cpuTimeMs()
    expect(send(body).status).toBe(200)
    expect(cpuTimeMs() - started).toBeLessThan(1000)
  })
})

describe('over a WebSocket', () => {
  const options: TestServiceOptions = { transport: 'websocket' }
  it('has its own errors for invalid messages, and allows batches of any size', () => {
    expect(answer('', options)).toBe(error(-32600, 'Invalid Request'))
    expect(answer('{bla', options)).toBe(error(-32603, 'Internal error'))
    expect(answer('[]', options)).toBe('[]')
    expect(answer('{bla', { ...options, profile: 'geth' })).toBe(error(-32700, 'parse error'))
    expect(answer('', { ...options, profile: 'geth' })).toBe(error(-32600, 'invalid request'))
    expect(JSON.parse(answer(Array(1100).fill(chainId(1)), options))).toHaveLength(1100)
  })
})

describe('a store that is not in memory', () => {
  it('is loaded from, and the call repeated', async () => {
    const loaded = new Set<string>()
    const miss = (key: string) => new StoreMiss({ kind: 'keys', keys: [new TextEncoder().encode(key)] })
    const method = defineMethod({
      name: 'eth_getCode',
      group: 'ETH',
      summary: '',
      params: [],
      result: result('x', anything),
      handler: (_backend: TestBackend) => {
        for (const key of ['a', 'b', 'c']) if (!loaded.has(key)) throw miss(key)
        return [...loaded]
      },
    })
    const load = vi.fn(async (request: StoreMiss['request']) => {
      if (request.kind === 'keys') for (const key of request.keys) loaded.add(new TextDecoder().decode(key))
    })
    const { envelope } = testService({ methods: [method], residency: { load } })
    const reply = await envelope.handle('{"id":1,"method":"eth_getCode"}', call())
    expect(reply.body).toBe('{"jsonrpc":"2.0","id":1,"result":["a","b","c"]}')
    expect(load).toHaveBeenCalledTimes(3)
    expect(envelope.handle('{"id":1,"method":"eth_getCode"}', call())).not.toBeInstanceOf(Promise)

    loaded.clear()
    load.mockRejectedValueOnce(new Error('the network is down'))
    const failed = await envelope.handle('{"id":1,"method":"eth_getCode"}', call())
    expect(failed.body).toBe(error(-32603, 'Internal error', '1'))
  })
})
