/**
 * The contract behind a proxy.
 * @see EIP-1167, EIP-1822, EIP-1967
 * @module
 */
import { bytesToHexUnprefixed, hexToBytes, isZeroBytes } from '../../base/primitives/bytes.ts'
import type { StateReader } from '../../state/contract.ts'

export interface ProxyTarget {
  /** Of a beacon, the contract that names the implementation. */
  readonly kind: 'implementation' | 'beacon'
  /** 20 bytes */
  readonly address: Uint8Array
}

const ADDRESS_BYTES = 20
/** keccak256('eip1967.proxy.implementation') - 1, and the same of EIP-1822 and of OpenZeppelin before EIP-1967. */
const IMPLEMENTATION_SLOTS: readonly Uint8Array[] = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
].map((slot) => hexToBytes(slot))
/** keccak256('eip1967.proxy.beacon') - 1 */
const BEACON_SLOT = hexToBytes('0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50')
/** Minimal proxies of EIP-1167, and shorter ones of later tools: the code before and after the address, in hex. */
const CLONES: readonly (readonly [string, string])[] = [
  ['363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3'],
  ['3d3d3d3d363d3d37363d73', '5af43d3d93803e602a57fd5bf3'],
  ['363d3d373d3d363d7f000000000000000000000000', '5af43d82803e903d91603657fd5bf3'],
  ['365f5f375f5f365f73', '5af43d5f5f3e5f3d91602a57fd5bf3'],
]

/**
 * @param code of the account
 * @returns undefined unless the account is a proxy of a known kind
 */
export function proxyTarget(
  address: Uint8Array,
  code: Uint8Array,
  state: Pick<StateReader, 'getStorage'>,
): ProxyTarget | undefined {
  const clone = cloneTarget(code)
  if (clone !== undefined) return { kind: 'implementation', address: clone }
  for (const slot of IMPLEMENTATION_SLOTS) {
    const found = addressIn(state.getStorage(address, slot))
    if (found !== undefined) return { kind: 'implementation', address: found }
  }
  const beacon = addressIn(state.getStorage(address, BEACON_SLOT))
  return beacon && { kind: 'beacon', address: beacon }
}

function cloneTarget(code: Uint8Array): Uint8Array | undefined {
  if (code.length > 64) return undefined
  const hex = bytesToHexUnprefixed(code)
  for (const [before, after] of CLONES) {
    const isClone = hex.length === before.length + 2 * ADDRESS_BYTES + after.length
    if (isClone && hex.startsWith(before) && hex.endsWith(after)) {
      return code.slice(before.length / 2, before.length / 2 + ADDRESS_BYTES)
    }
  }
  return undefined
}

/** @param word 32 bytes @returns undefined for zero, and for a word that is no address */
function addressIn(word: Uint8Array): Uint8Array | undefined {
  const address = word.subarray(word.length - ADDRESS_BYTES)
  const isAddress = isZeroBytes(word.subarray(0, word.length - ADDRESS_BYTES)) && !isZeroBytes(address)
  return isAddress ? address.slice() : undefined
}
