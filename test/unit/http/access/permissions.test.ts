import { describe, expect, it } from 'vitest'
import { graphqlPermission, methodPermission } from '../../../../src/http/access/permissions.ts'

const allows = (permissions: readonly string[], method: string, open: readonly string[] = []) =>
  methodPermission(permissions, new Set(open))(method)

describe('permissions', () => {
  it.each([
    ['*:*', 'debug_traceCall', true],
    ['eth:*', 'eth_call', true],
    ['eth:*', 'ethical_call', false],
    ['eth:*', 'net_version', false],
    ['net:version', 'net_version', true],
    ['net:version', 'net_listening', false],
    ['eth:call', 'eth_callMany', false],
    ['eth:Call', 'eth_call', false],
    ['eth', 'eth_call', false],
    ['eth_call', 'eth_call', false],
    ['*', 'eth_call', false],
    ['*:version', 'net_version', false],
    ['', 'eth_call', false],
    ['noNamespace:*', 'noNamespace', true],
  ])('%s: %s %s', (permission, method, isAllowed) => {
    expect(allows([permission], method)).toBe(isAllowed)
  })

  it.each<[readonly string[], boolean, boolean]>([
    [['*:*'], true, true],
    [['eth:*'], true, true],
    [['eth:sendRawTransaction'], false, true],
    [['eth:call', 'eth:getBlockByNumber'], false, false],
    [['eth'], false, false],
    [['net:*'], false, false],
    [[], false, false],
  ])('%j permit GraphQL queries: %s, mutations: %s', (permissions, query, mutation) => {
    const permits = graphqlPermission(methodPermission(permissions, new Set(['eth_call'])))
    expect([permits('query'), permits('mutation')]).toEqual([query, mutation])
  })

  it('lets everybody call open methods, by their exact names', () => {
    expect(allows([], 'net_version', ['net_version'])).toBe(true)
    expect(allows([], 'net_listening', ['net_version'])).toBe(false)
    expect(allows(['eth:*'], 'net_version', ['net_version'])).toBe(true)
    expect(allows(['eth:*', 'net:version'], 'net_version')).toBe(true)
  })
})
