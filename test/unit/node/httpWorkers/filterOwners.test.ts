import { describe, expect, it } from 'vitest'
import { filterOwner, filterRandom, relayingFilters } from '../../../../src/node/httpWorkers/filterOwners.ts'
import type { LinkAnswers } from '../../../../src/node/httpWorkers/processLink.ts'
import { testRandom } from '../../../support/host/testPorts.ts'

const ID = `0x11${'ab'.repeat(15)}`
const request = (method: string, ...params: readonly unknown[]) => ({ id: '7', method, params })
const result = (value: unknown) =>
  ({ status: 200, body: `{"jsonrpc":"2.0","id":7,"result":${JSON.stringify(value)}}` }) as const
const notFound = { status: 200, body: '{}', error: { code: -32000, message: 'filter not found' } } as const
const caller = { claims: undefined, subscriber: undefined }
const signal = new AbortController().signal

describe('the id of a filter', () => {
  it('begins with the number of its worker', () => {
    expect(filterRandom(testRandom, 17).bytes(16)[0]).toBe(17)
    expect(filterOwner(request('eth_getFilterChanges', ID))).toBe(17)
  })

  it.each([
    [request('eth_getFilterChanges', '0x1')],
    [request('eth_getFilterChanges', 17)],
    [request('eth_getFilterChanges')],
    [request('eth_call', ID)],
  ])('names no worker: %j', (other) => {
    expect(filterOwner(other)).toBeUndefined()
  })
})

describe('a request about a filter', () => {
  const relaying = (reply: ReturnType<LinkAnswers['call']>, owners: readonly number[]) => {
    const asked: number[] = []
    const own: LinkAnswers = {
      call: () => reply,
      graphql: async () => ({ status: 200, body: '' }),
      login: async () => ({ status: 401, body: '' }),
      called: () => {},
    }
    const linkOf = (slot: number) =>
      owners.includes(slot)
        ? {
            call: async () => {
              asked.push(slot)
              return result('from the worker')
            },
          }
        : undefined
    return { asked, answers: relayingFilters(own, linkOf) }
  }

  it('goes to the worker that keeps it', async () => {
    const { asked, answers } = relaying(notFound, [16, 17])
    expect(await answers.call(request('eth_getFilterChanges', ID), caller, signal)).toEqual(result('from the worker'))
    expect(asked).toEqual([17])
    const uninstall = relaying(result(false), [17])
    const reply = await uninstall.answers.call(request('eth_uninstallFilter', ID), caller, signal)
    expect(reply).toEqual(result('from the worker'))
  })

  it('is answered here when this process has the filter, or no worker can', async () => {
    const own = relaying(result([]), [17])
    expect(await own.answers.call(request('eth_getFilterChanges', ID), caller, signal)).toEqual(result([]))
    expect(own.asked).toEqual([])
    const gone = relaying(notFound, [16])
    expect(await gone.answers.call(request('eth_getFilterChanges', ID), caller, signal)).toEqual(notFound)
  })
})
