import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import type { ChainReader } from '../../../../../src/chain/contract.ts'
import { encodeEthMessage } from '../../../../../src/net/protocols/eth/codec.ts'
import { type HandshakeChain, localStatus, receiveStatus } from '../../../../../src/net/protocols/eth/handshake.ts'
import type { Status } from '../../../../../src/net/protocols/eth/messages.ts'
import { ETH_VERSIONS, type EthVersion, ethVersion } from '../../../../../src/net/protocols/eth/versions.ts'
import { ForkFilter } from '../../../../../src/net/protocols/forkId.ts'
import { configOf } from '../../../../support/chains/chainConfig.ts'

const config = configOf({
  networkId: 7n,
  activations: [
    { fork: 'homestead', block: 10n },
    { fork: 'byzantium', block: 20n },
  ],
})

const GENESIS = new Uint8Array(32).fill(1)

function chainAt(number: bigint, genesisHash = GENESIS, networkId = 7n): HandshakeChain {
  const chain = {
    config: configOf({ ...config.options, networkId }),
    genesis: { hash: genesisHash },
    head: { header: { number, timestamp: 0n }, hash: new Uint8Array(32).fill(9), totalDifficulty: 1n << 70n },
  } as unknown as ChainReader
  return { chain, forks: new ForkFilter(config, { hash: genesisHash, timestamp: 0n }), earliest: 0n }
}

const answerTo = (version: EthVersion, local: HandshakeChain, remote: HandshakeChain, changes: Partial<Status> = {}) =>
  receiveStatus(version, encodeEthMessage(version, { ...localStatus(version, remote), ...changes }), local)

const refused = (reason: string, disconnect: string) => ({ kind: 'refused', reason, disconnect })

describe.each(ETH_VERSIONS.map((version) => [version.number, version] as const))(
  'the handshake of eth/%d',
  (_, version) => {
    it('accepts a node of the same chain, also at another height', () => {
      expect(answerTo(version, chainAt(15n), chainAt(15n))).toMatchObject({
        kind: 'accepted',
        status: { version: version.number },
      })
      expect(answerTo(version, chainAt(25n), chainAt(0n)).kind).toBe('accepted')
      expect(answerTo(version, chainAt(0n), chainAt(25n)).kind).toBe('accepted')
    })

    it('refuses other versions, networks, forks and chains, in this order', () => {
      const other = new Uint8Array(32).fill(2)
      expect(answerTo(version, chainAt(15n), chainAt(15n, other, 8n), { version: 50 })).toEqual(
        refused('versionMismatch', 'subprotocol'),
      )
      expect(answerTo(version, chainAt(15n), chainAt(15n, other, 8n))).toEqual(
        refused('networkMismatch', 'subprotocol'),
      )
      const byFork = version.hasForkId ? 'incompatible' : 'genesisMismatch'
      expect(answerTo(version, chainAt(15n), chainAt(15n, other))).toEqual(refused(byFork, 'subprotocol'))
      expect(answerTo(version, chainAt(15n), chainAt(15n), { genesisHash: other })).toEqual(
        refused('genesisMismatch', 'subprotocol'),
      )
    })

    it.each(version.hasForkId ? [version] : [])('compares fork ids', () => {
      const forkId = localStatus(version, chainAt(15n)).forkId as NonNullable<Status['forkId']>
      expect(answerTo(version, chainAt(25n), chainAt(15n), { forkId: { ...forkId, next: 0n } })).toEqual(
        refused('remoteStale', 'subprotocol'),
      )
      expect(answerTo(version, chainAt(15n), chainAt(15n), { forkId: { ...forkId, next: 13n } })).toEqual(
        refused('incompatible', 'subprotocol'),
      )
    })

    it('takes anything but a Status for a breach', () => {
      const status = encodeEthMessage(version, localStatus(version, chainAt(15n)))
      expect(receiveStatus(version, { code: 3, payload: status.payload }, chainAt(15n))).toEqual(
        refused('messageBeforeStatus', 'breachOfProtocol'),
      )
      for (const payload of [new Uint8Array(0), hexToBytes('c0'), status.payload.slice(0, -1), Uint8Array.of(0x80)]) {
        expect(receiveStatus(version, { code: 0, payload }, chainAt(15n))).toEqual(
          refused('malformedStatus', 'breachOfProtocol'),
        )
      }
    })
  },
)

it('announces what each version knows', () => {
  const status = (number: number) => localStatus(ethVersion(number) as EthVersion, chainAt(15n))
  expect(status(63)).toMatchObject({ forkId: undefined, best: { totalDifficulty: 1n << 70n }, range: undefined })
  expect(status(68)).toMatchObject({ forkId: { next: 20n }, best: { totalDifficulty: 1n << 70n }, range: undefined })
  expect(status(69)).toMatchObject({ forkId: { next: 20n }, best: undefined, range: { earliest: 0n, latest: 15n } })
})

it.each([
  ['00000000', 0n, 'c6840000000080'],
  ['deadbeef', 0xbaddcafen, 'ca84deadbeef84baddcafe'],
  ['ffffffff', 2n ** 64n - 1n, 'ce84ffffffff88ffffffffffffffff'],
])('encodes fork identifiers as EIP-2124 does: %s, %d', (hash, next, expected) => {
  const version = ethVersion(64) as EthVersion
  const status = { ...localStatus(version, chainAt(15n)), forkId: { hash: hexToBytes(hash), next } }
  expect(bytesToHex(encodeEthMessage(version, status).payload)).toMatch(new RegExp(`${expected}$`))
})
