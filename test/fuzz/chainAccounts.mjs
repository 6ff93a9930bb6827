/**
 * The accounts of a dev chain as comparable text: address → nonce, balance, hashes of code and storage. Empty fields
 * are omitted.
 * @module
 */
import { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'

const ZERO_WORD = `0x${'00'.repeat(32)}`
const EMPTY_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const PAGE = 256

const hexOf = (bytes) => `0x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
const textOf = (nonce, balance, code, storage) =>
  `nonce ${BigInt(nonce)}, balance ${BigInt(balance)}, code ${code}, storage ${storage}`

const NOTHING = textOf(0, 0, EMPTY_CODE_HASH, EMPTY_ROOT)

/**
 * Reads the accounts with eth_getProof.
 * @param {import('./devChain.mjs').DevChain} chain
 * @param {ReadonlySet<string>} [known] addresses to omit
 */
export async function accountsByProof(chain, known = new Set()) {
  const addresses = []
  for (let start = ZERO_WORD, isFirst = true; isFirst || start !== ZERO_WORD; isFirst = false) {
    const { addressMap, nextKey } = await chain.call('debug_accountRange', ['latest', 0, start, PAGE])
    addresses.push(...Object.values(addressMap).filter((address) => !known.has(address)))
    start = nextKey
  }
  const proofs = await chain.batch(addresses.map((address) => ['eth_getProof', [address, [], 'latest']]))
  return occupied(
    proofs.map(({ nonce, balance, codeHash, storageHash }, i) => [
      addresses[i],
      textOf(nonce, balance, codeHash, storageHash),
    ]),
  )
}

/**
 * Reads the accounts from a dump of anvil, because the storage roots of its proofs count zero slots.
 * @param {import('./devChain.mjs').DevChain} chain
 * @param {{ keccak256: (bytes: Uint8Array) => Uint8Array, storageRoot: (slots: [slot: Uint8Array, value: Uint8Array][])
 *   => Uint8Array }} kit
 * @param {ReadonlySet<string>} [known] addresses to omit
 */
export async function accountsByDump(chain, { keccak256, storageRoot }, known = new Set()) {
  const dump = gunzipSync(bytesOf(await chain.call('anvil_dumpState'))).toString()
  // A nonce may exceed the exact integers of a JSON number.
  const { accounts } = JSON.parse(dump.replace(/"nonce":(\d+)/g, '"nonce":"$1"'))
  const wanted = Object.entries(accounts).filter(([address]) => !known.has(address))
  return occupied(
    wanted.map(([address, { nonce, balance, code, storage }]) => {
      const slots = Object.entries(storage).filter(([, value]) => value !== ZERO_WORD)
      const root = storageRoot(slots.map((entry) => entry.map(bytesOf)))
      return [address, textOf(nonce, balance, hexOf(keccak256(bytesOf(code))), hexOf(root))]
    }),
  )
}

function occupied(entries) {
  return Object.fromEntries(entries.filter(([, text]) => text !== NOTHING))
}
