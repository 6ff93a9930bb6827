/**
 * The answer of isonode_callWitness as proven entries of a cache.
 * @module
 */
import { bytesToHex, equalBytes, trimLeadingZeros } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { accountOfProof, slotOfProof } from '../state/accountProof.ts'
import { keyToText } from '../storage/keyText.ts'
import type { ProofNode } from '../trie/proofNode.ts'
import { ProofNodeFault } from '../trie/proofNode.ts'
import { findValue, verifiedNode } from '../trie/verifyProof.ts'
import type { AccessListItem } from '../types/transaction.ts'
import { readAccessList } from './blockJson.ts'
import { cacheKeys } from './cacheKeys.ts'
import { RemoteObject, readBytes } from './remoteObject.ts'
import { encodeBaseAccount } from './stateValues.ts'

const METHOD = 'isonode_callWitness'
const MAX_ITEMS = 1_000_000

type CacheEntry = readonly [key: Uint8Array, value: Uint8Array]

/**
 * What the witness proves of the accounts and slots that it names. What it does not prove is left out.
 * @param stateRoot of the block of the call, 32 bytes
 * @throws {NodeError} FORK_UNAVAILABLE when it is malformed
 */
export function entriesOfWitness(stateRoot: Uint8Array, value: unknown): CacheEntry[] {
  const json = new RemoteObject(value, METHOD)
  const read = (name: string): Uint8Array[] => json.list(name, MAX_ITEMS, (item, datum) => readBytes(item, datum))
  const nodes = new WitnessNodes(read('state'))
  const codes = read('codes').map((code): CacheEntry => [cacheKeys.code(keccak256(code)), code])
  return [...codes, ...readAccessList(json).flatMap((item) => accountEntries(stateRoot, item, nodes))]
}

function accountEntries(
  stateRoot: Uint8Array,
  { address, storageKeys }: AccessListItem,
  nodes: WitnessNodes,
): CacheEntry[] {
  const name = `account ${bytesToHex(address)}`
  const found = nodes.value(stateRoot, keccak256(address))
  if (found === undefined) return []
  const account = found.rlp === undefined ? undefined : accountOfProof(found.rlp, name)
  const entries: CacheEntry[] = [
    [cacheKeys.account(stateRoot, address), encodeBaseAccount(account)],
    [cacheKeys.lastCode(address), account?.codeHash ?? EMPTY_CODE_HASH],
  ]
  const root = account?.storageRoot
  if (root === undefined || equalBytes(root, EMPTY_TRIE_ROOT)) return entries
  for (const slot of storageKeys) {
    const value = nodes.value(root, keccak256(slot))
    if (value === undefined) continue
    entries.push([cacheKeys.slot(root, slot), trimLeadingZeros(slotOfProof(value.rlp, `slot of ${name}`))])
  }
  return entries
}

/** Trie nodes by their hashes. */
class WitnessNodes {
  readonly #rlp: ReadonlyMap<string, Uint8Array>

  constructor(nodes: readonly Uint8Array[]) {
    this.#rlp = new Map(nodes.map((node) => [keyToText(keccak256(node)), node]))
  }

  /** @returns undefined when nodes are missing or wrong; undefined in it: the key is proven to be absent */
  value(root: Uint8Array, key: Uint8Array): { readonly rlp: Uint8Array | undefined } | undefined {
    try {
      return { rlp: findValue(root, key, (hash) => this.#take(hash, hash === root)) }
    } catch (error) {
      if (error instanceof ProofNodeFault || isNodeError(error, 'PROOF_INVALID')) return undefined
      throw error
    }
  }

  #take(hash: Uint8Array, isRoot: boolean): ProofNode {
    const rlp = this.#rlp.get(keyToText(hash))
    if (rlp === undefined) throw new ProofNodeFault('is missing')
    return verifiedNode(hash, rlp, isRoot)
  }
}
