import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis, parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { BlockSplitter } from '../../../src/types/blockSplitter.ts'
import { genesisBlock, genesisHeader } from '../../../src/types/genesisHeader.ts'
import { hashHeader } from '../../../src/types/headerCodec.ts'
import { genesisHash } from '../../support/chains/genesis.ts'
import { conformancePath, recordedPath } from '../../support/recorded/conformance.ts'

const root = recordedPath()

/** Folders with a genesis file, and the file of their blocks. */
function chains(): { folder: string; blocks: string | undefined }[] {
  const besu = readdirSync(path.join(root, 'besu')).map((name) => `besu/${name}`)
  return [...besu, 'execution-apis', 'execution-apis-cancun']
    .filter((folder) => conformancePath(folder, 'genesis.json') !== undefined)
    .map((folder) => ({
      folder,
      blocks: conformancePath(folder, 'blocks.bin') ?? conformancePath(folder, 'chain.rlp'),
    }))
}

describe('recorded genesis files', () => {
  const hashOf = (folder: string): string =>
    genesisHash(parseGenesisFile(readFileSync(recordedPath(folder, 'genesis.json'), 'utf8')))

  it.each(chains().filter(({ blocks }) => blocks !== undefined))(
    '$folder: the hash of its block file',
    ({ folder, blocks }) => {
      const [first] = new BlockSplitter().push(new Uint8Array(readFileSync(blocks as string)))
      const { header } = decodeBlock(first as Uint8Array)
      const expected = header.number === 0n ? hashHeader(header) : header.parentHash
      expect(hashOf(folder)).toBe(bytesToHex(expected))
    },
  )

  it.each(chains().filter(({ blocks }) => blocks === undefined))('$folder: is read', ({ folder }) => {
    expect(hashOf(folder)).toMatch(/^0x[0-9a-f]{64}$/)
  })
})

const BASE = { config: {}, difficulty: '0x1', gasLimit: '0x1388' }

function options(config: object) {
  return parseGenesis({ ...BASE, config }).config.options
}

function failure(json: unknown): string {
  try {
    parseGenesis(json)
  } catch (error) {
    if (isNodeError(error, 'INVALID_GENESIS')) return error.message
    throw error
  }
  return 'no error'
}

describe('genesis file', () => {
  it('accepts keys in any case at every level', () => {
    const genesis = parseGenesis({
      CONFIG: { ChainID: 7, LONDONBLOCK: 5, EthHash: {}, ETHASH: { FixedDifficulty: '0x64' } },
      Difficulty: 17,
      GASLIMIT: '6000',
      ALLOC: {
        '0x0000000000000000000000000000000000000Abc': { BALANCE: '10', Nonce: '10', CODE: '60', Storage: { 1: '2' } },
      },
    })
    expect(genesis.config.chainId).toBe(7n)
    expect(genesis.config.networkId).toBe(7n)
    expect(genesis.config.options.consensus).toEqual({ kind: 'ethash', fixedDifficulty: 100n })
    expect(genesis.fields).toMatchObject({ difficulty: 17n, gasLimit: 6000n })
    const [account] = genesis.alloc
    expect(bytesToHex(account?.address as Uint8Array)).toBe('0x0000000000000000000000000000000000000abc')
    expect(account).toMatchObject({ balance: 10n, nonce: 16n, code: Uint8Array.of(0x60) })
    expect(account?.storage.map(([slot, value]) => [slot.at(-1), value.at(-1)])).toEqual([[1, 2]])
  })

  it('keeps all digits of large numbers', () => {
    const text =
      '{"config":{"terminalTotalDifficulty":58750000000000000000000,"x":"12345678901234567890"},"difficulty":1,"gasLimit":9007199254740993}'
    const { config, fields } = parseGenesisFile(text)
    expect(config.options.terminalTotalDifficulty).toBe(58750000000000000000000n)
    expect(config.options.source['x']).toBe('12345678901234567890')
    expect(fields.gasLimit).toBe(9007199254740993n)
  })

  it('has defaults, and treats null as absent', () => {
    const { fields, alloc } = parseGenesis({ ...BASE, nonce: null, alloc: null, baseFeePerGas: null })
    expect(fields.timestamp).toBe(0n)
    expect(fields.nonce).toEqual(new Uint8Array(8))
    expect(fields.baseFeePerGas).toBeUndefined()
    expect(alloc).toEqual([])
  })

  it('accepts gasTarget for gasLimit', () => {
    expect(parseGenesis({ difficulty: 1, gasTarget: 7 }).fields.gasLimit).toBe(7n)
  })

  it('accepts long strings, with escapes and digits', () => {
    const code = 'ab'.repeat(6_000_000)
    const text = JSON.stringify({
      ...BASE,
      extraData: `0x${code}`,
      alloc: { '01': { code } },
      note: '\\"'.repeat(100_000),
    })
    const { fields, alloc } = parseGenesisFile(
      text.replace('{', '{"more":"1234567890123456789","timestamp":12345678901234567890,'),
    )
    expect([fields.extraData.length, [...alloc][0]?.code.length]).toEqual([6_000_000, 6_000_000])
    expect(fields.timestamp).toBe(12_345_678_901_234_567_890n)
  })

  it('refuses integers of more than 256 bits', () => {
    const failureOf = (balance: unknown) => failure({ ...BASE, alloc: { '01': { balance } } })
    const expected = 'Invalid genesis block configuration, balance has more than 256 bits'
    for (const balance of [`0x1${'0'.repeat(64)}`, String(2n ** 256n), '9'.repeat(1_000_000)]) {
      expect(failureOf(balance)).toBe(expected)
    }
    expect(failureOf(1e80)).toContain('balance must be a number')
    const { alloc } = parseGenesis({ ...BASE, alloc: { '01': { balance: `0x000${'f'.repeat(64)}` } } })
    expect([...alloc][0]?.balance).toBe(2n ** 256n - 1n)
  })

  it('reports faults', () => {
    const { difficulty: _, ...withoutDifficulty } = BASE
    const { gasLimit: __, ...withoutGasLimit } = BASE
    const prefix = 'Invalid genesis block configuration, '
    expect(failure(withoutDifficulty)).toBe(`${prefix}missing value for one of '[difficulty]'`)
    expect(failure(withoutGasLimit)).toBe(`${prefix}missing value for one of '[gaslimit, gastarget]'`)
    expect(failure({ ...BASE, gasLimit: 'lots' })).toBe(`${prefix}gaslimit must be a number but was 'lots'`)
    expect(failure({ ...BASE, config: { chainId: 'x' } })).toBe(`${prefix}chainid must be a number but was 'x'`)
    expect(failure({ ...BASE, config: [] })).toBe(`${prefix}config must be an object`)
    expect(failure({ ...BASE, coinbase: '0xzz' })).toBe(`${prefix}coinbase must be hexadecimal but was '0xzz'`)
    expect(failure({ ...BASE, nonce: '0x010000000000000000' })).toBe(`${prefix}nonce has 9 bytes, the maximum is 8`)
    expect(failure({ ...BASE, alloc: { xyz: {} } })).toBe(`${prefix}alloc address must be hexadecimal but was 'xyz'`)
    expect(failure([])).toBe('Unable to load genesis file. Expected a JSON object, got an array of 0')
    expect(() => parseGenesisFile('{')).toThrow('Unable to load genesis file. ')
  })
})

