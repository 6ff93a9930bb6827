/** The file of --config-out. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeDevConfig } from '../../../../../adapters/server/program/devConfigFile.ts'
import { systemRandom } from '../../../../../adapters/shared/systemPorts.ts'
import { DEV_ACCOUNTS } from '../../../../../src/config/devAccounts.ts'
import { defaultOptions } from '../../../../../src/config/options.ts'
import { newDevChain } from '../../../../../src/dev/devChainGenesis.ts'
import { newPath } from '../../../../support/host/commandChecks.ts'
import { TestClock } from '../../../../support/nodes/devNodeInMemory.ts'

async function write(file: string): Promise<void> {
  const chain = await newDevChain(defaultOptions(true), { random: systemRandom, clock: new TestClock() })
  writeDevConfig(file, { chosenGenesis: { ...chain, isDev: true, folder: 'dev' } })
}

describe('the file of --config-out', () => {
  it('holds accounts and gas settings, for its owner only', async () => {
    const file = path.join(newPath(), 'run', 'config.json')
    await write(file)
    await write(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      available_accounts: DEV_ACCOUNTS.map(({ address }) => address),
      private_keys: DEV_ACCOUNTS.map(({ privateKey }) => privateKey),
      wallet: {
        derivation_path: "m/44'/60'/0'/0",
        mnemonic: 'test test test test test test test test test test test junk',
      },
      chain_id: '31337',
      base_fee: '1000000000',
      gas_limit: '30000000',
      genesis_timestamp: String(new TestClock().seconds),
    })
  })

  it('is an error when it cannot be written', async () => {
    const file = newPath()
    writeFileSync(file, '')
    await expect(write(`${file}/config.json`)).rejects.toThrow(/^cannot write the file of --config-out: /)
  })
})
