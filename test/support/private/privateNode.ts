/** Dev nodes with private transactions, over enclaves in memory. */

import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { fromBase64, toBase64 } from '../../../src/base/primitives/base64.ts'
import { bytesToBigInt, bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { signHash } from '../../../src/base/primitives/secp256k1.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { NodeHost, PrivacyHost } from '../../../src/node/host.ts'
import {
  encodePrivateTransaction,
  type PrivateTransaction,
  privateSigningHash,
} from '../../../src/private/privacy/privateTransaction.ts'
import { type OpenedNode, openDevNode } from '../nodes/devNodeInMemory.ts'
import { FakeEnclave } from './fakeEnclave.ts'

/** Keys of enclaves, in Base64. */
export const ENCLAVE_KEYS: readonly string[] = [1, 2, 3].map((byte) => toBase64(new Uint8Array(32).fill(byte)))

/** The first accounts of the dev mnemonic. */
export const SENDER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
export const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** Signs the markers. */
export const MARKER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

/** Enclaves that exchange their payloads. */
export function connectedEnclaves(count: number): FakeEnclave[] {
  const enclaves = ENCLAVE_KEYS.slice(0, count).map((key) => new FakeEnclave({ keys: [key] }))
  for (const enclave of enclaves) enclave.peers.push(...enclaves.filter((other) => other !== enclave))
  return enclaves
}

export interface PrivateNodeOptions {
  readonly enclave: FakeEnclave
  readonly users?: PrivacyHost['users']
  readonly isFlexible?: boolean
  /** Hex of the key that signs the markers. */
  readonly markerKey?: string
  readonly kv?: KeyValueStore
  readonly options?: Partial<NodeOptions>
  readonly host?: Partial<NodeHost>
}

export function openPrivateNode({
  enclave,
  users = { kind: 'single', key: enclave.state.keys[0] as string },
  isFlexible = false,
  markerKey = MARKER_KEY,
  kv,
  options = {},
  host = {},
}: PrivateNodeOptions): Promise<OpenedNode> {
  const privacy: PrivacyHost = { transport: enclave, users, markerKey: hexToBytes(markerKey), isFlexible }
  return openDevNode({ 'rpc-http-api': ['ALL'], ...options }, kv, { ...host, privacy })
}

export interface PrivateFields {
  readonly nonce: number
  readonly privateFrom: string
  /** Keys, or the id of a group. */
  readonly to: readonly string[] | string
  readonly contract?: string
  readonly data?: string
  readonly chainId?: number
  readonly restriction?: string
  readonly key?: string
}

/** Signs a private transaction. @returns hex */
export function signPrivate(fields: PrivateFields): string {
  const { nonce, privateFrom, to, contract, data = '0x', chainId = 31337, restriction = 'restricted' } = fields
  const base64 = (text: string): Uint8Array => fromBase64(text) ?? new Uint8Array(0)
  const unsigned: PrivateTransaction = {
    nonce: BigInt(nonce),
    gasPrice: 2_000_000_000n,
    gasLimit: 3_000_000n,
    to: contract === undefined ? undefined : hexToBytes(contract),
    value: 0n,
    data: hexToBytes(data),
    v: BigInt(35 + 2 * chainId),
    r: 0n,
    s: 0n,
    privateFrom: base64(privateFrom),
    recipients: typeof to === 'string' ? { kind: 'group', id: base64(to) } : { kind: 'keys', keys: to.map(base64) },
    restriction,
  }
  const { signature, yParity } = signHash(privateSigningHash(unsigned), hexToBytes(fields.key ?? SENDER_KEY))
  const signed = {
    ...unsigned,
    v: unsigned.v + BigInt(yParity),
    r: bytesToBigInt(signature.subarray(0, 32)),
    s: bytesToBigInt(signature.subarray(32)),
  }
  return bytesToHex(encodePrivateTransaction(signed))
}

/**
 * Init code of a contract that logs and stores the first word of its call data, and returns the stored word for empty
 * call data.
 */
export const COUNTER_CODE = '0x6020600c60003960206000f336600f5760005460005260206000f35b6000358060005560005260206000a000'
