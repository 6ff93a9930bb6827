/** Headers of IBFT 2.0 and QBFT with seals of known keys, and the context in which an engine verifies them. */

import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { bytesToHex, compareBytes } from '../../../src/base/primitives/bytes.ts'
import type { ParentCallResult, VerifyContext } from '../../../src/chain/engine.ts'
import { parseGenesisConfig } from '../../../src/config/genesisConfig.ts'
import type { BftEngine } from '../../../src/consensus/bft/bft.ts'
import { type BftExtraData, encodeExtraData, initialExtraData } from '../../../src/consensus/bft/extraData.ts'
import { commitSealHash, encodeSeal, withSeals } from '../../../src/consensus/bft/hashes.ts'
import { BFT_DIGEST } from '../../../src/consensus/bft/rules.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import type { Header } from '../../../src/types/block.ts'
import { genesisHeader } from './genesisHeader.ts'

/** In ascending order of their addresses. */
export const SIGNERS: readonly KeySigner[] = [1, 2, 3, 4, 5, 6, 7]
  .map((n) => new KeySigner(new Uint8Array(32).fill(n)))
  .sort((a, b) => compareBytes(a.address, b.address))

export const addressOf = (index: number): Uint8Array => (SIGNERS[index] as KeySigner).address

export interface BlockChoice {
  /** Index of the proposer in SIGNERS. Default 0. */
  readonly proposer?: number
  /** Indexes of the sealers. Default: all validators. */
  readonly sealers?: readonly number[]
  readonly extra?: Partial<BftExtraData>
  readonly header?: Partial<Header>
}

/** A chain of headers above a genesis block with the first `validators` of SIGNERS. */
export class BftHeaders {
  readonly engineAt: (number: number) => BftEngine
  readonly stored = new Map<string, Header>()
  readonly records = new Map<string, Uint8Array>()
  head: Header
  parentCallResult: ParentCallResult | undefined

  /** @param config of the genesis file */
  constructor(config: object, validators: number, firstKind: 'ibft2' | 'qbft' = 'ibft2' in config ? 'ibft2' : 'qbft') {
    const schedule = createSchedule(parseGenesisConfig(config, undefined))
    this.engineAt = (number) =>
      schedule.claimedBy({ number: BigInt(number), timestamp: 1n, difficulty: 1n }) as BftEngine
    const engine = this.engineAt(0)
    if (engine.name !== firstKind) throw new RangeError(engine.name)
    const list = Array.from({ length: validators }, (_, i) => addressOf(i)).reverse()
    this.head = genesisHeader({
      gasLimit: 10_000_000n,
      timestamp: 1000n,
      extraData: encodeExtraData(initialExtraData(list, new Uint8Array()), engine.flavour),
      mixHash: BFT_DIGEST,
    })
    this.#store(this.head)
  }

  get context(): VerifyContext {
    return {
      rules: undefined as never,
      headers: { headerByHash: (hash) => this.stored.get(bytesToHex(hash)) },
      parentState: () => {
        throw new Error('not needed')
      },
      store: {
        get: (key) => this.records.get(bytesToHex(key)),
        put: (key, value) => this.records.set(bytesToHex(key), value),
      },
      parentCallResult: this.parentCallResult,
      nowMs: 1e15,
      verifySeal: true,
      isOmmer: false,
    }
  }

  get validators(): readonly Uint8Array[] {
    const found = this.next.validatorsAfter(this.hashOf(this.head), this.head, this.context)
    if (found.kind === 'unknown') throw new Error(found.reason)
    return found.validators
  }

  /** Engine of the next block. */
  get next(): BftEngine {
    return this.engineAt(Number(this.head.number) + 1)
  }

  hashOf(header: Header): Uint8Array {
    return this.engineAt(Number(header.number)).hash(header)
  }

  /** A child of the head. */
  child({ proposer = 0, sealers, extra, header }: BlockChoice = {}): Header {
    const { flavour, settings } = this.next
    const isContract = settings.validatorContract !== undefined
    const validators = isContract ? [] : this.validators
    const full = { ...initialExtraData(validators, new Uint8Array()), ...extra }
    const unsealed: Header = {
      ...this.head,
      parentHash: this.hashOf(this.head),
      number: this.head.number + 1n,
      timestamp: this.head.timestamp + BigInt(settings.periodSeconds),
      beneficiary: addressOf(proposer),
      extraData: encodeExtraData(full, flavour),
      ...header,
    }
    if (header?.extraData !== undefined || extra?.seals !== undefined) return unsealed
    const hash = commitSealHash(unsealed, flavour)
    const chosen = sealers ?? SIGNERS.flatMap(({ address }, i) => (this.#isValidator(address) ? [i] : []))
    const seals = chosen.map((i) => encodeSeal((SIGNERS[i] as KeySigner).sign(hash)))
    return withSeals(unsealed, full.round, seals, flavour)
  }

  /** @returns why a child of the head is invalid */
  verify(header: Header, changes: Partial<VerifyContext> = {}): string | undefined {
    const number = Number(header.number)
    return this.engineAt(number).verifyHeader(header, this.head, { ...this.context, ...changes })
  }

  /** Verifies a child and makes it the head. */
  add(choice: BlockChoice = {}): Header {
    const header = this.child(choice)
    const reason = this.verify(header)
    if (reason !== undefined) throw new Error(reason)
    this.#store(header)
    this.head = header
    return header
  }

  /** Adds a block whose proposer votes. */
  vote(proposer: number, recipient: number, isAdd: boolean): Header {
    return this.add({ proposer, extra: { vote: { recipient: addressOf(recipient), isAdd } } })
  }

  #isValidator(address: Uint8Array): boolean {
    return this.validators.some((validator) => compareBytes(validator, address) === 0)
  }

  #store(header: Header): void {
    this.stored.set(bytesToHex(this.hashOf(header)), header)
  }
}
