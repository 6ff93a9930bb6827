/** A node in this process as the remote of another one, without a socket. It counts requests, and lies as a test requires. */
import type { RemoteTransport, TransportAnswer } from '../../../src/base/ports/remoteTransport.ts'

type Handle = (method: string, ...params: readonly unknown[]) => Promise<unknown>

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

export class NodeTransport implements RemoteTransport {
  readonly origin: string
  /** HTTP requests. */
  requests = 0
  /** Methods of the requests in them. */
  methods: string[] = []
  /** Methods that the remote does not have. */
  hidden: ReadonlySet<string> = new Set()
  /** Changes a result; it is given a copy, and may answer later. */
  lie: ((method: string, params: readonly unknown[], result: unknown) => unknown) | undefined
  readonly #handle: Handle

  constructor(handle: Handle, origin = 'http://remote.test') {
    this.#handle = handle
    this.origin = origin
  }

  async send(body: string): Promise<TransportAnswer> {
    this.requests++
    const json = JSON.parse(body) as Request | Request[]
    const answer = Array.isArray(json)
      ? await Promise.all(json.map((request) => this.#answer(request)))
      : await this.#answer(json)
    return { status: 200, text: JSON.stringify(answer) }
  }

  close(): void {}

  /** Forgets what was counted. */
  reset(): void {
    this.requests = 0
    this.methods = []
  }

  async #answer({ id, method, params }: Request): Promise<object> {
    this.methods.push(method)
    if (this.hidden.has(method)) {
      return {
        jsonrpc: '2.0',
        id,
        error: { code: -32601, message: `the method ${method} does not exist/is not available` },
      }
    }
    try {
      const result = await this.#handle(method, ...params)
      return {
        jsonrpc: '2.0',
        id,
        result: this.lie === undefined ? result : await this.lie(method, params, structuredClone(result)),
      }
    } catch (error) {
      const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown }
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }
    }
  }
}
