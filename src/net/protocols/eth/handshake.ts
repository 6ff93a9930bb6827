/**
 * The exchange of Status messages, after which two peers talk.
 * @see docs/reference/p2p.md section 4; EIP-2124, EIP-7642
 * @module
 */

import { equalBytes } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { ForkFilter } from '../forkId.ts'
import { decodeEthMessage, type WireMessage } from './codec.ts'
import type { Status } from './messages.ts'
import type { EthVersion } from './versions.ts'

/** The chain that a node announces. */
export interface HandshakeChain {
  readonly chain: Pick<ChainReader, 'config' | 'genesis' | 'head'>
  readonly forks: ForkFilter
  /** Number of the first block that can be served. */
  readonly earliest: bigint
}

export function localStatus(version: EthVersion, { chain, forks, earliest }: HandshakeChain): Status {
  const { head, genesis, config } = chain
  return {
    kind: 'status',
    version: version.number,
    networkId: config.networkId,
    genesisHash: genesis.hash,
    forkId: version.hasForkId ? forks.current(head.header) : undefined,
    best: version.hasBlockRange ? undefined : { hash: head.hash, totalDifficulty: head.totalDifficulty },
    range: version.hasBlockRange ? { earliest, latest: head.header.number, latestHash: head.hash } : undefined,
  }
}

export type StatusRefusal =
  | 'malformedStatus'
  | 'messageBeforeStatus'
  | 'versionMismatch'
  | 'networkMismatch'
  | 'remoteStale'
  | 'incompatible'
  | 'genesisMismatch'

export type HandshakeOutcome =
  | { readonly kind: 'accepted'; readonly status: Status }
  | {
      readonly kind: 'refused'
      readonly reason: StatusRefusal
      /** Disconnect reason of devp2p: 0x02 or 0x10. */
      readonly disconnect: 'breachOfProtocol' | 'subprotocol'
    }

/** Judges the first message of a peer. */
export function receiveStatus(version: EthVersion, first: WireMessage, local: HandshakeChain): HandshakeOutcome {
  if (first.code !== 0) return refused('messageBeforeStatus', 'breachOfProtocol')
  let status: Status
  try {
    status = decodeEthMessage(version, first) as Status
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return refused('malformedStatus', 'breachOfProtocol')
  }
  const reason = mismatchOf(version, status, local)
  return reason === undefined ? { kind: 'accepted', status } : refused(reason, 'subprotocol')
}

function mismatchOf(
  version: EthVersion,
  { version: number, networkId, genesisHash, forkId }: Status,
  { chain, forks }: HandshakeChain,
): StatusRefusal | undefined {
  if (number !== version.number) return 'versionMismatch'
  if (networkId !== chain.config.networkId) return 'networkMismatch'
  const fork = forkId === undefined ? undefined : forks.mismatch(chain.head.header, forkId)
  if (fork !== undefined) return fork
  return equalBytes(genesisHash, chain.genesis.hash) ? undefined : 'genesisMismatch'
}

type Refused = Extract<HandshakeOutcome, { readonly kind: 'refused' }>

function refused(reason: StatusRefusal, disconnect: Refused['disconnect']): Refused {
  return { kind: 'refused', reason, disconnect }
}
