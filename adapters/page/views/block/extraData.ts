/**
 * Reads the extra data of a header.
 * @module
 */
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { decodeExtraData } from '../../../../src/consensus/bft/extraData.ts'
import { type BftFlavour, IBFT2, QBFT } from '../../../../src/consensus/bft/flavour.ts'
import { checkExtraData, parseExtraData } from '../../../../src/consensus/clique/extraData.ts'
import { isData } from '../../format/hex.ts'
import type { Block } from '../../rpc/types.ts'

export type ExtraData =
  | { readonly kind: 'text'; readonly text: string | undefined }
  | {
      readonly kind: 'clique' | 'ibft2' | 'qbft'
      /** Signers or validators; of Clique in epoch blocks only. */
      readonly members: readonly string[]
      readonly vote: { readonly recipient: string; readonly isAdd: boolean } | undefined
      /** undefined: Clique has none */
      readonly round: number | undefined
      readonly seals: readonly string[]
    }

/** `mixHash` of IBFT 2.0 and QBFT. */
const BFT_DIGEST = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'
const ADD_NONCE = '0xffffffffffffffff'
const MAX_BYTES = 2 ** 20

type HeaderPart = Pick<Block, 'extraData' | 'mixHash' | 'difficulty' | 'number' | 'miner' | 'nonce'>

/** @param header of any chain: a header that only looks like one of Clique is read as one */
export function readExtraData(header: HeaderPart): ExtraData {
  const { extraData } = header
  if (!isData(extraData) || extraData.length > 2 * MAX_BYTES) return { kind: 'text', text: undefined }
  const bytes = hexToBytes(extraData.slice(2))
  if (header.mixHash === BFT_DIGEST) return readBft(bytes, QBFT) ?? readBft(bytes, IBFT2) ?? asText(bytes)
  // Blocks of Clique have difficulty 1 or 2; those of proof of stake have 0.
  const isClique = checkExtraData(bytes) === undefined && /^0x[12]$/.test(header.difficulty)
  return isClique ? readClique(bytes, header) : asText(bytes)
}

function readBft(bytes: Uint8Array, flavour: BftFlavour): ExtraData | undefined {
  try {
    const { validators, vote, round, seals } = decodeExtraData(bytes, flavour)
    return {
      kind: flavour.name,
      members: validators.map((address) => bytesToHex(address)),
      vote: vote && { recipient: bytesToHex(vote.recipient), isAdd: vote.isAdd },
      round,
      seals: seals.map((seal) => bytesToHex(seal)),
    }
  } catch {
    return undefined
  }
}

function readClique(bytes: Uint8Array, { miner, nonce }: HeaderPart): ExtraData {
  const { signers, seal } = parseExtraData(bytes)
  const hasVote = !/^0x0*$/.test(miner)
  return {
    kind: 'clique',
    members: signers.map((address) => bytesToHex(address)),
    vote: hasVote ? { recipient: miner, isAdd: nonce === ADD_NONCE } : undefined,
    round: undefined,
    seals: [bytesToHex(seal)],
  }
}

function asText(bytes: Uint8Array): ExtraData {
  const text = new TextDecoder().decode(bytes.subarray(0, 256))
  return { kind: 'text', text: bytes.length > 0 && /^[\x20-\x7e]+$/.test(text) ? text : undefined }
}
