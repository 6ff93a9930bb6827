import { describe, expect, it } from 'vitest'
import { type LibraryOptions, libraryLine, libraryOptionNames } from '../../../src/cli/libraryOptions.ts'
import { defaultOptions, OPTIONS, type OptionTable } from '../../../src/config/options.ts'

function errorOf(given: object, isListening = true): string {
  try {
    libraryLine(given as LibraryOptions, isListening)
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_OPTION' })
    return (error as Error).message
  }
  throw new Error(`accepted: ${JSON.stringify(given)}`)
}

describe('options of the library', () => {
  it('have the defaults of the command line, except that data stay in memory and the node listens', () => {
    const { options, warnings } = libraryLine({}, true)
    const expected = { ...defaultOptions(true), ephemeral: true, 'rpc-http-enabled': true, 'rpc-ws-enabled': true }
    expect(options).toEqual(expected)
    expect(warnings).toEqual([])
    const silent = libraryLine({ network: 'mainnet', dataPath: '/data' }, false).options
    expect(silent).toEqual({
      ...defaultOptions(false),
      network: 'MAINNET',
      'data-path': '/data',
      'rpc-http-enabled': false,
      'rpc-ws-enabled': false,
      'p2p-enabled': false,
    })
  })

  it('take camel-case names, aliases and values of each type', () => {
    const { options, given } = libraryLine(
      {
        dev: true,
        port: 0,
        rpcHttpApi: ['ETH', 'NET'],
        rpcWsApi: 'ETH,WEB3',
        blockTime: 1.5,
        minGasPrice: 10n ** 20n,
        targetGasLimit: '0x1000',
        rpcProfile: 'besu',
        logging: 'debug',
        identity: undefined,
      },
      true,
    )
    expect(options).toMatchObject({
      'rpc-http-port': 0,
      'rpc-http-api': ['ETH', 'NET'],
      'rpc-ws-api': ['ETH', 'WEB3'],
      'dev-block-time': 1.5,
      'min-gas-price': 10n ** 20n,
      'target-gas-limit': 4096n,
      'rpc-profile': 'besu',
      logging: 'DEBUG',
    })
    expect(given.has('rpc-http-port')).toBe(true)
    expect(given.has('identity')).toBe(false)
  })

  it.each<[object, string]>([
    [{ prot: 1 }, "Unknown option: 'prot'. Did you mean 'port'?"],
    [{ xyzzy: 1 }, "Unknown option: 'xyzzy'"],
    [{ 'rpc-http-port': 1 }, "Unknown option: 'rpc-http-port'. Did you mean 'rpcHttpPort'?"],
    [{ port: 'x' }, "Invalid value for option 'port': 'x' is not an integer"],
    [{ port: {} }, "Invalid value for option 'port': an object is not an integer"],
    [{ port: 70000 }, "Invalid value for option 'port': 70000 is above 65535"],
    [{ rpcHttpPort: null }, "Invalid value for option 'rpcHttpPort': null is not an integer"],
    [{ minGasPrice: 1e21 }, "Invalid value for option 'minGasPrice': '1e+21' is not an unsigned integer"],
    [{ rpcHttpPort: 1, port: 2 }, "Options 'rpcHttpPort' and 'port' are the same: give one of them"],
    [{ dev: 1 }, "Invalid value for option 'dev': '1' is not 'true' or 'false'"],
    [{ dataPath: 5 }, "Invalid value for option 'dataPath': 5 is not a text"],
    [{ rpcHttpApi: [1] }, "Invalid value for option 'rpcHttpApi': an array is not a list of texts"],
    [{ rpcHttpApi: ['FOO'] }, "Invalid value for option 'rpcHttpApi': invalid entries found [FOO]"],
    [{ minerCoinbase: '0x1' }, "Invalid value for option 'minerCoinbase': '0x1' is not an address"],
    [{ help: true }, "Option 'help' is for the command line only"],
    [{ rpcHttpEnabled: true }, "Option 'rpcHttpEnabled' is for the command line only: use 'listen'"],
    [{ pruningEnabled: true }, "Option 'pruningEnabled' is not supported"],
    [{ network: 'mainnet', blockTime: 1 }, 'blockTime applies only to the dev chain'],
  ])('refuse %o', (given, message) => {
    expect(errorOf(given)).toContain(message)
  })

  it('never mention the form of the command line', () => {
    expect(errorOf({ dev: true, network: 'mainnet' })).not.toContain('--')
  })

  it('are the implemented rows of the table', () => {
    const names = libraryOptionNames()
    expect(names).toContain('devBlockTime')
    expect(names).toContain('blockTime')
    expect(names).not.toContain('b')
    for (const [name, { later }] of Object.entries(OPTIONS as OptionTable)) {
      const camelCase = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
      if (later !== undefined) expect(names).not.toContain(camelCase)
    }
  })
})
