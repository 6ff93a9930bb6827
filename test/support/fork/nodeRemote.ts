/** A node of this process as the remote of a fork, which counts requests and lies on demand. */
import type {
  Capability,
  RemoteClient,
  RemoteError,
  RemoteRequest,
  RemoteResult,
  RemoteStatus,
  SourceAnswer,
} from '../../../src/remote/contract.ts'

export type Rpc = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>

/** Replaces a result, or refuses the request when it returns a {@link Refusal}. */
export type Lie = (request: RemoteRequest, result: unknown) => unknown

export class Refusal {
  readonly error: RemoteError

  constructor(code: number, message: string) {
    this.error = { code, message }
  }
}

/** As a gateway without a method answers. */
export const methodNotFound = (method: string): Refusal =>
  new Refusal(-32601, `the method ${method} does not exist/is not available`)

export class NodeRemote implements RemoteClient {
  /** Methods of each batch. */
  readonly batches: string[][] = []
  lie: Lie = (_, result) => result
  /** The second address of a quorum; default: the same node. */
  second: NodeRemote | undefined
  readonly #rpc: Rpc
  readonly #capabilities: Partial<Record<Capability, boolean>> = {}

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  get methods(): string[] {
    return this.batches.flat()
  }

  get status(): RemoteStatus {
    return {
      origins: ['http://remote.test'],
      requests: this.batches.length,
      calls: this.methods.length,
      retries: 0,
      waitedMs: 0,
      bytesSent: 0,
      bytesReceived: 0,
      capabilities: this.#capabilities,
    }
  }

  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    const [result] = await this.requestAll([{ method, params }])
    if (result?.kind === 'result') return result.value
    throw new Error(result?.error.message)
  }

  async requestAll(requests: readonly RemoteRequest[]): Promise<RemoteResult[]> {
    this.batches.push(requests.map(({ method }) => method))
    return await Promise.all(requests.map((request) => this.#answer(request)))
  }

  async askAll(method: string, params: readonly unknown[]): Promise<SourceAnswer[]> {
    const [first] = await this.requestAll([{ method, params }])
    const second = await (this.second ?? this).#answer({ method, params })
    return [
      { ...(first as RemoteResult), origin: 'http://remote.test' },
      { ...second, origin: 'http://second.test' },
    ]
  }

  drop(): void {}

  can(capability: Capability): boolean | undefined {
    return this.#capabilities[capability]
  }

  learn(capability: Capability, has: boolean): void {
    this.#capabilities[capability] = has
  }

  close(): void {}

  async #answer(request: RemoteRequest): Promise<RemoteResult> {
    try {
      const honest = await this.#rpc(request.method, ...request.params)
      const value = this.lie(request, structuredClone(honest))
      return value instanceof Refusal ? { kind: 'error', error: value.error } : { kind: 'result', value }
    } catch (error) {
      const { code, message, data } = error as RemoteError
      return { kind: 'error', error: { code, message, data } }
    }
  }
}
