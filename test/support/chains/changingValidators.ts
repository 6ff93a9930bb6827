/** A long QBFT chain of headers whose validators change, as a remote. */
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { bytesToHex, compareBytes, quantity } from '../../../src/base/primitives/bytes.ts'
import { encodeExtraData, initialExtraData } from '../../../src/consensus/bft/extraData.ts'
import { QBFT } from '../../../src/consensus/bft/flavour.ts'
import { bftBlockHash, commitSealHash, encodeSeal, withSeals } from '../../../src/consensus/bft/hashes.ts'
import { quorumOf } from '../../../src/consensus/bft/quorum.ts'
import { BFT_DIGEST } from '../../../src/consensus/bft/rules.ts'
import type { Header } from '../../../src/types/block.ts'
import { genesisHeader } from './genesisHeader.ts'

export const signerOf = (n: number): KeySigner => {
  const key = new Uint8Array(32)
  key[30] = n >> 8
  key[31] = n & 255
  return new KeySigner(key)
}

export interface Change {
  /** The block from which on the validators hold. */
  readonly number: number
  readonly validators: readonly KeySigner[]
}

export function sealed(
  parent: Header,
  validators: readonly KeySigner[],
  sealers = validators,
  change: Partial<Header> = {},
): Header {
  const sorted = [...validators].sort((a, b) => compareBytes(a.address, b.address))
  const extra = initialExtraData(
    sorted.map(({ address }) => address),
    new Uint8Array(32),
  )
  const unsealed: Header = {
    ...parent,
    parentHash: bftBlockHash(parent, QBFT),
    number: parent.number + 1n,
    timestamp: parent.timestamp + 1n,
    beneficiary: (sorted[0] as KeySigner).address,
    extraData: encodeExtraData(extra, QBFT),
    ...change,
  }
  if (sealers.length === 0) return unsealed
  const digest = commitSealHash(unsealed, QBFT)
  return withSeals(
    unsealed,
    0,
    sealers.map((signer) => encodeSeal(signer.sign(digest))),
    QBFT,
  )
}

/** Headers from the genesis block on. Only those that may be looked at closely have seals: signing takes time. */
export class ChangingValidators {
  readonly headers: Header[] = []
  readonly #changes: readonly Change[]
  readonly #unsealed = new Map<number, readonly KeySigner[]>()

  /** @param changes ascending; the first is that of the genesis block */
  constructor(length: number, changes: readonly Change[]) {
    this.#changes = changes
    const genesis = changes[0] as Change
    const list = genesis.validators.map(({ address }) => address)
    this.headers.push(
      genesisHeader({
        gasLimit: 10_000_000n,
        timestamp: 1000n,
        extraData: encodeExtraData(initialExtraData(list, new Uint8Array(32)), QBFT),
        mixHash: BFT_DIGEST,
      }),
    )
    for (let number = 1; number <= length; number++) {
      const validators = this.validatorsAt(number)
      this.#unsealed.set(number, validators)
      this.headers.push(sealed(this.headers.at(-1) as Header, validators, []))
    }
  }

  validatorsAt(number: number): readonly KeySigner[] {
    return (this.#changes.findLast((change) => change.number <= number) as Change).validators
  }

  /** The hash does not depend on the seals, so they are given when a header is asked for. */
  header(number: number): Header | undefined {
    const validators = this.#unsealed.get(number)
    if (validators === undefined) return this.headers[number]
    this.#unsealed.delete(number)
    const [parent, header] = [this.headers[number - 1], this.headers[number]] as [Header, Header]
    const quorum = validators.slice(0, quorumOf(validators.length))
    const complete = sealed(parent, validators, quorum, { timestamp: header.timestamp })
    this.headers[number] = complete
    return complete
  }
}

export const hashOf = (header: Header): string => bytesToHex(bftBlockHash(header, QBFT))

/** As `eth_getBlockByNumber` answers. */
export function blockJson(header: Header): Record<string, unknown> {
  return {
    number: quantity(header.number),
    hash: hashOf(header),
    parentHash: bytesToHex(header.parentHash),
    sha3Uncles: bytesToHex(header.ommersHash),
    miner: bytesToHex(header.beneficiary),
    stateRoot: bytesToHex(header.stateRoot),
    transactionsRoot: bytesToHex(header.transactionsRoot),
    receiptsRoot: bytesToHex(header.receiptsRoot),
    logsBloom: bytesToHex(header.logsBloom),
    difficulty: quantity(header.difficulty),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: bytesToHex(header.extraData),
    mixHash: bytesToHex(header.mixHash),
    nonce: bytesToHex(header.nonce),
    ...(header.baseFeePerGas === undefined ? {} : { baseFeePerGas: quantity(header.baseFeePerGas) }),
    size: '0x220',
    uncles: [],
    transactions: [],
  }
}
