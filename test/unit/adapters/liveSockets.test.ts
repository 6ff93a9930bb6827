import { describe, expect, it } from 'vitest'
import { EdgeNode } from '../../../adapters/workers/edgeNode.ts'
import type { Env } from '../../../adapters/workers/environment.ts'
import { workerOptions } from '../../../adapters/workers/environment.ts'
import { type LiveSocket, LiveSockets, type LiveState } from '../../../adapters/workers/liveSockets.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { ObjectReader } from '../../../src/base/ports/objectStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { eventually } from '../../support/host/eventually.ts'
import { type MirroredNode, openMirroredNode } from '../../support/mirror/mirroredNode.ts'
import { TEST_MIRROR_PUBLISHER } from '../../support/mirror/testPublisher.ts'

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly params?: { readonly result: { readonly number: string } }
}

const env: Env = {
  ISONODE_MIRROR_PUBLISHER: bytesToHex(TEST_MIRROR_PUBLISHER),
  ISONODE_MIRROR_MAX_LAG: '999999999',
}
const evmModule = await compileNativeModule()
const RECIPIENT = `0x${'77'.repeat(20)}`

class TestSocket implements LiveSocket {
  readonly messages: Message[] = []
  closed: readonly [number, string] | undefined
  attachment = ''

  send(text: string): void {
    this.messages.push(JSON.parse(text))
  }
  close(code: number, reason: string): void {
    this.closed = [code, reason]
  }
  serializeAttachment(attachment: unknown): void {
    this.attachment = JSON.stringify(attachment)
    expect(this.attachment.length).toBeLessThan(2048)
  }
  deserializeAttachment(): ReturnType<LiveSocket['deserializeAttachment']> {
    return JSON.parse(this.attachment)
  }
  get heads(): string[] {
    return this.messages.flatMap(({ params }) => (params === undefined ? [] : [params.result.number]))
  }
}

/** The state of an object that the platform keeps while it sleeps. */
class Platform implements LiveState {
  readonly sockets: TestSocket[] = []
  readonly values = new Map<string, unknown>()
  readonly writer: MirroredNode
  readonly storage: LiveState['storage'] = {
    get: async <T>(key: string) => this.values.get(key) as T | undefined,
    put: async (key, value) => void this.values.set(key, value),
    delete: async (key) => this.values.delete(key),
    setAlarm: async () => {},
  }

  constructor(writer: MirroredNode) {
    this.writer = writer
  }

  getWebSockets(): readonly TestSocket[] {
    return this.sockets
  }

  connect(): TestSocket {
    const socket = new TestSocket()
    socket.serializeAttachment({ key: `socket ${this.sockets.length}`, kept: [] })
    this.sockets.push(socket)
    return socket
  }

  /** The object as it is after a sleep. */
  wake(): LiveSockets {
    return new LiveSockets({
      state: this,
      env,
      logger: silentLogger,
      pair: () => {
        throw new Error('no upgrade')
      },
      open: (seen) =>
        EdgeNode.open(
          { objects: withoutWatch(this.writer.objects), logger: silentLogger, evmModule, answers: undefined, seen },
          workerOptions(env),
        ),
    })
  }
}

/** As on the platform, where nothing happens in an object that sleeps. */
function withoutWatch(objects: ObjectReader): ObjectReader {
  const { label } = objects
  return { label, get: (...read) => objects.get(...read), close: () => objects.close() }
}

const subscribe = (...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })

const news = (object: LiveSockets): Promise<Response> => object.fetch(new Request('https://live.internal/'))

async function block({ rpc, publish }: MirroredNode): Promise<void> {
  const [from] = await rpc<string[]>('eth_accounts')
  await rpc('eth_sendTransaction', { from, to: RECIPIENT, value: '0x1' })
  await publish()
}

describe('the WebSockets of a sleeping object', () => {
  it('get the heads that they missed, once and in order', async () => {
    const writer = await openMirroredNode()
    const platform = new Platform(writer)
    const [plain, many] = [platform.connect(), platform.connect()]
    const first = platform.wake()
    await first.webSocketMessage(plain, subscribe('newHeads'))
    const address = Array.from({ length: 100 }, (_, i) => `0x${String(i).padStart(40, '0')}`)
    await first.webSocketMessage(many, subscribe('logs', { address }))
    await first.webSocketMessage(many, subscribe('newHeads'))
    const ids = many.messages.map(({ result }) => result)
    await block(writer)
    await news(first)
    await eventually(() => expect([plain.heads, many.heads]).toEqual([['0x1'], ['0x1']]))

    await block(writer)
    await block(writer)
    const second = platform.wake()
    await news(second)
    await news(second)
    const three = ['0x1', '0x2', '0x3']
    await eventually(() => expect([plain.heads, many.heads]).toEqual([three, three]))

    // Ids outlive the sleep, and new ones differ from them.
    await second.webSocketMessage(many, subscribe('newHeads'))
    expect(ids).not.toContain(many.messages.at(-1)?.result)
    const cancel = { jsonrpc: '2.0', id: 2, method: 'eth_unsubscribe', params: [ids[1]] }
    await second.webSocketMessage(many, JSON.stringify(cancel))
    expect(many.messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 2, result: true })
    await block(writer)
    await news(second)
    await eventually(() => expect(plain.heads).toEqual([...three, '0x4']))
    expect(many.heads).toEqual([...three, '0x4'])
    await writer.node.close()
  })

  it('are closed when they missed blocks that nobody has any longer', async () => {
    const writer = await openMirroredNode()
    const platform = new Platform(writer)
    const socket = platform.connect()
    const first = platform.wake()
    await first.webSocketMessage(socket, subscribe('newHeads'))
    await platform.storage.put('seen', { hash: new Uint8Array(32).fill(9) })
    await news(platform.wake())
    expect(socket.closed).toEqual([1013, 'too many blocks were missed: subscribe again'])
    await writer.node.close()
  })

  it('answer other requests, and refuse long messages', async () => {
    const writer = await openMirroredNode()
    const platform = new Platform(writer)
    const socket = platform.connect()
    const object = platform.wake()
    await object.webSocketMessage(socket, JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] }))
    expect(socket.messages).toEqual([{ jsonrpc: '2.0', id: 7, result: '0x7a69' }])
    await object.webSocketMessage(socket, ' '.repeat(2 ** 20 + 1))
    expect(socket.closed?.[0]).toBe(1009)
    await writer.node.close()
  })
})
