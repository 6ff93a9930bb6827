/** Recordings of calls to a node, as the panel makes them. */
import type { CallParams, RecordedCall, Recording } from '../../../src/replay/recording.ts'

type Rpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>

const START = Date.UTC(2026, 0, 1)

/** Asks a node, and keeps what it answers. */
export class RecordedNode {
  readonly calls: RecordedCall[] = []
  readonly #rpc: Rpc

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  async ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const call = recordedCall(method, params, { at: START + this.calls.length })
    try {
      const result = await this.#rpc(method, ...params)
      this.calls.push({ ...call, result })
      return result as T
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data?: unknown }
      this.calls.push({ ...call, error: { code, message, ...(data === undefined ? {} : { data }) } })
      return undefined as T
    }
  }

  recording(): Recording {
    return { origin: 'http://127.0.0.1', chainId: '0x7a69', calls: this.calls }
  }
}

export function recordedCall(method: string, params: CallParams = [], call: Partial<RecordedCall> = {}): RecordedCall {
  return { method, params, transport: 'wallet', provider: 'Test wallet', at: START, durationMs: 1, ...call }
}
