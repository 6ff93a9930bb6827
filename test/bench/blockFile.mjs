/**
 * Builds chains of calls by the dev accounts: seals them on a dev chain in memory and writes them in the format of
 * `blocks export`.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { signRecoverable } from 'tiny-secp256k1'
import { systemClock, systemRandom, yieldToHost } from '../../dist/adapters/shared/systemPorts.js'
import { InlineRecovery } from '../../dist/src/base/ports/inlineRecovery.js'
import { KeySigner } from '../../dist/src/base/ports/keySigner.js'
import { silentLogger } from '../../dist/src/base/ports/logging.js'
import { Chain } from '../../dist/src/chain/chain.js'
import { DEV_ACCOUNTS, DEV_CHAIN_ID } from '../../dist/src/config/devGenesis.js'
import { parseGenesis } from '../../dist/src/config/genesisFile.js'
import { replaceSeal } from '../../dist/src/consensus/clique/extraData.js'
import { signCliqueHeader } from '../../dist/src/consensus/clique/seal.js'
import { createSchedule } from '../../dist/src/consensus/createSchedule.js'
import { DROP_NONCE } from '../../dist/src/consensus/signedHeader.js'
import { loadNativeEvm } from '../../dist/src/evm/loadNativeEvm.js'
import { StateStore } from '../../dist/src/state/stateStore.js'
import { MemoryStore } from '../../dist/src/storage/memoryStore.js'
import { genesisBlock } from '../../dist/src/types/genesisHeader.js'
import { signingHash, transactionHash } from '../../dist/src/types/transactionCodec.js'
import { bytes, hex } from './abi.mjs'

const GWEI = 10n ** 9n

/** Addresses in hex without prefix. */
export const accounts = DEV_ACCOUNTS.map(({ address, privateKey }) => ({
  address: address.slice(2),
  key: bytes(privateKey.slice(2)),
}))

/** Seals the blocks of chains of Clique. */
export const SIGNER = new KeySigner(accounts[0].key)

/**
 * Transaction `index` of the whole chain; the accounts take turns.
 * @param call `to` and `data` in hex without prefix
 */
function plannedTransaction(index, { to, data, gasLimit }) {
  const { address, key } = accounts[index % accounts.length]
  const unsigned = {
    type: 2,
    chainId: BigInt(DEV_CHAIN_ID),
    nonce: BigInt(Math.floor(index / accounts.length)),
    maxPriorityFeePerGas: GWEI,
    maxFeePerGas: 10n * GWEI,
    gasLimit,
    to: bytes(to),
    value: 0n,
    data: bytes(data),
    accessList: [],
    yParity: 0n,
    r: 0n,
    s: 0n,
  }
  const { signature, recoveryId } = signRecoverable(signingHash(unsigned), key)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => BigInt(`0x${hex(half)}`))
  const transaction = { ...unsigned, yParity: BigInt(recoveryId), r, s }
  return { transaction, sender: bytes(address), hash: transactionHash(transaction) }
}

async function openChain(json) {
  const { config, ...genesis } = parseGenesis(json, { networkId: BigInt(DEV_CHAIN_ID) })
  const kv = new MemoryStore()
  return Chain.open({
    kv,
    genesis: {
      alloc: genesis.alloc,
      text: JSON.stringify(json),
      block: (stateRoot) => genesisBlock({ config, ...genesis }, stateRoot),
    },
    modules: {
      config,
      states: new StateStore(kv),
      evm: await loadNativeEvm(systemClock, systemRandom),
      consensus: createSchedule(config),
      keepRevertReasons: false,
    },
    senders: new InlineRecovery({ clock: systemClock, yieldToHost }),
    clock: systemClock,
    logger: silentLogger,
  })
}

function plan({ header }, transactions) {
  let next = 0
  return {
    timestamp: header.timestamp + 12n,
    beneficiary: new Uint8Array(20),
    extraData: new Uint8Array(0),
    gasLimit: header.gasLimit,
    prevRandao: new Uint8Array(32).fill(7),
    isEmptyAllowed: false,
    transactions: {
      next: () => transactions[next],
      included: () => next++,
      refused: (_transaction, rejection) => {
        throw new Error(`a call was refused: ${JSON.stringify(rejection)}`)
      },
    },
  }
}

/** Seals the next block as the only signer of a chain of Clique. */
async function sealWithClique(chain, transactions) {
  const { address: author } = SIGNER
  const candidate = await chain.build({ ...plan(chain.head, transactions), author }, chain.head)
  const header = { ...candidate.block.header, nonce: DROP_NONCE }
  const extraData = replaceSeal(header.extraData, signCliqueHeader(header, SIGNER))
  const outcome = await chain.commit(candidate, { nonce: DROP_NONCE, extraData })
  if (outcome.kind !== 'imported') throw new Error(JSON.stringify(outcome.kind))
}

/**
 * Writes `genesis.json` and `blocks.rlp` into the folder, unless they exist.
 * @param make `genesis()` as JSON, number of `blocks`, and `calls(block)` of each block from 0 on, the same number for
 *   all; a genesis of Clique has {@link SIGNER} as its only signer
 * @returns their paths
 */
export async function writeBlockFile(folder, { genesis, blocks, calls }) {
  const genesisFile = path.join(folder, 'genesis.json')
  const blocksFile = path.join(folder, 'blocks.rlp')
  if (existsSync(blocksFile)) return { genesisFile, blocksFile }
  mkdirSync(folder, { recursive: true })
  const json = genesis()
  writeFileSync(genesisFile, JSON.stringify(json))
  const chain = await openChain(json)
  let count = 0
  for (let sealed = 0; sealed < blocks; sealed++) {
    const transactions = calls(sealed).map((call) => plannedTransaction(count++, call))
    if (json.config.clique !== undefined) {
      await sealWithClique(chain, transactions)
      continue
    }
    let isPlanned = false
    await chain.seal((parent) => {
      if (isPlanned) return undefined
      isPlanned = true
      return plan(parent, transactions)
    })
  }
  const unfinished = `${blocksFile}.part`
  writeFileSync(unfinished, Buffer.concat([...chain.exportBlocks({})]))
  renameSync(unfinished, blocksFile)
  await chain.close()
  return { genesisFile, blocksFile }
}
