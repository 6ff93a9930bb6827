import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MAX_STRATUM_LINE_BYTES } from '../../../../src/base/limits/limits.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { StratumSession } from '../../../../src/sealing/stratum/stratumSession.ts'
import { FakeSealing, workAt } from '../../../support/chains/fakeSealing.ts'
import { recordedPath } from '../../../support/recorded/conformance.ts'

interface Opened {
  readonly sealing: FakeSealing
  readonly session: StratumSession
  readonly counts: { closed: number; invalid: number }
  /** Sends bytes and returns everything that the session sent since. */
  say(text: string | Uint8Array): string
}

function open(): Opened {
  const sealing = new FakeSealing()
  const counts = { closed: 0, invalid: 0 }
  let sent = ''
  const session = new StratumSession({
    sealing,
    extranonce: '080c',
    subscriptionId: '0xab',
    jobId: () => '0x12',
    send: (text) => {
      sent += text
    },
    close: () => counts.closed++,
    onInvalidShare: () => counts.invalid++,
  })
  const say = (text: string | Uint8Array): string => {
    sent = ''
    session.receive(typeof text === 'string' ? new TextEncoder().encode(text) : text)
    return sent
  }
  return { sealing, session, counts, say }
}

const line = (id: unknown, method: string, params?: readonly unknown[]): string =>
  `${JSON.stringify({ id, method, params })}\n`
const hash = (byte: number): string => bytesToHex(new Uint8Array(32).fill(byte))
const [GOOD, BAD] = ['0x0100000000000000', '0x0200000000000000']

interface Recorded {
  readonly connections: readonly {
    readonly name: string
    readonly lines: readonly {
      readonly from?: 'client' | 'node'
      readonly bytes?: string
      readonly closedBy?: string
    }[]
  }[]
}

/** Replaces values that differ in every run: ids, hashes, targets. */
const shapeOf = (text: string): string => text.replace(/"0x[0-9a-f]*"/g, '"0x"')

const transcript = recordedPath('besu/pow-live', 'transcript-stratum.json')

