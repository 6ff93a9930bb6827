/**
 * The capabilities that this node offers to peers.
 * @see docs/reference/p2p.md section 4
 * @module
 */
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { BftProtocol } from '../../consensus/bft/messages/packets.ts'
import type { OfferedCapability } from '../p2p/rlpx/capabilities.ts'
import { BFT_CAPABILITIES } from '../protocols/bftWire.ts'
import { ETH_VERSIONS } from '../protocols/eth/versions.ts'
import { SNAP_CODE_COUNT } from '../protocols/snap/messages.ts'

export const ETH = 'eth'
export const SNAP = 'snap'

/** Only the chain's own capabilities are offered: peers of other chains would be refused later anyway. */
export function offeredCapabilities(config: ChainConfig): readonly OfferedCapability[] {
  // Without the total difficulty, which eth/69 does not announce, the better of two chains before the merge is unknown.
  // Chains with immediate finality are compared by height, but admin_peers shows the total difficulty of their peers, and
  // their clients all speak eth/68.
  const hasMerge =
    config.options.terminalTotalDifficulty !== undefined || config.options.consensus.kind === 'proofOfStake'
  const eth = ETH_VERSIONS.filter(({ hasBlockRange }) => hasMerge || !hasBlockRange)
  return [
    ...bftProtocols(config).map((protocol) => {
      const { name, version, codeCount } = BFT_CAPABILITIES[protocol]
      return { name, version, length: codeCount }
    }),
    ...eth.map(({ number, codeCount }) => ({ name: ETH, version: number, length: codeCount })),
    { name: SNAP, version: 1, length: SNAP_CODE_COUNT },
  ]
}

/** Agreements that a chain uses, also one after the other. */
function bftProtocols({ consensus }: ChainConfig): readonly BftProtocol[] {
  const kinds = new Set<string>(consensus.entries.map(({ value }) => value.kind))
  return (['ibft2', 'qbft'] as const).filter((kind) => kinds.has(kind))
}

const PROTOCOL_BY_NAME: ReadonlyMap<string, BftProtocol> = new Map(
  (['ibft2', 'qbft'] as const).map((protocol) => [BFT_CAPABILITIES[protocol].name, protocol]),
)

/** @returns undefined for a capability of another kind */
export function bftProtocolOf(capabilityName: string): BftProtocol | undefined {
  return PROTOCOL_BY_NAME.get(capabilityName)
}
