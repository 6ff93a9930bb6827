/**
 * Validators and votes in the headers of each kind of BFT chain.
 * @module
 */
import { isNodeError } from '../../base/primitives/errors.ts'
import type { Header } from '../../types/block.ts'
import type { Addresses } from './addresses.ts'
import { decodeExtraData } from './extraData.ts'
import { type BftFlavour, IBFT2, QBFT } from './flavour.ts'
import { decodeLegacyExtraData, legacyProposer, legacyVote } from './legacy.ts'
import type { CastVote } from './votes.ts'

export type BftKind = 'ibft2' | 'qbft' | 'ibft'

export interface HeaderReader {
  /**
   * The validators of the block, in the order of the header.
   * @throws {NodeError} INVALID_EXTRA_DATA
   */
  validators(header: Pick<Header, 'extraData'>): Addresses
  /** @throws {NodeError} INVALID_EXTRA_DATA */
  vote(header: Header): CastVote | undefined
  /**
   * The validator that created the block, 20 bytes. Zero for a genesis block without a seal.
   * @throws {NodeError} INVALID_EXTRA_DATA
   */
  proposer(header: Header): Uint8Array
}

function readerOf(flavour: BftFlavour): HeaderReader {
  return {
    validators: ({ extraData }) => decodeExtraData(extraData, flavour).validators,
    vote({ extraData, beneficiary: voter }) {
      const { vote } = decodeExtraData(extraData, flavour)
      return vote && { ...vote, voter }
    },
    proposer: ({ beneficiary }) => beneficiary,
  }
}

/** @returns why the extra data of a genesis block cannot be used; undefined when they can */
export function checkGenesisExtraData({ extraData }: Pick<Header, 'extraData'>, kind: BftKind): string | undefined {
  if (extraData.length === 0) return 'Invalid Bytes supplied - Bft Extra Data required.'
  try {
    HEADER_READERS[kind].validators({ extraData })
    return undefined
  } catch (error) {
    if (!isNodeError(error, 'INVALID_EXTRA_DATA')) throw error
    return `Invalid genesis block configuration, ${error.message}`
  }
}

export const HEADER_READERS: Readonly<Record<BftKind, HeaderReader>> = {
  ibft2: readerOf(IBFT2),
  qbft: readerOf(QBFT),
  ibft: {
    validators: ({ extraData }) => decodeLegacyExtraData(extraData).validators,
    vote: (header) => legacyVote(header, decodeLegacyExtraData(header.extraData)),
    proposer: (header) => legacyProposer(header, decodeLegacyExtraData(header.extraData)) ?? new Uint8Array(20),
  },
}
