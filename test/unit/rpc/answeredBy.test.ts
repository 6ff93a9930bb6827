import { describe, expect, it } from 'vitest'
import { answeringProcess, placeOf } from '../../../src/rpc/answeredBy.ts'
import type { MethodDefinition } from '../../../src/rpc/method.ts'
import { devMethods } from '../../../src/rpc/methods/dev/index.ts'
import { METHODS } from '../../../src/rpc/methods/index.ts'

const ALL: readonly MethodDefinition[] = [...METHODS, ...devMethods]
const place = (name: string, ...params: readonly unknown[]): string => {
  const definition = ALL.find((each) => each.name === name)
  if (definition === undefined) throw new Error(`there is no ${name}`)
  return answeringProcess(definition, params)
}

describe('the process that answers a method', () => {
  it('is decided for every method, by its definition or its group', () => {
    expect(ALL.filter((definition) => placeOf(definition, []) === undefined).map(({ name }) => name)).toEqual([])
  })

  it.each([
    ['eth_call', 'any'],
    ['eth_estimateGas', 'main if dev'],
    ['eth_getTransactionByHash', 'main if absent'],
    ['eth_sendRawTransaction', 'main'],
    ['debug_traceTransaction', 'any'],
    ['debug_setHead', 'main'],
    ['trace_block', 'any'],
    ['txpool_content', 'main'],
    ['miner_start', 'main'],
    ['admin_peers', 'main'],
    ['perm_getNodesAllowlist', 'main'],
    ['priv_getLogs', 'main'],
    ['evm_mine', 'main'],
    ['rpc_modules', 'any'],
  ])('%s: %s', (name, expected) => {
    expect(place(name)).toBe(expected)
  })

  it('is the one that writes for every request about the pending block', () => {
    expect(place('eth_getTransactionCount', '0x00', 'latest')).toBe('any')
    expect(place('eth_getTransactionCount', '0x00', 'pending')).toBe('main')
    expect(place('eth_getLogs', { fromBlock: 'earliest' })).toBe('any')
    expect(place('eth_getLogs', { fromBlock: 'pending' })).toBe('main')
  })

  it('depends on what a subscription follows', () => {
    expect(place('eth_subscribe', 'newHeads')).toBe('any')
    expect(place('eth_subscribe', 'logs', {})).toBe('any')
    expect(place('eth_subscribe', 'newPendingTransactions')).toBe('main')
    expect(place('eth_subscribe', 'syncing')).toBe('main')
  })
})
