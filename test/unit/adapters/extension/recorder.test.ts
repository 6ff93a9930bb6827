import { describe, expect, it } from 'vitest'
import { isShown } from '../../../../adapters/extension/recording/filters.ts'
import { writeHar } from '../../../../adapters/extension/recording/har.ts'
import { callsOf } from '../../../../adapters/extension/recording/httpCalls.ts'
import { marksOf } from '../../../../adapters/extension/recording/marks.ts'
import { Recorder } from '../../../../adapters/extension/recording/recorder.ts'
import { viemScript } from '../../../../adapters/extension/recording/viemScript.ts'
import { MAX_RECORDED_CALLS, MAX_RECORDING_BYTES } from '../../../../src/base/limits/limits.ts'
import { recordedCall } from '../../../support/replay/recorded.ts'

const KEY = `0x${'ab'.repeat(32)}`
const began = (id: number, method: string, params: unknown = []) =>
  ({ kind: 'began', id, provider: 'Wallet', method, params, at: 5 }) as const
const ended = (id: number, outcome: object) => ({ kind: 'ended', id, durationMs: 2, size: 4, ...outcome }) as const

describe('the recorder', () => {
  it('keeps calls with their answers, and calls that wait', () => {
    const recorder = new Recorder()
    recorder.began(began(1, 'eth_chainId'))
    recorder.began(began(2, 'eth_call', [{ to: '0x1' }]))
    recorder.ended(ended(1, { result: '0x1' }))
    const common = { transport: 'wallet', provider: 'Wallet', at: 5 }
    expect(recorder.entries.map(({ call }) => call)).toEqual([
      { method: 'eth_chainId', params: [], ...common, durationMs: 2, size: 4, result: '0x1' },
      { method: 'eth_call', params: [{ to: '0x1' }], ...common },
    ])
    recorder.ended(ended(2, { error: { code: 3, message: 'reverted', data: '0x' } }))
    expect(recorder.entries[1]?.call.error).toEqual({ code: 3, message: 'reverted', data: '0x' })
  })

  it('marks values that were too long, and errors that are none', () => {
    const recorder = new Recorder()
    recorder.began({ kind: 'began', id: 1, provider: 'Wallet', method: 'eth_call', at: 5 })
    recorder.ended(ended(1, { error: 'text' }))
    recorder.began(began(2, 'eth_getLogs'))
    recorder.ended(ended(2, {}))
    expect(recorder.entries.map(({ call }) => call)).toMatchObject([
      { omitted: 'length', error: { code: 0, message: 'Error without a message' } },
      { omitted: 'length' },
    ])
  })

  it('does not confuse the calls of two documents', () => {
    const recorder = new Recorder()
    recorder.began(began(1, 'eth_chainId'))
    recorder.beginPage()
    recorder.ended(ended(1, { result: '0x1' }))
    expect(recorder.entries[0]?.call).not.toHaveProperty('result')
  })

  it('keeps no secrets unless it is asked to', () => {
    const recorder = new Recorder()
    recorder.began(began(1, 'personal_sign', [KEY]))
    recorder.ended(ended(1, { result: KEY }))
    expect(JSON.stringify(recorder.entries)).not.toContain(KEY)
    recorder.keepsSecrets = true
    recorder.began(began(2, 'personal_sign', [KEY]))
    expect(JSON.stringify(recorder.entries)).toContain(KEY)
  })

  it('is bounded by calls and by bytes', () => {
    const recorder = new Recorder()
    for (let i = 0; i < MAX_RECORDED_CALLS + 3; i++) recorder.add(recordedCall('eth_chainId'))
    expect(recorder.entries).toHaveLength(MAX_RECORDED_CALLS)
    expect(recorder.lost).toBe(3)
    recorder.clear()
    const result = 'x'.repeat(2 ** 20)
    for (let i = 0; i < 20; i++) recorder.add(recordedCall('eth_call', [], { result }))
    expect(recorder.entries).toHaveLength(MAX_RECORDING_BYTES / 2 ** 21 - 1)
  })
})

