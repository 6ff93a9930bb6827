/** Signed Clique headers without bodies, over a header source in memory. */

import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { bytesToHex, compareBytes } from '../../../src/base/primitives/bytes.ts'
import type { VerifyContext } from '../../../src/chain/engine.ts'
import { forkRules } from '../../../src/config/forks.ts'
import { CliqueEngine } from '../../../src/consensus/clique/clique.ts'
import { encodeExtraData, replaceSeal } from '../../../src/consensus/clique/extraData.ts'
import { signCliqueHeader } from '../../../src/consensus/clique/seal.ts'
import { CliqueSnapshots } from '../../../src/consensus/clique/snapshots.ts'
import type { Header } from '../../../src/types/block.ts'
import { hashHeader } from '../../../src/types/headerCodec.ts'
import { genesisHeader } from './genesisHeader.ts'

export const PERIOD = 5
export const EPOCH = 8

/** Throw-away signers, ascending by address. */
export const SIGNERS: readonly Signer[] = [1, 2, 3, 4, 5, 6]
  .map((byte) => new KeySigner(new Uint8Array(32).fill(byte)))
  .sort((a, b) => compareBytes(a.address, b.address))

export function addressesOf(signers: readonly Signer[]): Uint8Array[] {
  return signers.map(({ address }) => address)
}

export interface HeaderChain {
  readonly engine: CliqueEngine
  readonly head: Header
  /** The context of the next header; a new engine with an empty store sees only headers. */
  context(change?: Partial<VerifyContext>): VerifyContext
  /** A header on top of the head, signed after the change. */
  next(signer: Signer, change?: Partial<Header>): Header
  /** Appends a header without verifying it. */
  add(header: Header): Header
}

export function headerChain(genesisSigners: readonly Signer[], epochLength = EPOCH): HeaderChain {
  const headers = new Map<string, Header>()
  const records = new Map<string, Uint8Array>()
  const engine = new CliqueEngine({ periodSeconds: PERIOD, createsEmptyBlocks: true }, new CliqueSnapshots(epochLength))
  let head: Header = genesisHeader({
    gasLimit: 30_000_000n,
    timestamp: 1_700_000_000n,
    extraData: encodeExtraData(new Uint8Array(0), addressesOf(genesisSigners)),
    mixHash: new Uint8Array(32),
  })
  headers.set(bytesToHex(hashHeader(head)), head)
  const chain: HeaderChain = {
    engine,
    get head() {
      return head
    },
    context: (change = {}) => ({
      rules: forkRules('berlin'),
      headers: { headerByHash: (hash) => headers.get(bytesToHex(hash)) },
      parentState: () => {
        throw new Error('Clique reads no state')
      },
      store: {
        get: (key) => records.get(bytesToHex(key)),
        put: (key, value) => void records.set(bytesToHex(key), value),
      },
      nowMs: Number(head.timestamp + 100n) * 1000,
      verifySeal: true,
      isOmmer: false,
      ...change,
    }),
    next: (signer, change = {}) => {
      const number = head.number + 1n
      const draft = {
        ...head,
        parentHash: hashHeader(head),
        number,
        timestamp: head.timestamp + BigInt(PERIOD),
        extraData: new Uint8Array(0),
        beneficiary: new Uint8Array(20),
      }
      const prepared = { ...engine.prepare(draft, head, { ...chain.context(), author: signer.address }), ...change }
      if (prepared.extraData.length < 97) return prepared
      return { ...prepared, extraData: replaceSeal(prepared.extraData, signCliqueHeader(prepared, signer)) }
    },
    add: (header) => {
      head = header
      headers.set(bytesToHex(hashHeader(header)), header)
      return header
    },
  }
  return chain
}