describe('consensus of a genesis file', () => {
  it('is read from its section', () => {
    expect(options({ clique: { period: 5, epoch: 9 } }).consensus).toEqual({
      kind: 'clique',
      periodSeconds: 5,
      epochLength: 9,
    })
    expect(options({ clique: {} }).consensus).toEqual({ kind: 'clique', periodSeconds: 15, epochLength: 30000 })
    expect(options({ qbft: { EpochLength: 3 } }).consensus).toMatchObject({
      kind: 'qbft',
      options: { epochlength: 3 },
      settings: { epochLength: 3, periodSeconds: 1 },
    })
    expect(options({ ibft2: {} }).consensus.kind).toBe('ibft2')
    expect(options({}).consensus).toEqual({ kind: 'ethash', fixedDifficulty: undefined })
  })

  it('is proof of stake from the first block if the terminal total difficulty is 0', () => {
    for (const engine of [{ ethash: {} }, { clique: {} }, {}]) {
      expect(options({ ...engine, terminalTotalDifficulty: 0 }).consensus).toEqual({ kind: 'proofOfStake' })
    }
    expect(options({ ethash: {}, terminalTotalDifficulty: 9 }).consensus.kind).toBe('ethash')
  })

  it('may change to QBFT', () => {
    const { consensus, consensusChanges } = options({ ibft: {}, qbft: { startBlock: 101 } })
    expect(consensus.kind).toBe('ibft')
    expect(consensusChanges).toMatchObject([{ block: 101n, value: { kind: 'qbft', options: { startblock: 101 } } }])
    expect(options({ qbft: { startBlock: 5 } }).consensus.kind).toBe('qbft')
  })

  it('determines the default chain id', () => {
    expect(options({}).chainId).toBe(1n)
    expect(options({ clique: {} }).chainId).toBe(4n)
  })
})

