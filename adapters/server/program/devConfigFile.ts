/**
 * The file of `--config-out`: accounts and gas settings of the dev chain, with anvil's member names.
 * @module
 */
import path from 'node:path'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { createFolder } from '../data/createFolder.ts'
import { writePrivateFile } from '../data/privateFile.ts'
import type { ServerNode } from '../serverNode.ts'

/**
 * Replaces the file. Amounts are decimal texts, in wei.
 * @throws {NodeError} CONFIG_FILE_UNWRITABLE
 */
export function writeDevConfig(file: string, { chosenGenesis }: Pick<ServerNode, 'chosenGenesis'>): void {
  const { accounts = [], wallet, genesis } = chosenGenesis
  const { baseFeePerGas = 0n, gasLimit, timestamp } = genesis.fields
  const config = {
    available_accounts: accounts.map(({ address }) => address),
    private_keys: accounts.map(({ privateKey }) => privateKey),
    wallet: wallet && { derivation_path: wallet.derivationPath, mnemonic: wallet.mnemonic },
    chain_id: String(genesis.config.chainId),
    base_fee: String(baseFeePerGas),
    gas_limit: String(gasLimit),
    genesis_timestamp: String(timestamp),
  }
  const target = path.resolve(file)
  try {
    createFolder(path.dirname(target))
    writePrivateFile(target, `${JSON.stringify(config, null, 2)}\n`)
  } catch (cause) {
    const reason = (cause as Error).message
    throw new NodeError({ code: 'CONFIG_FILE_UNWRITABLE' }, `cannot write the file of --config-out: ${reason}`, {
      cause,
    })
  }
}
