/**
 * Checks the answer of `isonode_callWitness` and turns it into entries of a cache.
 * @module
 */
import { MAX_WITNESS_READS } from '../base/limits/limits.ts'
import type { RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, bytesToHexUnprefixed, equalBytes, trimLeadingZeros } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { accountOfProof, slotOfProof } from '../state/accountProof.ts'
import { ProofNodeSet } from '../trie/proofNodeSet.ts'
import { cacheKeys } from './cacheKeys.ts'
import { contradictedAnswer } from './errors.ts'
import { RemoteObject, readBytes } from './remoteObject.ts'
import { encodeBaseAccount } from './stateValues.ts'

export interface ProvenReads {
  /** For the sources of the fork (fork/cacheKeys.ts). */
  readonly entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]
  /** All that the entries answer. */
  readonly reads: readonly StateRead[]
  /** RLP of the nodes that prove them. */
  readonly nodes: readonly Uint8Array[]
}

/** Parts of a call's proof that were known before, and were left out of its witness. */
export interface KnownWitness {
  readonly reads: readonly StateRead[]
  /** RLP */
  readonly nodes: readonly Uint8Array[]
}

export const NOTHING_KNOWN: KnownWitness = { reads: [], nodes: [] }

/** More nodes or codes than this are no witness. */
const MAX_ITEMS = 1_000_000

/**
 * @param value the result of the method
 * @param block on whose state the call ran
 * @param known parts that the answer leaves out
 * @throws {NodeError} PROOF_INVALID with the datum that the nodes do not prove; FORK_UNAVAILABLE for an answer of another shape
 */
export function readCallWitness(value: unknown, block: RemoteBlock, known: KnownWitness = NOTHING_KNOWN): ProvenReads {
  const json = new RemoteObject(value, 'isonode_callWitness')
  const nodes = new ProofNodeSet([...known.nodes, ...nodesOf(json)])
  const codes = json.list('codes', MAX_ITEMS, (item, datum) => readBytes(item, datum))
  const found: Found = { nodes, codes: codesByHash(codes), entries: [], reads: [] }
  json.list('accessList', MAX_WITNESS_READS, (item, datum) => {
    const entry = new RemoteObject(item, datum)
    const slots = entry.list('storageKeys', MAX_WITNESS_READS, (slot, at) => readBytes(slot, at, 32))
    addAccount(found, block, { address: entry.bytes('address', 20), slots, knowsCode: known !== NOTHING_KNOWN })
  })
  for (const read of known.reads) addKnown(found, block, read)
  const { entries, reads } = found
  return { entries, reads, nodes: nodes.used }
}

/**
 * @param value the witness of a call that reads the account
 * @throws {NodeError} PROOF_INVALID unless it proves that the account does not exist
 */
export function requireAbsence(value: unknown, { stateRoot }: RemoteBlock, address: Uint8Array): void {
  const name = `account ${bytesToHex(address)}`
  const nodes = new ProofNodeSet(nodesOf(new RemoteObject(value, 'isonode_callWitness')))
  if (nodes.value(stateRoot, keccak256(address), name) === undefined) return
  throw contradictedAnswer(`eth_getProof of ${bytesToHex(address)}`, 'the account exists')
}

function nodesOf(witness: RemoteObject): Uint8Array[] {
  return witness.list('state', MAX_ITEMS, (item, datum) => readBytes(item, datum))
}

/** Reads that the call no longer makes have no proof. */
function addKnown(found: Found, block: RemoteBlock, { address, slot }: StateRead): void {
  try {
    addAccount(found, block, { address, slots: slot === undefined ? [] : [slot], knowsCode: true })
  } catch (error) {
    if (!isNodeError(error, 'PROOF_INVALID')) throw error
  }
}

interface Found {
  readonly nodes: ProofNodeSet
  readonly codes: ReadonlyMap<string, Uint8Array>
  readonly entries: (readonly [key: Uint8Array, value: Uint8Array])[]
  readonly reads: StateRead[]
}

function codesByHash(codes: readonly Uint8Array[]): Map<string, Uint8Array> {
  return new Map(codes.map((code) => [bytesToHexUnprefixed(keccak256(code)), code]))
}

interface FoundAccount {
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
  /** The code may have been left out. */
  readonly knowsCode: boolean
}

function addAccount(found: Found, { stateRoot }: RemoteBlock, { address, slots, knowsCode }: FoundAccount): void {
  const { nodes, codes, entries, reads } = found
  const name = `account ${bytesToHex(address)}`
  const rlp = nodes.value(stateRoot, keccak256(address), name)
  const account = rlp === undefined ? undefined : accountOfProof(rlp, name)
  entries.push([cacheKeys.account(stateRoot, address), encodeBaseAccount(account)])
  const { codeHash = EMPTY_CODE_HASH, storageRoot = EMPTY_TRIE_ROOT } = account ?? {}
  const code = codes.get(bytesToHexUnprefixed(codeHash))
  if (code !== undefined) entries.push([cacheKeys.code(codeHash), code])
  if (!knowsCode && code === undefined && !equalBytes(codeHash, EMPTY_CODE_HASH)) {
    throw contradictedAnswer(`code of ${name}`, `the witness lacks the code ${bytesToHex(codeHash)}`)
  }
  entries.push([cacheKeys.lastCode(address), codeHash])
  reads.push({ address })
  for (const slot of slots) {
    const leaf = nodes.value(storageRoot, keccak256(slot), `slot ${bytesToHex(slot)} of ${name}`)
    const word = slotOfProof(leaf, `slot ${bytesToHex(slot)} of ${name}`)
    if (!equalBytes(storageRoot, EMPTY_TRIE_ROOT))
      entries.push([cacheKeys.slot(storageRoot, slot), trimLeadingZeros(word)])
    reads.push({ address, slot })
  }
}
