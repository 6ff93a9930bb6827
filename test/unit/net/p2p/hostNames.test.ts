import { expect, it } from 'vitest'
import { hostNames, replaceHostNames } from '../../../../src/net/p2p/hostNames.ts'

const ID = 'ab'.repeat(64)
const TEXT = JSON.stringify([
  `enode://${ID}@node_1.lan:30303?discport=1`,
  `enode://${ID}@10.0.0.1:1`,
  `enode://${ID}@[::1]:1`,
  `enode://${ID}@boot-2:2`,
  `enode://${ID}@boot-2:3`,
])

it('names the hosts of enode URLs, each once', () => {
  expect(hostNames(TEXT)).toEqual(['node_1.lan', 'boot-2'])
  for (const other of ['', 'foo', 'enode://xyz@name:1', `enode://${ID}@name`, `enode://${ID}@-name:1`]) {
    expect(hostNames(other)).toEqual([])
  }
})

it('replaces host names by addresses', () => {
  const addresses = new Map([
    ['node_1.lan', '10.0.0.7'],
    ['boot-2', 'fe80::1'],
  ])
  expect(JSON.parse(replaceHostNames(TEXT, (name) => addresses.get(name)))).toEqual([
    `enode://${ID}@10.0.0.7:30303?discport=1`,
    `enode://${ID}@10.0.0.1:1`,
    `enode://${ID}@[::1]:1`,
    `enode://${ID}@[fe80::1]:2`,
    `enode://${ID}@[fe80::1]:3`,
  ])
})
