import { describe, expect, it } from 'vitest'
import { nameOf, placeOf, queryOf } from '../../../../adapters/devtools/address.ts'

const HASH = `0x${'ab'.repeat(32)}`

describe('the address of the page', () => {
  it.each([
    ['', { kind: 'start' }],
    ['?unknown=1', { kind: 'start' }],
    ['?rpc=http://127.0.0.1:8545', { kind: 'remote', url: 'http://127.0.0.1:8545' }],
    ['?chain=dev', { kind: 'node', choice: { kind: 'saved', database: 'isonode/dev' } }],
    ['?chain=a.b-c&id=5', { kind: 'node', choice: { kind: 'saved', database: 'isonode/a.b-c', chainId: 5 } }],
    ['?memory=yes&id=7', { kind: 'node', choice: { kind: 'memory', chainId: 7 } }],
    ['?fork=wss://node.example', { kind: 'node', choice: { kind: 'fork', url: 'wss://node.example' } }],
    [
      `?fork=https://node.example&block=${HASH}`,
      { kind: 'node', choice: { kind: 'fork', url: 'https://node.example', block: HASH } },
    ],
    ['?wallet=org.example&block=-3', { kind: 'node', wallet: 'org.example', choice: { kind: 'wallet', block: '-3' } }],
  ])('%s names a place', (query, place) => {
    expect(placeOf(query)).toEqual(place)
  })

  it.each([
    ['?rpc=javascript:alert(1)', 'has “javascript:alert(1)” for rpc: expected an address that begins with http://'],
    ['?rpc=ws://node.example', 'for rpc'],
    ['?chain=', 'has “” for chain: expected up to 64 letters'],
    ['?chain=../x', 'has “../x” for chain'],
    ['?chain=dev&id=0', 'has “0” for id: expected a number from 1 to 4294967296'],
    ['?chain=dev&id=4294967297', 'for id'],
    ['?fork=node.example', 'has “node.example” for fork: expected an address that begins with http://'],
    ['?fork=http://node.example&block=first', 'has “first” for block: expected a number, a hash, or empty'],
    [`?chain=${'x'.repeat(200)}`, `has “${'x'.repeat(80)}” for chain`],
  ])('%s is refused', (query, problem) => {
    expect(() => placeOf(query)).toThrow(problem)
  })

  it('is written without what is empty', () => {
    expect(queryOf({ fork: 'https://node.example/?key=1', block: '', id: undefined })).toBe(
      '?fork=https%3A%2F%2Fnode.example%2F%3Fkey%3D1',
    )
  })

  it('names only databases that it can hold', () => {
    expect(nameOf('isonode/dev-1337')).toBe('dev-1337')
    expect(nameOf('isonode/a chain')).toBeUndefined()
  })
})