describe('fork schedule of a genesis file', () => {
  it('is sorted; at one block the later fork wins', () => {
    const { config } = parseGenesis({
      ...BASE,
      config: { londonBlock: 0, berlinBlock: 0, grayGlacierBlock: 4, istanbulBlock: 2 },
    })
    const at = (number: bigint): string => config.rulesAt({ number, timestamp: 0n, difficulty: 1n }).name
    expect([at(0n), at(2n), at(4n)]).toEqual(['london', 'istanbul', 'grayGlacier'])
  })

  it('must be in order if the order is checked', () => {
    const error = (config: object): string => failure({ ...BASE, config })
    expect(error({ daoForkBlock: 9, eip150Block: 8 })).toBe(
      "Genesis Config Error: 'TangerineWhistle' is scheduled for milestone 8 but it must be on or after milestone 9.",
    )
    expect(error({ atlantisBlock: 9, aghartaBlock: 8 })).toBe(
      "Genesis Config Error: 'Agharta' is scheduled for milestone 8 but it must be on or after milestone 9.",
    )
    expect(error({ homesteadBlock: 9, eip150Block: 8 })).toBe('no error')
  })

  it('accepts Petersburg under both of its names', () => {
    expect(options({ constantinopleFixBlock: 5 }).activations).toEqual([{ fork: 'petersburg', block: 5n }])
    expect(options({ petersburgBlock: 5, constantinopleFixBlock: 5 }).activations).toHaveLength(1)
    expect(failure({ ...BASE, config: { petersburgBlock: 5, constantinopleFixBlock: 6 } })).toBe(
      'Genesis files cannot specify both petersburgBlock and constantinopleFixBlock.',
    )
  })

  it('omits the DAO fork for chains that do not support it', () => {
    expect(options({ daoForkBlock: 3 }).daoForkBlock).toBe(3n)
    expect(options({ daoForkBlock: 3, daoForkSupport: false })).toMatchObject({ refusedForkBlock: 3n })
    expect(options({ daoForkBlock: 3, daoForkSupport: false }).daoForkBlock).toBeUndefined()
  })

  it('has blob parameters', () => {
    const entry = { target: 1, max: 2, baseFeeUpdateFraction: 3 }
    const { blobSchedule } = options({ blobSchedule: { prague: entry } })
    const expected = { target: 1n, max: 2n, baseFeeUpdateFraction: 3n }
    expect(blobSchedule?.get('cancun')).toBeUndefined()
    expect(blobSchedule?.get('prague')).toEqual(expected)
    expect(blobSchedule?.get('bpo5')).toEqual(expected)
    expect(failure({ ...BASE, config: { blobSchedule: { cancun: {} } } })).toContain(
      'blobschedule.cancun.target is missing',
    )
  })

  it('has its own limits', () => {
    expect(options({ contractSizeLimit: 2147483647, evmStackSize: 1024, zeroBaseFee: true })).toMatchObject({
      contractSizeLimit: 2147483647,
      zeroBaseFee: true,
    })
    expect(failure({ ...BASE, config: { evmStackSize: 2048 } })).toContain('evmStackSize 2048 is not supported')
    expect(failure({ ...BASE, config: { ecCurve: 'secp256r1' } })).toContain('ecCurve secp256r1 is not supported')
    expect(failure({ ...BASE, config: { isQuorum: true } })).toContain('isQuorum is not supported')
    expect(failure({ ...BASE, config: { zeroBaseFee: 'maybe' } })).toContain(
      "zerobasefee must be a boolean but was 'maybe'",
    )
  })
})

describe('header of block 0', () => {
  const at = (config: object, more: object = {}) =>
    genesisHeader(parseGenesis({ ...BASE, ...more, config }), new Uint8Array(32))

  it('has the fields of its fork', () => {
    expect(at({}).baseFeePerGas).toBeUndefined()
    expect(at({}, { baseFeePerGas: 5 }).baseFeePerGas).toBe(5n)
    expect(at({ londonBlock: 0 }).baseFeePerGas).toBe(1_000_000_000n)
    expect(at({ londonBlock: 1 }).baseFeePerGas).toBeUndefined()
    expect(at({ londonBlock: 0, shanghaiTime: 5 }).withdrawalsRoot).toBeUndefined()
    expect(at({ londonBlock: 0, shanghaiTime: 5 }, { timestamp: '0x5' }).withdrawalsRoot).toHaveLength(32)
    expect(at({ cancunTime: 0 })).toMatchObject({ blobGasUsed: 0n, excessBlobGas: 0n })
    expect(at({ cancunTime: 0 }, { excessBlobGas: '0x20000' }).excessBlobGas).toBe(131072n)
    expect(bytesToHex(at({ pragueTime: 0 }).requestsHash as Uint8Array)).toBe(
      '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })

  it('has a list of withdrawals since Shanghai', () => {
    const block = (config: object) => genesisBlock(parseGenesis({ ...BASE, config }), new Uint8Array(32))
    expect(block({}).withdrawals).toBeUndefined()
    expect(block({ shanghaiTime: 0 }).withdrawals).toEqual([])
  })

  it('can be created for the dev chain', () => {
    const genesis = parseGenesisFile(JSON.stringify(devGenesis()))
    expect(genesis.config.options.consensus.kind).toBe('proofOfStake')
    expect(genesisHash(genesis)).toMatch(/^0x[0-9a-f]{64}$/)
  })
})
