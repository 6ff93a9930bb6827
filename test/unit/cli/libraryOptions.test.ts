import { describe, expect, it } from 'vitest'
import type { StartOptions } from '../../../mod.ts'
import { type LibraryLine, libraryFlags, libraryLine, type OwnProperties } from '../../../src/cli/libraryOptions.ts'
import { DEV_FORKS } from '../../../src/config/devGenesis.ts'
import { defaultOptions, OPTIONS, type OptionTable } from '../../../src/config/options.ts'

const OWN: OwnProperties = {
  listen: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
}

function read(given: StartOptions, isListening = true): LibraryLine {
  return libraryLine(given, { kind: 'server', ownProperties: OWN, isListening })
}

function errorOf(given: object, kind: 'server' | 'page' = 'server'): string {
  try {
    libraryLine(given, { kind, ownProperties: OWN, isListening: kind === 'server' })
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_OPTION' })
    return (error as Error).message
  }
  throw new Error(`accepted: ${JSON.stringify(given)}`)
}

describe('options of the library', () => {
  it('have the defaults of the command line, except for data in memory, a free port, and no explorer', () => {
    const { options, warnings } = read({})
    const changed = { ephemeral: true, 'rpc-http-enabled': true, 'rpc-ws-enabled': true, 'rpc-http-port': 0 }
    expect(options).toEqual({ ...defaultOptions(true), ...changed, 'graphql-http-port': 0, ui: false })
    expect(warnings).toEqual([])
    const unserved = read({ network: 'mainnet', dataPath: '/data' }, false).options
    expect(unserved).toEqual({
      ...defaultOptions(false),
      network: 'MAINNET',
      'data-path': '/data',
      'rpc-http-enabled': false,
      'rpc-ws-enabled': false,
      'rpc-http-port': 0,
      'graphql-http-port': 0,
      'p2p-enabled': false,
    })
  })

  it('take values of each type, and flags', () => {
    const { options, given } = read({
      dev: true,
      port: 1,
      api: ['ETH', 'NET'],
      corsOrigins: ['all'],
      blockTime: 1.5,
      hardfork: 'spuriousDragon',
      logLevel: 'debug',
      balance: '0.5',
      flags: {
        rpcWsApi: ['ETH', 'WEB3'],
        minGasPrice: 10n ** 20n,
        targetGasLimit: '0x1000',
        rpcProfile: 'besu',
        identity: undefined,
      },
    })
    expect(options).toMatchObject({
      'rpc-http-port': 1,
      'rpc-http-api': ['ETH', 'NET'],
      'rpc-ws-api': ['ETH', 'WEB3'],
      'rpc-http-cors-origins': ['all'],
      'graphql-http-cors-origins': ['all'],
      'dev-block-time': 1.5,
      'dev-fork': 'SPURIOUS_DRAGON',
      'min-gas-price': 10n ** 20n,
      'target-gas-limit': 4096n,
      'rpc-profile': 'besu',
      logging: 'DEBUG',
      balance: 5n * 10n ** 17n,
    })
    expect(given.has('identity')).toBe(false)
    expect(read({ mining: false }).options['no-mining']).toBe(true)
    expect(read({ mining: true }).options['no-mining']).toBe(false)
  })

  it('take the content of a genesis file as text or parsed', () => {
    expect(read({ genesis: '{"config":{}}' })).toMatchObject({ genesisText: '{"config":{}}', isDev: false })
    expect(read({ genesis: { config: {} }, dev: true })).toMatchObject({ genesisText: '{"config":{}}', isDev: true })
  })

  it.each<[object, string]>([
    [{ prot: 1 }, "Unknown option: 'prot'. Did you mean 'port'?"],
    [{ lisen: false }, "Unknown option: 'lisen'. Did you mean 'listen'?"],
    [{ xyzzy: 1 }, "Unknown option: 'xyzzy'"],
    [{ 'rpc-http-port': 1 }, "Unknown option: 'rpc-http-port'. Did you mean 'port'?"],
    [{ rpcHttpPort: 1 }, "Unknown option: 'rpcHttpPort'. Did you mean 'port'?"],
    [{ noMining: true }, "Unknown option: 'noMining'. Did you mean 'mining'?"],
    [{ rpcProfile: 'geth' }, "Unknown option: 'rpcProfile'. It is one of the flags: { flags: { rpcProfile: … } }"],
    [{ rpcProfil: 'geth' }, "Unknown option: 'rpcProfil'. Did you mean 'flags.rpcProfile'?"],
    [{ flags: { port: 1 } }, "Unknown option: 'flags.port'. Write 'port' beside 'flags'"],
    [{ flags: { chainid: 1 } }, "Unknown option: 'flags.chainid'"],
    [{ flags: { minGasprice: 1 } }, "Unknown option: 'flags.minGasprice'. Did you mean 'flags.minGasPrice'?"],
    [{ flags: 1 }, "Option 'flags': expected an object, got 1"],
    [{ listen: 'no' }, "Invalid value for option 'listen': no is not true or false"],
    [{ genesis: 1 }, "Option 'genesis': expected a text or an object, got 1"],
    [{ genesis: '{}', genesisFile: 'x' }, "'genesisFile' and 'genesis' are the same option: pass only one"],
    [{ port: 'x' }, "Invalid value for option 'port': 'x' is not an integer"],
    [{ port: {} }, "Invalid value for option 'port': an object is not an integer"],
    [{ port: 70000 }, "Invalid value for option 'port': 70000 is above 65535"],
    [{ port: null }, "Invalid value for option 'port': null is not an integer"],
    [{ flags: { minGasPrice: 1e21 } }, "Invalid value for option 'minGasPrice': '1e+21' is not an unsigned integer"],
    [{ dev: 1 }, "Invalid value for option 'dev': '1' is not 'true' or 'false'"],
    [{ dataPath: 5 }, "Invalid value for option 'dataPath': 5 is not a text"],
    [{ api: [1] }, "Invalid value for option 'api': an array is not a list of texts"],
    [{ api: ['FOO'] }, "Invalid value for option 'api': invalid entries found [FOO]"],
    [{ flags: { minerCoinbase: '0x1' } }, "Invalid value for option 'minerCoinbase': '0x1' is not an address"],
    [{ help: true }, "Option 'help' is for the command line only"],
    [{ rpcHttpEnabled: true }, "Option 'rpcHttpEnabled' is for the command line only: use 'listen'"],
    [{ flags: { dataStorageFormat: 'BONSAI' } }, 'BONSAI is not supported'],
    [{ network: 'mainnet', blockTime: 1 }, 'blockTime applies only to the dev chain'],
  ])('refuse %o', (given, message) => {
    expect(errorOf(given)).toContain(message)
  })

  it('of pages are those of the dev chain and its log', () => {
    expect(errorOf({ port: 1 }, 'page')).toBe("Unknown option: 'port'")
    expect(errorOf({ flags: {} }, 'page')).toBe("Unknown option: 'flags'")
    expect(errorOf({ chainid: 1 }, 'page')).toBe("Unknown option: 'chainid'. Did you mean 'chainId'?")
  })

  it('never mention the form of the command line', () => {
    expect(errorOf({ dev: true, network: 'mainnet' })).not.toContain('--')
  })

  it('name every hard fork', () => {
    const names = DEV_FORKS.map((fork) =>
      fork.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    )
    for (const name of names) expect(read({ hardfork: name as 'osaka' }).options['dev-fork']).toBeDefined()
  })

  it('reach every implemented row of the table', () => {
    const flags = libraryFlags()
    expect(flags.has('rpcProfile')).toBe(true)
    expect(flags.has('devBlockTime')).toBe(false)
    for (const [name, { later }] of Object.entries(OPTIONS as OptionTable)) {
      const camelCase = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
      if (later !== undefined) expect(flags.has(camelCase)).toBe(false)
    }
  })
})