describe('a session of a miner', () => {
  const recorded = (JSON.parse(readFileSync(transcript, 'utf8')) as Recorded).connections

  it.each(recorded)('answers like the recording: $name', ({ lines }) => {
    const { sealing, say, counts } = open()
    let answer = ''
    for (const [i, { from, bytes = '', closedBy }] of lines.entries()) {
      if (from === 'client') {
        // The recording decides which shares are solutions.
        const next = lines[i + 1]
        const isSolved = next?.from === 'node' && next.bytes?.includes('"result":true') === true
        sealing.submit = () => (isSolved ? 'accepted' : 'invalid')
        answer += say(bytes)
      }
      if (from === 'node') {
        expect(shapeOf(answer)).toBe(shapeOf(bytes))
        answer = ''
      }
      if (closedBy !== undefined) expect(counts.closed > 0).toBe(closedBy === 'node')
    }
    expect(answer).toBe('')
  })

  it('speaks EthereumStratum/1.0.0', () => {
    const { sealing, session, say, counts } = open()
    const subscribed = '{"jsonrpc":"2.0","id":1,"result":[["mining.notify","0xab","EthereumStratum/1.0.0"],"080c"]}\n'
    expect(say(line(1, 'mining.subscribe', []))).toBe(subscribed)
    expect(session.isListening).toBe(false)
    const notify = (n: number, isClean: boolean): string =>
      `{"jsonrpc":"2.0","method":"mining.notify","params":["0x12","${hash(n)}","${hash(0)}","${hash(255)}",${isClean}],"id":null}\n`
    expect(say(line('a', 'mining.authorize', ['x', 'y']))).toBe(
      `{"jsonrpc":"2.0","id":"a","result":true}\n${notify(1, true)}`,
    )
    expect(session.isListening).toBe(true)
    const submit = (nonce: string, of: number): string =>
      say(line(2, 'mining.submit', ['x', 'any', nonce, hash(of), hash(0)]))
    expect(submit(GOOD, 1)).toBe('{"jsonrpc":"2.0","id":2,"result":true}\n')
    for (const [nonce, of] of [
      [BAD, 1],
      [GOOD, 9],
      ['0x01', 1],
      ['zz', 1],
    ] as const) {
      expect(submit(nonce, of)).toBe('{"jsonrpc":"2.0","id":2,"result":false}\n')
    }
    expect(counts).toEqual({ closed: 0, invalid: 1 })
    expect(say('')).toBe('')
    session.offer(workAt(2), false)
    expect(say('')).toBe('')
    let pushed = ''
    const listening = open()
    listening.say(line(1, 'mining.subscribe') + line(2, 'mining.authorize'))
    listening.sealing.offer(workAt(2))
    listening.session.offer(workAt(2), false)
    pushed = listening.say(line(3, 'unknown'))
    expect(pushed).toBe('')
    sealing.current = undefined
    expect(submit(GOOD, 1)).toBe('{"jsonrpc":"2.0","id":2,"result":false}\n')
  })

  it('speaks eth-proxy, and sends new work after the first request for work', () => {
    const sent: string[] = []
    const sealing = new FakeSealing()
    const session = new StratumSession({
      sealing,
      extranonce: '',
      subscriptionId: '0x1',
      jobId: () => '0x1',
      send: (text) => sent.push(text),
      close: () => {},
      onInvalidShare: () => {},
    })
    const say = (text: string): void => session.receive(new TextEncoder().encode(text))
    say(line(1, 'eth_submitLogin', ['0x00']))
    session.offer(workAt(2), true)
    expect(sent.splice(0)).toEqual(['{"jsonrpc":"2.0","id":1,"result":true}\n'])
    say(line(2, 'eth_getWork'))
    session.offer(workAt(2), true)
    const work = (n: number): string => `"result":["${hash(n)}","${hash(0)}","${hash(255)}"]}\n`
    expect(sent.splice(0)).toEqual([`{"jsonrpc":"2.0","id":2,${work(1)}`, `{"jsonrpc":"2.0","id":0,${work(2)}`])
    sealing.current = undefined
    say(line(3, 'eth_getWork'))
    expect(sent.splice(0)).toEqual([
      '{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"No mining work available yet"}}\n',
    ])
    say(line(4, 'eth_submitHashrate', ['0x01f4', hash(1)]) + line(5, 'eth_submitHashrate', ['0x1f4', hash(1)]))
    expect(sent.splice(0)).toEqual(['{"jsonrpc":"2.0","id":4,"result":true}\n'])
    expect(sealing.hashrates).toEqual([500n])
  })

  it('answers getWork over HTTP on a connection that stays open, in pieces or pipelined', () => {
    const { say, counts } = open()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getWork', params: [] })
    const request = `POST / HTTP/1.1\r\nHost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const answer = say(request)
    expect(answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)+\r\n\{"jsonrpc":"2.0","id":7,"result":\[.*,"0x1"\]\}$/,
    )
    expect(say(request + request)).toBe(answer + answer)
    const pieces = [...request].map((character) => say(character))
    expect(pieces.join('')).toBe(answer)
    expect(counts.closed).toBe(0)
  })

  it.each([
    ['no length', 'POST / HTTP/1.1\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a large body', `POST / HTTP/1.1\r\nContent-Length: ${MAX_STRATUM_LINE_BYTES + 1}\r\n\r\n`],
    ['an endless head', `POST / HTTP/1.1\r\n${'X: y\r\n'.repeat(4000)}`],
    ['another method', 'PUT / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'],
    ['another request', 'POST / HTTP/1.1\r\nContent-Length: 22\r\n\r\n{"method":"eth_mining"}'],
  ])('closes an HTTP connection with %s', (_, request) => {
    const { say, counts } = open()
    expect(say(request)).toBe('')
    expect(counts.closed).toBe(1)
  })

  it('closes a connection whose line is too long, before it has ended', () => {
    const { say, counts } = open()
    say(line(1, 'mining.subscribe'))
    say(new Uint8Array(MAX_STRATUM_LINE_BYTES).fill(97))
    expect(counts.closed).toBe(0)
    say('a')
    expect(counts.closed).toBe(1)
    expect(say(line(2, 'mining.authorize'))).toBe('')
    const megabyte = open()
    megabyte.say(`{"id":1,"method":"mining.subscribe","x":"${'a'.repeat(1_000_000)}"}\n`)
    expect(megabyte.counts.closed).toBe(1)
  })

  it('ignores messages that are not requests', () => {
    const { say, counts } = open()
    say(line(1, 'mining.subscribe'))
    for (const text of ['null', '1', '[]', '{}', '{"method":5}', '{"method":"x","params":{}}', '\u0000', '{"id":{}}']) {
      expect(say(`${text}\n`)).toBe('')
    }
    const id = { nested: 'value' }
    expect(say(line(id, 'mining.authorize'))).toMatch(/^\{"jsonrpc":"2.0","id":null,"result":true\}\n/)
    expect(counts.closed).toBe(0)
  })
})