describe('marks', () => {
  const call = (params: readonly unknown[], at: number, more: object = {}) =>
    recordedCall('eth_call', params, { at, ...more })

  it('are given to duplicates, unless something was sent between', () => {
    const balance = (at: number) => recordedCall('eth_getBalance', ['0x1', 'latest'], { at })
    const sent = recordedCall('eth_sendTransaction', [{}], { at: 60 })
    expect([...marksOf([balance(0), balance(50), sent, balance(70), balance(2000)])]).toEqual([[1, 'duplicate']])
  })

  it('are given to calls that one contract or one request could join', () => {
    const [to, latest] = ['0x1', 'latest']
    const calls = [
      call([{ to }, latest], 0),
      call([{ to, data: '0x1' }, latest], 3),
      call([{ to, from: to }, latest], 4),
    ]
    expect([...marksOf(calls)]).toEqual([
      [0, 'multicall'],
      [1, 'multicall'],
    ])
    const http = (at: number, batch: number, method: string) =>
      recordedCall(method, [], { transport: 'http', at, batch })
    const separate = [http(0, 1, 'eth_chainId'), http(1, 2, 'eth_getBalance'), http(500, 3, 'eth_getCode')]
    expect([...marksOf(separate)]).toEqual([
      [0, 'batch'],
      [1, 'batch'],
    ])
    expect([...marksOf([http(0, 1, 'eth_chainId'), http(0, 1, 'eth_getBalance')])]).toEqual([])
  })
})

describe('filters', () => {
  const failed = recordedCall('eth_call', [{ to: '0xAbC' }], { error: { code: 3, message: 'reverted' } })

  it('choose by kind and by text', () => {
    const shown = (kind: Parameters<typeof isShown>[1]['kind'], text = '', meaning = '') =>
      isShown(failed, { kind, text }, undefined, () => meaning)
    expect([shown('all'), shown('reads'), shown('errors'), shown('wallet')]).toEqual([true, true, true, true])
    expect([shown('sends'), shown('http'), shown('marked')]).toEqual([false, false, false])
    expect([shown('all', ' 0xabc '), shown('all', 'transfer'), shown('all', 'transfer', 'Transfer(1)')]).toEqual([
      true,
      false,
      true,
    ])
  })
})

describe('HTTP', () => {
  const entry = (text: string) => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 12,
    request: { method: 'POST', url: `https://user:pw@node.example/v3/${KEY}?key=1`, postData: { text } },
  })

  it('gives the calls of a batch, whatever the order of the answers', () => {
    const request = [
      { jsonrpc: '2.0', id: 1, method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 2, method: 'eth_call', params: [{}] },
      { jsonrpc: '2.0', id: 3, method: 'eth_gasPrice' },
    ]
    const answer = [
      { id: 2, error: { code: 3, message: 'reverted' } },
      { id: 1, result: '0x1' },
    ]
    const common = {
      transport: 'http',
      provider: 'https://node.example',
      at: Date.UTC(2026, 0, 1),
      durationMs: 12,
      batch: 9,
    }
    expect(callsOf(entry(JSON.stringify(request)), JSON.stringify(answer), 9)).toEqual([
      { ...common, method: 'eth_chainId', params: [], result: '0x1', size: 5 },
      { ...common, method: 'eth_call', params: [{}], error: { code: 3, message: 'reverted' }, size: 31 },
      { ...common, method: 'eth_gasPrice', params: [], omitted: 'length' },
    ])
  })

  it.each(['', 'no JSON', 'null', '[null, 5]', '{"method": 5}', '{"query": "{ block { number } }"}'])(
    'ignores what is no JSON-RPC: %s',
    (text) => expect(callsOf(entry(text), '', 1)).toEqual([]),
  )
})

describe('exports', () => {
  const recording = {
    origin: 'https://dapp.example */',
    calls: [
      recordedCall('eth_chainId', [], { result: '0x1' }),
      recordedCall('personal_sign', [KEY], { result: KEY }),
      recordedCall('eth_sendRawTransaction', [KEY], { result: '0x2' }),
      recordedCall('wallet_\nalert()', [], { result: null }),
      recordedCall('eth_sendTransaction', [{ from: '0x1' }], { error: { code: 3, message: 'reverted' } }),
    ],
  }

  it('as HAR have no secrets', () => {
    const text = writeHar(recording, '1.0.0')
    expect(text).not.toContain(KEY)
    const { log } = JSON.parse(text)
    expect(log.entries).toHaveLength(5)
    expect(log.entries[0].request).toMatchObject({ method: 'POST', url: 'wallet:Test%20wallet' })
    expect(JSON.parse(log.entries[0].response.content.text)).toEqual({ jsonrpc: '2.0', id: 0, result: '0x1' })
  })

  it('as a program call what can be called', () => {
    const script = viemScript(recording)
    expect(script).not.toContain(KEY)
    const lines = script.split('\n').filter((line) => /^(?:await call|\/\/ (?!Calls))/.test(line))
    expect(lines).toEqual([
      'await call("eth_chainId", [])',
      '// personal_sign: not recorded completely',
      '// eth_sendRawTransaction: not recorded completely',
      '// await call("wallet_\\nalert()", [])',
      'await call("eth_sendTransaction", [{"from":"0x1"}])',
    ])
    expect(script).not.toMatch(/^alert/m)
  })
})
