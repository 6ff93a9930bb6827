/** Enclaves of the project in memory, which exchange their messages without sockets. */

import type { EnclavePeers, PeerEnclaveRequest } from '../../../src/base/ports/enclave.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { toBase64 } from '../../../src/base/primitives/base64.ts'
import { type KeyPair, keyPairOf } from '../../../src/private/enclave/boxes.ts'
import { Enclave } from '../../../src/private/enclave/enclave.ts'
import type { EnclaveReply } from '../../../src/private/enclave/messages.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { eventually } from '../host/eventually.ts'
import { testRandom, testTimers } from '../host/testPorts.ts'

/** Key pairs 1, 2, … */
export const enclaveKeyPair = (n: number): KeyPair => keyPairOf(new Uint8Array(32).fill(n))

export const enclaveUrlOf = (n: number): string => `http://enclave-${n}.example:9000/`

const utf8 = new TextEncoder()
/** Party info is exchanged this many times as often as by real enclaves. */
const SPEED = 50

export interface MemoryEnclaveOptions {
  /** Key pairs by number; default: that of the enclave. */
  readonly keys?: readonly number[]
  /** Other enclaves by number; default: all that are open. */
  readonly parties?: readonly number[]
  readonly isOpen?: boolean
  readonly store?: KeyValueStore
  readonly logger?: Logger
}

export interface MemoryEnclave {
  readonly enclave: Enclave
  readonly url: string
  /** The default public key, Base64. */
  readonly key: string
  readonly store: KeyValueStore
  /** A request of a node. */
  node<T = unknown>(path: string, body: object): Promise<{ status: number; body: T }>
  /** A request of another enclave. */
  peer(path: string, body?: Uint8Array | object, method?: string): Promise<EnclaveReply>
}

export class EnclaveNetwork {
  readonly #enclaves = new Map<string, MemoryEnclave>()
  /** Requests between enclaves, as `POST URL`. */
  readonly requests: string[] = []
  /** Enclaves that do not answer. */
  readonly away = new Set<string>()
  clockMs = 0

  /** @param n number of the enclave, and of its key by default */
  open(n: number, options: MemoryEnclaveOptions = {}) {
    const { keys = [n], parties, isOpen = true, store = new MemoryStore(), logger = silentLogger } = options
    const others = parties?.map(enclaveUrlOf) ?? [...this.#enclaves.keys()]
    const url = enclaveUrlOf(n)
    const enclave = new Enclave({
      store,
      keys: keys.map(enclaveKeyPair),
      parties: others.filter((other) => other !== url),
      isOpen,
      peers: this.#peers(),
      random: testRandom,
      clock: { now: () => this.clockMs, monotonic: () => this.clockMs },
      timers: { schedule: (delayMs, callback) => testTimers.schedule(delayMs / SPEED, callback) },
      logger,
    })
    const opened: MemoryEnclave = {
      enclave,
      url,
      key: toBase64(enclaveKeyPair(keys[0] as number).publicKey),
      store,
      node: async (path, body) => {
        const reply = await enclave.answerNode({ method: 'POST', path, body: utf8.encode(JSON.stringify(body)) })
        const text = String(reply.body)
        return { status: reply.status, body: reply.contentType === 'application/json' ? JSON.parse(text) : text }
      },
      peer: (path, body = new Uint8Array(0), method = 'POST') =>
        enclave.answerPeer({
          method,
          path,
          body: body instanceof Uint8Array ? body : utf8.encode(JSON.stringify(body)),
        }),
    }
    this.#enclaves.set(url, opened)
    return opened
  }

  /** Starts the enclaves and waits until each knows the keys of all. */
  async join(...enclaves: readonly MemoryEnclave[]): Promise<void> {
    for (const { enclave, url } of enclaves) enclave.start(url)
    await eventually(async () => {
      for (const { peer } of enclaves) {
        const { keys } = JSON.parse(String((await peer('/partyinfo', undefined, 'GET')).body)) as { keys: unknown[] }
        if (keys.length < enclaves.reduce((sum, { enclave }) => sum + enclave.publicKeys.length, 0)) {
          throw new Error('an enclave does not know all keys')
        }
      }
    })
  }

  close(): void {
    for (const { enclave } of this.#enclaves.values()) enclave.close()
    this.#enclaves.clear()
  }

  #peers(): EnclavePeers {
    return {
      request: async ({ method, url, body = new Uint8Array(0) }: PeerEnclaveRequest) => {
        const { href, origin, pathname } = new URL(url)
        this.requests.push(`${method} ${href}`)
        const target = this.#enclaves.get(`${origin}/`)
        if (target === undefined || this.away.has(target.url)) throw new Error('connection refused')
        const reply = await target.enclave.answerPeer({ method, path: pathname, body })
        return { status: reply.status, body: typeof reply.body === 'string' ? utf8.encode(reply.body) : reply.body }
      },
      close: () => {},
    }
  }
}
