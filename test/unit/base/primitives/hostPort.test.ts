import { describe, expect, it } from 'vitest'
import { hostPort, normalHost, splitHostPort, urlOf } from '../../../../src/base/primitives/hostPort.ts'

describe('a host and a port', () => {
  it('are written with an IPv6 address in brackets', () => {
    expect(hostPort({ host: 'localhost', port: 1 })).toBe('localhost:1')
    expect(hostPort({ host: '::1', port: 8545 })).toBe('[::1]:8545')
    expect(urlOf('http', { host: '127.0.0.1', port: 8545 })).toBe('http://127.0.0.1:8545')
    expect(urlOf('ws', { host: '::', port: 8546, isSecure: true })).toBe('wss://[::]:8546')
  })

  it.each([
    ['localhost', 'localhost', undefined],
    ['LocalHost:1', 'localhost', 1],
    ['127.0.0.1:65535', '127.0.0.1', 65_535],
    ['[::1]', '::1', undefined],
    ['[::1]:8545', '::1', 8545],
    ['[0:0:0:0:0:0:0:1]:8545', '::1', 8545],
    ['[FE80::1]', 'fe80::1', undefined],
  ])('are split: %s', (text, host, port) => {
    expect(splitHostPort(text)).toEqual({ host, port })
  })

  it.each([
    '',
    ':1',
    'a:',
    'a:x',
    'a:123456',
    'a:1:2',
    '::1',
    '::1:8545',
    '[::1',
    '::1]',
    '[]',
    '[a]',
    '[1:2]',
    ' a',
    'a/b',
  ])('are not found in %j', (text) => {
    expect(splitHostPort(text)).toBeUndefined()
  })

  it('are compared in one form', () => {
    for (const host of ['::1', '[::1]', '0::1', '[0:0::1]']) expect(normalHost(host)).toBe('::1')
    expect(normalHost('Node.Example')).toBe('node.example')
    expect(normalHost('x:y:z')).toBe('x:y:z')
  })
})
