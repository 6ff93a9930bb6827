import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import type { StateRoot } from './contract.ts'

/** The initial state of every chain: no accounts. */
export const EMPTY_STATE_ROOT: StateRoot = { hash: EMPTY_TRIE_ROOT, version: 0 }
