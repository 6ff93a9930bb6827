/**
 * JSON messages of miners.
 * @module
 */
export interface MinerRequest {
  /** Echoed in the answer. */
  readonly id: string | number | null
  readonly method: string
  readonly params: readonly unknown[]
}

/** @returns undefined when the text is not a request */
export function parseRequest(text: string): MinerRequest | undefined {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof message !== 'object' || message === null) return undefined
  const { id, method, params } = message as Readonly<Record<string, unknown>>
  if (typeof method !== 'string') return undefined
  const isEchoed = typeof id === 'string' || typeof id === 'number'
  return { id: isEchoed ? id : null, method, params: Array.isArray(params) ? params : [] }
}

export function answerTo({ id }: Pick<MinerRequest, 'id'>, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function errorTo({ id }: Pick<MinerRequest, 'id'>, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
