/** Loads the project's built modules. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * @param {string} dist the build folder
 * @param {boolean} portable without the host's hash functions and precompiles
 */
export async function loadProject(dist, portable = false) {
  const load = (name) => import(pathToFileURL(path.join(dist, 'src', name)).href)
  if (!portable) await (await load('../adapters/server/crypto/crypto.js')).installNodeCrypto()
  const [forks, addresses, precompiles, stateStore, memoryStore, ports, keccak, native, prepared] = await Promise.all([
    load('config/forks.js'),
    load('types/address.js'),
    load('evm/precompiles/addresses.js'),
    load('state/stateStore.js'),
    load('storage/memoryStore.js'),
    load('base/ports/keyValueStore.js'),
    load('base/primitives/keccak.js'),
    load('evm/loadNativeEvm.js'),
    load('evm/reference/preparedCommon.js'),
  ])
  const { createReferenceEvm } = await load('evm/reference/evm.js')
  return {
    forkRules: forks.forkRules,
    createAddress: addresses.createAddress,
    activePrecompiles: precompiles.activePrecompiles,
    StateStore: stateStore.StateStore,
    MemoryStore: memoryStore.MemoryStore,
    StoreMiss: ports.StoreMiss,
    emptyRoot: keccak.EMPTY_TRIE_ROOT,
    loadNativeEvm: native.loadNativeEvm,
    createReferenceEvm,
    prepareCommon: prepared.prepareCommon,
    ReferenceExecution: (await load('evm/reference/execution.js')).ReferenceExecution,
  }
}

/**
 * Loads the additional modules for comparing chains.
 * @param {string} dist the build folder
 */
export async function loadChainKit(dist) {
  const load = (name) => import(pathToFileURL(path.join(dist, 'src', name)).href)
  const [
    { Trie },
    { NodeCache },
    { MemoryStore },
    { keccak256 },
    { rlpEncode },
    { intrinsicGas },
    signing,
    authorization,
  ] = await Promise.all(
    [
      'trie/trie.js',
      'trie/nodeCache.js',
      'storage/memoryStore.js',
      'base/primitives/keccak.js',
      'base/primitives/rlp.js',
      'types/intrinsicGas.js',
      'base/primitives/secp256k1.js',
      'types/authorization.js',
    ].map(load),
  )
  const reader = new MemoryStore()
  /** The root of the storage with these 32-byte slots, none of which is zero. */
  const storageRoot = (slots) => {
    const trie = new Trie({ cache: new NodeCache(0), reader })
    for (const [slot, value] of slots) {
      trie.put(keccak256(slot), rlpEncode(value.subarray(value.findIndex((byte) => byte !== 0))))
    }
    return trie.rootHash()
  }
  const { publicKeyOf, publicKeyToAddress, signHash } = signing
  const { authorizationSigningHash } = authorization
  return { keccak256, storageRoot, intrinsicGas, publicKeyOf, publicKeyToAddress, signHash, authorizationSigningHash }
}
