/**
 * Answers that can never change, in the cache of the data centre. They are kept under their question, never under the id of a
 * request.
 * @module
 */

import { MAX_CACHED_ANSWER_LENGTH } from '../../src/base/limits/limits.ts'
import { bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { VERSION } from '../../src/node/version.ts'
import type { SettledQuestion } from '../../src/rpc/settledQuestion.ts'

/** The used part of a Cache of the platform. */
export interface AnswerStore {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
}

/** `Cache-Control` of an answer that can never change. */
export const SETTLED: string = 'public, max-age=31536000, immutable'

const RESULT = ',"result":'

export class AnswerCache {
  readonly #store: AnswerStore
  readonly #scope: string

  /** @param scope everything else that answers depend on, such as the mirror and the API groups */
  constructor(store: AnswerStore, scope: string) {
    this.#store = store
    this.#scope = `${VERSION} ${scope}`
  }

  /** @param origin of the Worker, in whose name answers are kept; @returns the whole answer; undefined: not in the cache */
  async find(origin: string, { id, question }: SettledQuestion): Promise<string | undefined> {
    const found = await this.#store.match(await this.#urlOf(origin, question)).catch(() => undefined)
    return found?.ok === true ? `${startOf(id)}${await found.text()}}` : undefined
  }

  /** Keeps an answer that has a result. @returns undefined for any other answer */
  keep(origin: string, { id, question }: SettledQuestion, answer: string): Promise<void> | undefined {
    const start = startOf(id)
    if (answer.length > MAX_CACHED_ANSWER_LENGTH || !answer.startsWith(start) || !answer.endsWith('}')) return undefined
    const result = answer.slice(start.length, -1)
    // The block may be unknown for now.
    return result === 'null' ? undefined : this.#put(origin, question, result)
  }

  async #put(origin: string, question: string, result: string): Promise<void> {
    const headers = { 'cache-control': SETTLED, 'content-type': 'application/json' }
    await this.#store.put(await this.#urlOf(origin, question), new Response(result, { headers })).catch(() => {})
  }

  async #urlOf(origin: string, question: string): Promise<string> {
    const text = new TextEncoder().encode(`${this.#scope}\n${question}`)
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
    return `${origin}/answers/${bytesToHexUnprefixed(hash)}`
  }
}

/** An answer up to its result. */
function startOf(id: string): string {
  return `{"jsonrpc":"2.0","id":${id}${RESULT}`
}
