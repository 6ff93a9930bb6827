import { describe, expect, it } from 'vitest'
import { AnswerCache, type AnswerStore, SETTLED } from '../../../adapters/workers/answerCache.ts'
import { MAX_CACHED_ANSWER_LENGTH } from '../../../src/base/limits/limits.ts'

const ORIGIN = 'https://chain.example'
const question = '["eth_getBlockByHash",["0x12",false]]'

class Store implements AnswerStore {
  readonly kept = new Map<string, Response>()
  async match(url: string): Promise<Response | undefined> {
    return this.kept.get(url)?.clone()
  }
  async put(url: string, response: Response): Promise<void> {
    this.kept.set(url, response)
  }
}

describe('AnswerCache', () => {
  it('answers the same question under the id of each request', async () => {
    const store = new Store()
    const cache = new AnswerCache(store, 'mirror')
    await cache.keep(ORIGIN, { id: '1', question }, '{"jsonrpc":"2.0","id":1,"result":{"number":"0x1"}}')
    expect(await cache.find(ORIGIN, { id: '"other"', question })).toBe(
      '{"jsonrpc":"2.0","id":"other","result":{"number":"0x1"}}',
    )
    expect(await cache.find(ORIGIN, { id: '1', question: '["eth_call",[]]' })).toBeUndefined()
    const [url, response] = [...store.kept][0] as [string, Response]
    expect(url).toMatch(/^https:\/\/chain\.example\/answers\/[0-9a-f]{64}$/)
    expect(response.headers.get('cache-control')).toBe(SETTLED)
  })

  it('keeps the answers of other chains apart', async () => {
    const store = new Store()
    await new AnswerCache(store, 'one').keep(ORIGIN, { id: '1', question }, '{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    expect(await new AnswerCache(store, 'two').find(ORIGIN, { id: '1', question })).toBeUndefined()
  })

  it.each([
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}'],
    ['a block that is unknown for now', '{"jsonrpc":"2.0","id":1,"result":null}'],
    ['an answer to another request', '{"jsonrpc":"2.0","id":2,"result":"0x1"}'],
    ['half an answer', '{"jsonrpc":"2.0","id":1,"result":"0x1'],
    ['a long answer', `{"jsonrpc":"2.0","id":1,"result":"${'0'.repeat(MAX_CACHED_ANSWER_LENGTH)}"}`],
  ])('does not keep %s', async (_, answer) => {
    const store = new Store()
    await new AnswerCache(store, 'mirror').keep(ORIGIN, { id: '1', question }, answer)
    expect(store.kept.size).toBe(0)
  })

  it('does without a cache that fails', async () => {
    const store: AnswerStore = {
      match: () => Promise.reject(new Error('no cache')),
      put: () => Promise.reject(new Error('no cache')),
    }
    const cache = new AnswerCache(store, 'mirror')
    await cache.keep(ORIGIN, { id: '1', question }, '{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    expect(await cache.find(ORIGIN, { id: '1', question })).toBeUndefined()
  })
})
