import { describe, expect, it } from 'vitest'
import {
  MAX_STRATUM_BACKLOG_BYTES,
  MAX_STRATUM_CONNECTIONS,
  MAX_STRATUM_CONNECTIONS_PER_SITE,
  MAX_STRATUM_INVALID_SHARES,
  STRATUM_IDLE_MS,
  STRATUM_LOGIN_MS,
  STRATUM_SILENCE_MS,
  STRATUM_SWEEP_MS,
} from '../../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { TcpConnection, TcpHandlers } from '../../../../src/base/ports/tcpSockets.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { StratumServer } from '../../../../src/sealing/stratum/stratumServer.ts'
import { SeededRandom } from '../../../simulation/seededRandom.ts'
import { FakeSealing, workAt } from '../../../support/chains/fakeSealing.ts'
import { FakeTime } from '../../../support/host/fakeTime.ts'

class FakeConnection implements TcpConnection {
  readonly localAddress = { host: '127.0.0.1', port: 8008 }
  readonly remoteAddress: { readonly host: string; readonly port: number }
  sent = ''
  backlog = 0
  state: 'open' | 'ended' | 'destroyed' = 'open'
  #handlers: TcpHandlers | undefined

  constructor(host: string) {
    this.remoteAddress = { host, port: 1 }
  }

  open(handlers: TcpHandlers): void {
    this.#handlers = handlers
  }

  write(bytes: Uint8Array): boolean {
    this.sent += new TextDecoder().decode(bytes)
    return true
  }

  pause(): void {}
  resume(): void {}

  end(): void {
    this.state = 'ended'
    this.#handlers?.onClose(undefined)
  }

  destroy(): void {
    this.state = 'destroyed'
    this.#handlers?.onClose(undefined)
  }

  /** Bytes of the miner. @returns the answer */
  say(text: string): string {
    this.sent = ''
    if (this.state === 'open') this.#handlers?.onData(new TextEncoder().encode(text))
    return this.sent
  }
}

async function start() {
  const sealing = new FakeSealing()
  const time = new FakeTime(1_700_000_000_000)
  let accept: (connection: TcpConnection) => void = () => {}
  const server = new StratumServer({
    tcp: {
      listen: async (address, onConnection) => {
        accept = onConnection
        return { address, close: async () => {} }
      },
    },
    address: { host: '127.0.0.1', port: 8008 },
    sealing,
    extranonce: '080c',
    clock: time,
    timers: time,
    random: new SeededRandom(1),
    logger: silentLogger,
  })
  await server.listen()
  const connect = (host = '10.0.0.1'): FakeConnection => {
    const connection = new FakeConnection(host)
    accept(connection)
    return connection
  }
  return { server, sealing, time, connect }
}

const SUBSCRIBE = '{"id":1,"method":"mining.subscribe"}\n'
const AUTHORIZE = '{"id":2,"method":"mining.authorize"}\n'
const submit = (nonce: string): string =>
  `{"id":3,"method":"mining.submit","params":["w","j","${nonce}","${bytesToHex(new Uint8Array(32).fill(1))}","0x"]}\n`

