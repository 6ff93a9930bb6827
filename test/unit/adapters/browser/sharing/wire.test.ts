import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  readChannelMessage,
  readHostMessage,
  readLeaderMessage,
  readTabMessage,
} from '../../../../../adapters/browser/sharing/wire.ts'

const READERS = { readTabMessage, readHostMessage, readChannelMessage, readLeaderMessage }

const REQUEST = { isonode: 'request', id: 1, isRepeated: false, method: 'eth_chainId', params: '[]' }
const FETCH = {
  isonode: 'fetch',
  id: 1,
  isRepeated: false,
  request: { url: 'http://localhost', method: 'POST', headers: [['a', 'b']], body: new ArrayBuffer(1) },
}

describe('a message of a tab', () => {
  it.each([
    REQUEST,
    FETCH,
    { isonode: 'import', id: 1, isRepeated: false, blocks: new Blob([]), verifySeal: true },
    { isonode: 'connect', version: '1', tab: 'a', options: {} },
    { isonode: 'heard', count: 3 },
    { isonode: 'watch' },
    { isonode: 'leave' },
  ])('$isonode is read', (message) => {
    expect(readTabMessage(message)).toBe(message)
  })

  it.each([
    ['an id that is no number', { ...REQUEST, id: '1' }],
    ['a negative id', { ...REQUEST, id: -1 }],
    ['parameters that are no text', { ...REQUEST, params: [] }],
    ['no method', { ...REQUEST, method: undefined }],
    ['a header without a value', { ...FETCH, request: { ...FETCH.request, headers: [['a']] } }],
    ['a body that is no buffer', { ...FETCH, request: { ...FETCH.request, body: 'text' } }],
    ['blocks that are no blob', { isonode: 'import', id: 1, isRepeated: false, blocks: [], verifySeal: true }],
    ['a count that is no integer', { isonode: 'heard', count: 0.5 }],
    ['a name of an object member', { isonode: 'constructor' }],
    ['the kind of the other side', { isonode: 'welcome', accounts: [], chainId: '0x1', isKept: true }],
  ])('with %s is ignored', (_, message) => {
    expect(readTabMessage(message)).toBeUndefined()
  })
})

describe('what others post', () => {
  it.each(Object.entries(READERS))('%s ignores it', (_, read) => {
    fc.assert(fc.property(fc.anything(), (data) => read(data) === undefined))
    for (const data of [null, undefined, 0, 'isonode', [], { type: 'webpackOk' }]) expect(read(data)).toBeUndefined()
  })
})
