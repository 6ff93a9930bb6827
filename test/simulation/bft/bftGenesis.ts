/** Genesis files of IBFT 2.0 and QBFT networks with the keys of their validators. */

import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import {
  bytesToHex,
  bytesToHexUnprefixed,
  compareBytes,
  concatBytes,
  numberToBytes,
  padLeft,
} from '../../../src/base/primitives/bytes.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { encodeExtraData, initialExtraData } from '../../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../../src/consensus/bft/flavour.ts'
import type { NodeGenesis } from '../../../src/node/node.ts'

/**
 * `contract`: QBFT whose validators are listed by a contract; `migration`: IBFT 2.0, QBFT from MIGRATION_BLOCK on; `transitions`:
 * QBFT whose last validator is missing for a while, first in the list of a transition, then listed again by a contract and
 * by a transition back to headers.
 */
export type BftMode = 'ibft2' | 'qbft' | 'contract' | 'migration' | 'transitions'

export interface BftGenesisOptions {
  readonly mode: BftMode
  readonly validators: readonly Signer[]
  readonly requestTimeoutSeconds?: number
  /** Default: the period is one second. */
  readonly periodMilliseconds?: number | undefined
  readonly alloc?: Readonly<Record<string, unknown>>
  readonly timestamp: number
  readonly gasLimit?: string
}

export const MIGRATION_BLOCK = 4
export const LAST_TRANSITION = 7
const CONTRACT = '0x0000000000000000000000000000000000007777'

export function validatorKeys(count: number): Signer[] {
  const signers = Array.from({ length: count }, (_, i) => new KeySigner(new Uint8Array(32).fill(i + 1)))
  return signers.sort((a, b) => compareBytes(a.address, b.address))
}

export function bftGenesis(options: BftGenesisOptions): NodeGenesis {
  const { mode, validators, requestTimeoutSeconds = 1, alloc = {}, timestamp, gasLimit = '0x1c9c380' } = options
  const addresses = validators.map(({ address }) => address)
  const { periodMilliseconds } = options
  const section = {
    blockperiodseconds: 1,
    epochlength: 30_000,
    requesttimeoutseconds: requestTimeoutSeconds,
    ...(periodMilliseconds === undefined ? {} : { xblockperiodmilliseconds: periodMilliseconds }),
  }
  const sections = {
    ibft2: { ibft2: section },
    qbft: { qbft: section },
    contract: { qbft: { ...section, validatorcontractaddress: CONTRACT } },
    migration: { ibft2: section, qbft: { ...section, startblock: MIGRATION_BLOCK } },
    transitions: { qbft: section, transitions: { qbft: transitionsOf(addresses) } },
  }
  const isIbft = mode === 'ibft2' || mode === 'migration'
  const listed = mode === 'contract' ? [] : addresses
  const extra = encodeExtraData(initialExtraData(listed, new Uint8Array(32)), isIbft ? IBFT2 : QBFT)
  const hasContract = mode === 'contract' || mode === 'transitions'
  const contract = hasContract ? { [CONTRACT]: { balance: '0x0', code: bytesToHex(listCode(addresses)) } } : {}
  const text = JSON.stringify({
    config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, zeroBaseFee: true, ...sections[mode] },
    difficulty: '0x1',
    gasLimit,
    timestamp: `0x${timestamp.toString(16)}`,
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    extraData: bytesToHex(extra),
    alloc: { ...alloc, ...contract },
  })
  return { genesis: parseGenesisFile(text), text }
}

function transitionsOf(addresses: readonly Uint8Array[]) {
  const validators = addresses.map(bytesToHex)
  return [
    { block: 3, validators: validators.slice(0, -1) },
    { block: 5, validatorselectionmode: 'contract', validatorcontractaddress: CONTRACT },
    { block: LAST_TRANSITION, validatorselectionmode: 'blockheader', validators },
  ]
}

/** Code that returns a constant list of addresses. */
function listCode(addresses: readonly Uint8Array[]): Uint8Array {
  const word = (bytes: Uint8Array): Uint8Array => padLeft(bytes, 32)
  const data = concatBytes(word(numberToBytes(32)), word(numberToBytes(addresses.length)), ...addresses.map(word))
  const length = bytesToHexUnprefixed(padLeft(numberToBytes(data.length), 2))
  // PUSH2 length, PUSH1 15, PUSH1 0, CODECOPY, PUSH2 length, PUSH1 0, RETURN
  const code = `61${length}600e60003961${length}6000f3`
  return concatBytes(
    Uint8Array.from(code.match(/../g) as string[], (byte) => Number.parseInt(byte, 16)),
    data,
  )
}