describe('the Stratum server', () => {
  it('gives each miner its own subscription, and new work to all of them', async () => {
    const { sealing, connect, server } = await start()
    const miners = [connect(), connect(), connect()]
    const ids = miners.map((miner) => /0x[0-9a-f]+/.exec(miner.say(SUBSCRIBE))?.[0])
    expect(new Set(ids).size).toBe(3)
    for (const miner of miners.slice(0, 2)) miner.say(AUTHORIZE)
    for (const miner of miners) miner.sent = ''
    sealing.offer(workAt(2))
    sealing.offer({ ...workAt(3), parentHash: workAt(2).parentHash })
    const flags = miners.map(({ sent }) => [...sent.matchAll(/(true|false)\],"id":null/g)].map(([, flag]) => flag))
    expect(flags).toEqual([['true', 'false'], ['true', 'false'], []])
    await server.close()
    expect(miners.map(({ state }) => state)).toEqual(['destroyed', 'destroyed', 'destroyed'])
    expect(server.connections).toBe(0)
  })

  it('bounds its connections', async () => {
    const { server, connect } = await start()
    const miners = Array.from({ length: 10_000 }, (_, i) => connect(`10.0.${i >> 8}.${i & 255}`))
    expect(server.connections).toBe(MAX_STRATUM_CONNECTIONS)
    expect(miners.filter(({ state }) => state === 'destroyed')).toHaveLength(10_000 - MAX_STRATUM_CONNECTIONS)
    miners[0]?.end()
    expect(connect().state).toBe('open')
  })

  it('closes connections that stay silent, but not those of miners that wait for work', async () => {
    const { server, time, connect } = await start()
    const [silent, miner, subscribed] = [connect(), connect(), connect()]
    miner.say(SUBSCRIBE + AUTHORIZE)
    subscribed.say(SUBSCRIBE)
    time.advance(STRATUM_IDLE_MS - 1)
    expect(server.connections).toBe(3)
    time.advance(STRATUM_IDLE_MS * 5)
    expect([silent.state, miner.state, subscribed.state]).toEqual(['destroyed', 'open', 'destroyed'])
    expect(server.connections).toBe(1)
  })

  it('gives one host a share of the places: the /24 of IPv4, the /64 of IPv6, one address of a local network', async () => {
    const { server, connect } = await start()
    const attempts = (hostOf: (i: number) => string): number => {
      const miners = Array.from({ length: 2_000 }, (_, i) => connect(hostOf(i)))
      return miners.filter(({ state }) => state === 'open').length
    }
    expect(attempts((i) => `203.0.113.${i & 255}`)).toBe(MAX_STRATUM_CONNECTIONS_PER_SITE)
    expect(attempts((i) => `2001:db8::${i.toString(16)}`)).toBe(MAX_STRATUM_CONNECTIONS_PER_SITE)
    expect(attempts(() => '192.168.0.1')).toBe(MAX_STRATUM_CONNECTIONS_PER_SITE)
    expect(connect('192.168.0.2').state).toBe('open')
    expect(server.connections).toBe(3 * MAX_STRATUM_CONNECTIONS_PER_SITE + 1)
  })

  it('frees the place of a closed connection for its site', async () => {
    const { connect } = await start()
    const miners = Array.from({ length: MAX_STRATUM_CONNECTIONS_PER_SITE }, () => connect('203.0.113.1'))
    expect(connect('203.0.113.2').state).toBe('destroyed')
    miners[0]?.end()
    expect([connect('203.0.113.2').state, connect('203.0.113.2').state]).toEqual(['open', 'destroyed'])
  })

  it('closes connections that send a message byte by byte, before and after they get work', async () => {
    const { server, time, connect } = await start()
    const [slow, slowHttp, miner] = [connect(), connect(), connect()]
    miner.say(SUBSCRIBE + AUTHORIZE)
    slowHttp.say(`POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n`)
    const seconds = 12
    for (let passed = 0; passed < 36; passed += seconds) {
      for (const connection of [slow, slowHttp, miner]) connection.say('{')
      time.advance(seconds * 1_000)
    }
    expect([slow.state, slowHttp.state, miner.state]).toEqual(['destroyed', 'destroyed', 'destroyed'])
    expect(server.connections).toBe(0)
  })

  it('closes connections that do not ask for work, whatever else they send', async () => {
    const { time, connect } = await start()
    const [miner, polling] = [connect(), connect()]
    miner.say(SUBSCRIBE)
    const get = '{"id":1,"method":"eth_getWork"}'
    for (let passed = 0; passed < 2 * STRATUM_LOGIN_MS; passed += STRATUM_SWEEP_MS) {
      miner.say('{"id":1,"method":"eth_submitHashrate","params":["0x1","0x1"]}\n')
      polling.say(`POST / HTTP/1.1\r\nContent-Length: ${get.length}\r\n\r\n${get}`)
      time.advance(STRATUM_SWEEP_MS)
    }
    expect([miner.state, polling.state]).toEqual(['destroyed', 'open'])
  })

  it('closes silent miners after a quarter of an hour, unless they have found a block', async () => {
    const { time, connect } = await start()
    const [silent, finder, reporter] = [connect(), connect(), connect()]
    for (const miner of [silent, finder, reporter]) miner.say(SUBSCRIBE + AUTHORIZE)
    expect(finder.say(submit('0x0100000000000000'))).toContain('"result":true')
    time.advance(STRATUM_SILENCE_MS - 1)
    expect(silent.state).toBe('open')
    reporter.say('{"id":1,"method":"eth_submitHashrate","params":["0x1","0x1"]}\n')
    time.advance(STRATUM_SWEEP_MS)
    expect([silent.state, finder.state, reporter.state]).toEqual(['destroyed', 'open', 'open'])
  })

  it('closes connections of miners that do not read', async () => {
    const { sealing, connect } = await start()
    const miner = connect()
    miner.say(SUBSCRIBE + AUTHORIZE)
    miner.backlog = MAX_STRATUM_BACKLOG_BYTES + 1
    sealing.offer(workAt(2))
    expect(miner.state).toBe('destroyed')
  })

  it('refuses a site for a while after many invalid shares', async () => {
    const { connect } = await start()
    const miners = [0, 1].map((i) => connect(`2001:db8::${i}`))
    for (const miner of miners) miner.say(SUBSCRIBE + AUTHORIZE)
    for (let i = 0; i < MAX_STRATUM_INVALID_SHARES; i++) miners[i & 1]?.say(submit('0x0200000000000000'))
    expect(['2001:db8::3', '2001:db8:0:1::3'].map((host) => connect(host).state)).toEqual(['destroyed', 'open'])
  })

  it('refuses a /48 of IPv6 after twice as many', async () => {
    const { connect } = await start()
    for (let i = 0; i < 4; i++) {
      const miner = connect(`2001:db8:1:${i}::1`)
      miner.say(SUBSCRIBE + AUTHORIZE)
      for (let j = 0; j < MAX_STRATUM_INVALID_SHARES / 2; j++) miner.say(submit('0x0200000000000000'))
    }
    expect(['2001:db8:1:9::1', '2001:db8:2::1'].map((host) => connect(host).state)).toEqual(['destroyed', 'open'])
  })

  it('refuses an address for a while after many invalid shares', async () => {
    const { sealing, time, connect } = await start()
    const other = connect('10.0.0.2')
    other.say(SUBSCRIBE + AUTHORIZE)
    const [first, second] = [connect(), connect()]
    first.say(SUBSCRIBE + AUTHORIZE)
    second.say(SUBSCRIBE + AUTHORIZE)
    for (let i = 1; i < MAX_STRATUM_INVALID_SHARES; i++) {
      expect((i % 2 === 0 ? first : second).say(submit('0x0200000000000000'))).toContain('"result":false')
    }
    first.say(submit('0x0200000000000000').repeat(1000))
    expect(first.state).toBe('destroyed')
    expect(sealing.shares).toHaveLength(MAX_STRATUM_INVALID_SHARES)
    expect(connect().state).toBe('destroyed')
    expect(other.say(submit('0x0100000000000000'))).toContain('"result":true')
    time.advance(STRATUM_IDLE_MS * 5)
    expect(connect().state).toBe('open')
  })

  it('closes a connection whose request fails, and serves the others', async () => {
    const { sealing, connect } = await start()
    const [first, second] = [connect(), connect()]
    for (const miner of [first, second]) miner.say(SUBSCRIBE + AUTHORIZE)
    sealing.submit = () => {
      throw new Error('the disk is full')
    }
    first.say(submit('0x0100000000000000'))
    expect(first.state).toBe('destroyed')
    expect(second.say(AUTHORIZE)).toContain('"result":true')
  })
})
