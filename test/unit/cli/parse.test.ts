import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { MIN_MEMORY_BYTES } from '../../../src/base/limits/memoryShares.ts'
import { parseCommandLine } from '../../../src/cli/parse.ts'
import { hasWebSocketPort } from '../../../src/cli/rules.ts'
import { OPTIONS, type OptionSpec } from '../../../src/config/options.ts'

type Environment = Record<string, string>

function parse(argv: string[], environment: Environment = {}, files: Record<string, string> = {}) {
  return parseCommandLine({ argv, environment, readText: (path) => files[path] })
}

function node(argv: string[], environment: Environment = {}, files: Record<string, string> = {}) {
  const line = parse(argv, environment, files)
  if (line.kind !== 'node') throw new Error(`not a node: ${JSON.stringify(line)}`)
  return line
}

/** The message without the line that says where help is. */
function errorOf(argv: string[], environment: Environment = {}, files: Record<string, string> = {}): string {
  const line = parse(argv, environment, files)
  if (line.kind !== 'error') throw new Error(`no error: ${line.kind}`)
  return line.message.replace(/\nHelp: .*$/, '')
}

describe('an error', () => {
  it.each([
    ['--rpc-http-port=x', 'http'],
    ['--rpc-http-prt=1', 'http'],
    ['--miner-coinbase=x', 'mining'],
  ])('of %s is followed by the help of its group', (word, group) => {
    const line = parse([word])
    expect(line.kind === 'error' && line.message.split('\n')[1]).toBe(`Help: isonode --help=${group}`)
    expect(parse([`--help=${group}`]).kind).toBe('print')
  })

  it('without an option is followed by the way to the help', () => {
    const line = parse(['blcoks'])
    expect(line.kind === 'error' && line.message.split('\n')[1]).toBe('Help: isonode --help')
  })
})

describe('verbosity', () => {
  it("takes anvil's short options; -v alone prints the version", () => {
    for (const word of ['-vv', '-vvv', '-vvvv', '-vvvvv']) expect(node([word]).options.verbose).toBe(true)
    expect(parse(['-v']).kind).toBe('version')
    expect(node(['-q']).options.quiet).toBe(true)
  })

  it('refuses contradictory levels', () => {
    expect(errorOf(['--silent', '--verbose'])).toMatch(/--silent option and --verbose option can't be used/)
    expect(errorOf(['--quiet', '--silent'])).toMatch(/--silent option and --quiet option can't be used/)
    expect(node(['--quiet', '--silent=false']).options.quiet).toBe(true)
  })
})

describe('predeployed contracts', () => {
  it('may name the source of code that is not part of the package', () => {
    const { options } = node(['--predeploys=WETH,EntryPoint=Artifacts/EntryPoint.json', '--predeploys=createx=a=b'])
    expect(options.predeploys).toEqual(['weth', 'entrypoint=Artifacts/EntryPoint.json', 'createx=a=b'])
  })

  it.each(['weth=file.json', 'createx=', 'none=1', '=file.json', 'entrypoint-0.9'])('may not be %s', (item) => {
    expect(errorOf([`--predeploys=${item}`])).toMatch(/^Invalid value for option '--predeploys': .*createx, none\]/)
  })
})

describe('sources', () => {
  it('uses defaults for absent options', () => {
    const { options, given } = node(['--network=mainnet'])
    expect(options['rpc-http-port']).toBe(8545)
    expect(options['rpc-http-api']).toEqual(['ETH', 'NET', 'WEB3'])
    expect(options['min-gas-price']).toBe(1000n)
    expect(options['data-path']).toBeUndefined()
    expect([...given]).toEqual(['network'])
  })

  it("uses the dev chain's own defaults", () => {
    const { options } = node([])
    expect(options).toMatchObject({ 'rpc-http-api': ['ALL'], 'rpc-profile': 'geth', 'data-durability': 'process' })
    expect(options).toMatchObject({ 'min-gas-price': 0n, 'rpc-tx-feecap': 0n, 'tx-pool-max-size': 32_768 })
    expect(node(['--min-gas-price=5']).options['min-gas-price']).toBe(5n)
  })

  it('serves HTTP on the dev chain by default', () => {
    expect(node([]).options['rpc-http-enabled']).toBe(true)
    expect(node(['--dev', '--rpc-http-enabled=false']).options['rpc-http-enabled']).toBe(false)
    expect(node(['--network=Mainnet']).options['rpc-http-enabled']).toBe(false)
    expect(node(['--genesis-file=g']).options['rpc-http-enabled']).toBe(false)
    expect(node(['--rpc-http-port=1']).warnings).toEqual([])
  })

  it('accepts network names in any case', () => {
    expect(node(['--network=future_eips']).options.network).toBe('FUTURE_EIPS')
  })

  it('prefers the command line to the environment, the environment to TOML', () => {
    const files = { 'c.toml': 'rpc-http-port = 1\nrpc-http-host = "a"\nidentity = "toml"' }
    const environment = { ISONODE_RPC_HTTP_PORT: '2', ISONODE_RPC_HTTP_HOST: 'b' }
    const { options } = node(['--config-file=c.toml', '--rpc-http-port=3'], environment, files)
    expect(options['rpc-http-port']).toBe(3)
    expect(options['rpc-http-host']).toBe('b')
    expect(options.identity).toBe('toml')
  })

  it("reads Besu's environment names with lower priority than its own", () => {
    expect(node([], { BESU_RPC_HTTP_PORT: '5' }).options['rpc-http-port']).toBe(5)
    expect(node([], { BESU_RPC_HTTP_PORT: '5', ISONODE_RPC_HTTP_PORT: '6' }).options['rpc-http-port']).toBe(6)
  })

  it('accepts the TOML file from the environment, but not from both', () => {
    expect(node([], { ISONODE_CONFIG_FILE: 'c' }, { c: 'identity="x"' }).options.identity).toBe('x')
    expect(errorOf(['--config-file=c'], { ISONODE_CONFIG_FILE: 'c' }, { c: 'identity="x"' })).toMatch(/both/)
  })

  it('accepts both forms of values, lists, aliases and booleans without a value', () => {
    const { options } = node([
      '--rpc-http-enabled',
      '--rpc-http-apis',
      'ETH,DEBUG',
      '--host-whitelist=a',
      '-l',
      'debug',
    ])
    expect(options['rpc-http-enabled']).toBe(true)
    expect(options['rpc-http-api']).toEqual(['ETH', 'DEBUG'])
    expect(options['host-allowlist']).toEqual(['a'])
    expect(options.logging).toBe('DEBUG')
    expect(node(['--p2p-enabled=false']).options['p2p-enabled']).toBe(false)
    expect(node(['--rpc-http-api=ETH', '--rpc-http-api=NET']).options['rpc-http-api']).toEqual(['ETH', 'NET'])
    expect(node([], {}, {}).options['evm-cross-check']).toBe(false)
  })
})

describe('errors', () => {
  const cases: [string[], RegExp | string][] = [
    [['--no-such-option=1'], "Unknown option: '--no-such-option'"],
    [['--no-such-flag'], "Unknown option: '--no-such-flag'"],
    [['--no-p2p-enabled'], "Unknown option: '--no-p2p-enabled': use --p2p-enabled=false."],
    [['stray'], "Unmatched argument: 'stray'"],
    [['--data-path'], "Missing required parameter for option '--data-path'"],
    [['--port'], "Missing required parameter for option '--rpc-http-port'"],
    [['--network='], "Missing required parameter for option '--network'"],
    [['--data-path', '--dev'], "Missing required parameter for option '--data-path'"],
    [
      ['--network=nonsense'],
      /^Invalid value for option '--network': expected one of \[MAINNET, .* but was 'nonsense'$/,
    ],
    [['blocks', 'export'], "Missing required option: '--to'"],
    [['password', 'hash'], "Missing required option: '--password'"],
    [['validate-config'], "Missing required option: '--config-file'"],
    [['blocks'], "Missing required subcommand of 'blocks'"],
    [['blocks', 'delete'], "Unmatched argument: 'delete'"],
    [['--rpc-http-port=abc'], "Invalid value for option '--rpc-http-port': 'abc' is not an integer"],
    [['--rpc-http-port=70000'], "Invalid value for option '--rpc-http-port': 70000 is above 65535"],
    [['--min-gas-price=-1'], /--min-gas-price/],
    [['--data-path=a', '--data-path=b'], "option '--data-path' should be specified only once"],
    [['--rpc-http-enabled=perhaps'], /--rpc-http-enabled/],
    [['--logging=LOUD'], /--logging/],
    [['--rpc-http-api=ETH,FOO'], "Invalid value for option '--rpc-http-api': invalid entries found [FOO]"],
    [
      ['--rpc-http-api=eth'],
      "Invalid value for option '--rpc-http-api': invalid entries found [eth]. Did you mean ETH?",
    ],
    [
      ['--network=dev', '--genesis-file=g'],
      /^--network option and --genesis-file option can't be used at the same time\. {2}Please/,
    ],
    [['--miner-enabled'], /^Unable to mine without a valid coinbase\./],
    [
      [
        '--miner-enabled',
        '--miner-coinbase=0x00000000000000000000000000000000000000c0',
        '--miner-stratum-enabled',
        '--miner-dag=full',
      ],
      /^--miner-dag=full cannot be combined with --miner-stratum-enabled/,
    ],
    [['--miner-stratum-enabled'], /^Unable to mine with Stratum if mining is disabled\./],
    [['--metrics-enabled', '--metrics-push-enabled'], /^--metrics-enabled option and --metrics-push-enabled option/],
    [['--rpc-http-enabled', '--rpc-http-port=30303'], /^Port number '30303' has been specified multiple times\./],
    [['--privacy-enabled', '--privacy-enclave=EMBEDDED', '--enclave-port=30303'], /^Port number '30303' has been/],
    [
      ['--rpc-http-authentication-enabled'],
      'Unable to authenticate JSON-RPC HTTP endpoint without a supplied credentials file or authentication public key file\n' +
        'Add --rpc-http-authentication-credentials-file or --rpc-http-authentication-jwt-public-key-file.',
    ],
    [
      ['--rpc-ws-authentication-enabled'],
      /^Unable to authenticate JSON-RPC WebSocket endpoint .*\nAdd --rpc-ws-authentication-credentials-file or --rpc-ws-/,
    ],
    [
      ['--privacy-enabled'],
      'Please specify Enclave public key file path to enable privacy\nAdd --privacy-public-key-file.',
    ],
    [
      ['--rpc-http-tls-enabled'],
      'Keystore file is required when TLS is enabled for JSON-RPC HTTP endpoint\nAdd --rpc-http-tls-keystore-file.',
    ],
    [
      ['--rpc-http-tls-enabled', '--rpc-http-tls-keystore-file=k', '--rpc-http-tls-client-auth-enabled'],
      /^Known-clients file must be specified or CA clients must be enabled when TLS client authentication is enabled.*\nAdd --rpc-http-tls-known-clients-file or --rpc-http-tls-ca-clients-enabled\.$/,
    ],
    [['--network=dev', '--rpc-http-enabled', '--rpc-http-tls-enabled'], /^Keystore file is required/],
    [['--network=dev', '--graphql-http-enabled', '--rpc-http-tls-enabled'], /^Keystore file is required/],
    [['--bootnodes=enode://foo@1.2.3.4:5'], /'--bootnodes': 'enode:.*node id/],
    [[`--bootnodes=enode://${'ab'.repeat(64)}@node.lan:1`], /not an enode URL.*; --Xdns-enabled allows host names/],
    [['--Xdns-enabled', '--bootnodes=enode://ab@node.lan:1'], /'--bootnodes': 'enode:.*node id/],
    [['--bootnodes=foo'], /'--bootnodes': 'foo': .*not an enode URL/],
    [['--p2p-host=foo bar'], /'--p2p-host': 'foo bar' is not a host name/],
    [['--banned-node-ids=foo'], /'--banned-node-ids': 'foo' is not a node id/],
    [['--required-block=foo'], /'--required-blocks': 'foo' is not of the form number=hash/],
    [['--required-block=1=0x12'], /'--required-blocks': '1=0x12' is not/],
    [['--permissions-nodes-contract-address=foo'], /'--permissions-nodes-contract-address': 'foo' is not an address/],
    [['--key-value-storage=foo'], /'--key-value-storage': expected one of \[LMDB, ROCKSDB, MEMORY\] .* but was 'foo'/],
    [['--key-value-storage=memory', '--data-path=x'], /--key-value-storage=MEMORY stores nothing on disk/],
    [['--mnemonic-random=12', '--mnemonic=a b c'], /--mnemonic option and --mnemonic-random option can't be used/],
    [['--mnemonic-random=twelve'], /'--mnemonic-random': 'twelve' is not an integer/],
    [['--timestamp=-1'], /'--timestamp': -1 is below 0/],
    [
      ['--timestamp=1', '--genesis-file=g.json', '--dev'],
      '--timestamp cannot be combined with --genesis-file: the file determines it.',
    ],
    [['--order=random'], /'--order': expected one of \[FEES, FIFO\]/],
    [['--order=fifo', '--network=dev'], /--order applies only to the dev chain/],
    [['blocks', 'import', '--format=JSON', '--start-time=5', 'f.json'], /^--start-time is not supported/],
    [['--engine-rpc-enabled', '--engine-rpc-port=5'], /^--engine-rpc-enabled, --engine-rpc-port are not supported/],
    [
      ['--memory-target=100000000'],
      `Invalid value for option '--memory-target': 100000000 is below ${MIN_MEMORY_BYTES}`,
    ],
    [['--pruning-enabled', '--pruning-blocks-retained=9'], /must exceed --pruning-block-confirmations/],
    [['--Xdns-update-enabled=true'], /requires dns to be enabled/],
    [['--rpc-http-tls-client-auth-enabled'], '--rpc-http-tls-client-auth-enabled needs --rpc-http-tls-enabled'],
    [['--data-storage-format=BONSAI'], /BONSAI is not supported/],
    [['--miner-coinbase=0x12'], /--miner-coinbase/],
    [['--config-file=absent'], 'Unable to read TOML configuration, file not found.'],
  ]
  it.each(cases)('%j', (argv, message) => {
    if (typeof message === 'string') expect(errorOf(argv)).toBe(message)
    else expect(errorOf(argv)).toMatch(message)
  })

  it('reports faults of a TOML file', () => {
    const at = (text: string): string => errorOf(['--config-file=c'], {}, { c: text })
    expect(at('')).toBe('Unable to read TOML configuration file c')
    expect(at('foo = 1')).toBe('Unknown option in TOML configuration file: foo')
    expect(at('foo = 1\nbar = 2')).toBe('Unknown options in TOML configuration file: foo, bar')
    expect(at('identity = ')).toMatch(/^Invalid TOML configuration: .*line 1/)
    expect(at('rpc-http-port = "x"')).toMatch(/'x' is not an integer/)
    expect(at('config-file = "other"')).toBe('Unknown option in TOML configuration file: config-file')
    expect(at('identity = "a"\nidentity = "b"')).toMatch(/^Invalid TOML configuration: .*line 2/)
    expect(at('identity = { a = 1 }')).toMatch(/identity must be a string/)
  })

  it('accepts integers of any size in a TOML file', () => {
    const files = { c: 'rpc-tx-feecap = 9000000000000000000\nrpc-http-api = ["ETH", "NET"]\np2p-enabled = false' }
    const { options } = node(['--config-file=c'], {}, files)
    expect(options['rpc-tx-feecap']).toBe(9000000000000000000n)
    expect(options['rpc-http-api']).toEqual(['ETH', 'NET'])
    expect(options['p2p-enabled']).toBe(false)
  })

  it('allows port 0 twice', () => {
    expect(node(['--rpc-http-enabled', '--rpc-http-port=0', '--p2p-port=0']).options['p2p-port']).toBe(0)
  })
})

describe('options of the dev chain', () => {
  it('are refused on other chains', () => {
    expect(errorOf(['--network=mainnet', '--block-time=5'])).toBe(
      '--dev-block-time applies only to the dev chain: remove it or --network.',
    )
    expect(errorOf(['--genesis-file=g', '--hardfork=paris'])).toBe(
      '--dev-fork applies only to the dev chain: remove it, or add --dev to mine on that genesis.',
    )
    expect(node(['-b', '2.5', '--hardfork=cancun']).options).toMatchObject({
      'dev-block-time': 2.5,
      'dev-fork': 'CANCUN',
    })
  })

  it('use short names for the address of HTTP, whose choice closes the separate WebSocket port', () => {
    const line = node(['--host=0.0.0.0', '-p', '9000'])
    expect(line.options).toMatchObject({ 'rpc-http-host': '0.0.0.0', 'rpc-http-port': 9000 })
    expect(node([], { ISONODE_PORT: '7' }).options['rpc-http-port']).toBe(7)
    const has = (...argv: string[]): boolean => {
      const { options, given } = node(argv)
      return hasWebSocketPort(options, given)
    }
    expect([has(), has('--port=9000'), has('--rpc-http-host=::'), has('--accounts=1')]).toEqual([
      true,
      false,
      false,
      true,
    ])
    expect(has('--port=9000', '--rpc-ws-port=9001')).toBe(true)
    expect(has('--port=9000', '--rpc-http-enabled=false')).toBe(true)
    expect(has('--network=dev', '--rpc-ws-enabled', '--rpc-http-enabled', '--rpc-http-port=9000')).toBe(true)
    expect(has('--network=dev', '--rpc-http-enabled', '--rpc-http-port=9000')).toBe(false)
  })

  it('may be combined with a genesis file that does not contradict them', () => {
    const { options } = node(['--dev', '--genesis-file=g', '--accounts=3', '--balance=0.25'])
    expect(options).toMatchObject({ 'rpc-http-enabled': true, accounts: 3, balance: 250_000_000_000_000_000n })
    expect(errorOf(['--dev', '--genesis-file=g', '--gas-limit=9000'])).toBe(
      '--gas-limit cannot be combined with --genesis-file: the file determines it.',
    )
    expect(node(['--dev=false', '--network=mainnet']).options['rpc-http-enabled']).toBe(false)
    expect(errorOf(['--dev', '--network=mainnet'])).toMatch(/^--dev option and --network option can't/)
    expect(errorOf(['--no-mining', '--block-time=2'])).toMatch(/^--no-mining option and --dev-block-time option can't/)
    expect(errorOf(['--allow-unlimited-gas', '--rpc-call-gas-cap=5'])).toMatch(/^--allow-unlimited-gas option and/)
  })

  it.each([
    ['--balance=-1', "'-1' is not an amount of ether with at most 18 decimals"],
    ['--balance=1.0000000000000000001', "'1.0000000000000000001' is not an amount of ether with at most 18 decimals"],
    [`--balance=${10n ** 60n}`, `${10n ** 60n} ether are 2^256 wei or more`],
    ['--accounts=1001', '1001 is above 1000'],
    ['--accounts=-1', '-1 is below 0'],
    ['--chain-id=0', '0 is below 1'],
    ['--chain-id=9007199254740992', "'9007199254740992' is not an integer"],
    ['--gas-limit=4999', '4999 is below 5000'],
    ['--gas-limit=0x8000000000000000', '9223372036854775808 is above 9223372036854775807'],
    ['--code-size-limit=0', '0 is below 1'],
  ])('have bounds: %s', (word, message) => {
    expect(errorOf([word])).toBe(`Invalid value for option '${word.split('=')[0]}': ${message}`)
  })

  it('are read from the environment and from TOML files', () => {
    const files = { c: 'chain-id = 5\nbalance = "1.5"\ngas-limit = 40000000\nno-mining = true\nmnemonic = "a b"' }
    expect(node(['--config-file=c'], {}, files).options).toMatchObject({
      'chain-id': 5,
      balance: 1_500_000_000_000_000_000n,
      'gas-limit': 40_000_000n,
      'no-mining': true,
      mnemonic: 'a b',
    })
    const environment = { ISONODE_CHAIN_ID: '6', ISONODE_AUTO_IMPERSONATE: 'true', ISONODE_BALANCE: '2' }
    expect(node([], environment).options).toMatchObject({
      'chain-id': 6,
      'auto-impersonate': true,
      balance: 2n * 10n ** 18n,
    })
  })
})

describe('commands', () => {
  it('have own options where a general one has an alias of the same name', () => {
    const argv = ['proxy', '--url=http://a', '--trust=genesis', '--port=7000', '--host=::1']
    const line = parseCommandLine({ argv, environment: {}, readText: () => undefined })
    expect(line).toMatchObject({ kind: 'command', values: { port: 7000, host: '::1', 'rpc-http-port': 8545 } })
  })

  it('finds the command between options', () => {
    const line = parse([
      '--data-path',
      'blocks',
      'blocks',
      'import',
      '--from=a,b',
      'c',
      '--skip-pow-validation-enabled',
    ])
    if (line.kind !== 'command' || line.command !== 'blocks import') throw new Error(JSON.stringify(line))
    expect(line.options['data-path']).toBe('blocks')
    expect(line.values.from).toEqual(['a', 'b'])
    expect(line.values['skip-pow-validation-enabled']).toBe(true)
    expect(line.operands).toEqual(['c'])
  })

  it('knows options of a command only with that command', () => {
    expect(errorOf(['--from=a'])).toBe("Unknown option: '--from'")
  })
})

describe('unsupported options', () => {
  const files = { 'users.toml': '', 'protect.toml': 'security-module="other"\n' }
  /** Values of options whose form is checked. */
  const VALID: Readonly<Record<string, string>> = {
    bootnodes: `enode://${'ab'.repeat(64)}@127.0.0.1:30303`,
    'banned-node-ids': 'ab'.repeat(64),
    'required-blocks': `1=0x${'ab'.repeat(32)}`,
    'permissions-nodes-contract-address': `0x${'ab'.repeat(20)}`,
    'permissions-accounts-contract-address': `0x${'ab'.repeat(20)}`,
  }
  const sample = ({ type, choices, default: usual, min = 0 }: OptionSpec): string => {
    if (type === 'boolean') return String(usual !== true)
    return type === 'choice'
      ? String(choices?.find((choice) => choice !== usual))
      : type === 'text'
        ? 'x'
        : String(Number(min) + 1)
  }
  const later = (kind: OptionSpec['later']) =>
    Object.entries(OPTIONS as Readonly<Record<string, OptionSpec>>).filter(([, spec]) => spec.later === kind)

  const given = (name: string, spec: OptionSpec): string[] => {
    const credentials = name.endsWith('authentication-enabled')
      ? [`--${name.replace('enabled', 'credentials-file')}=users.toml`]
      : []
    return [`--${name}=${sample(spec)}`, ...credentials]
  }
  const refused = later('refused')

  it.each(refused.filter(([, { needs }]) => needs !== undefined))(
    'have no effect without another: %s',
    (name, spec) => {
      const idle = `--${name} will have no effect unless --${spec.needs} is defined on the command line.`
      expect(node(given(name, spec)).warnings).toEqual([idle])
    },
  )

  const apart = refused.filter(([, { needs }]) => needs === undefined)
  it.each(apart)('refuse the start when they protect or change results: %s', (name, spec) => {
    const message = `--${name} is not supported in this version and must be removed.`
    expect(errorOf(given(name, spec), {}, files)).toBe(message)
    if (spec.default !== undefined) expect(node([`--${name}=${spec.default}`]).warnings).toEqual([])
    if (spec.type === 'boolean') expect(parse([`--${name}=false`]).kind).toBe('node')
  })

  it.each([
    ['nodes', 'node'],
    ['accounts', 'account'],
  ])('a permissioning contract for %s needs its address', (kind, subject) => {
    const enabled = `--permissions-${kind}-contract-enabled`
    expect(errorOf([enabled])).toBe(
      `No ${subject} permissioning contract address specified. Cannot enable smart contract based ${subject} permissioning: add --permissions-${kind}-contract-address.`,
    )
    expect(parse([enabled, `--permissions-${kind}-contract-address=0x${'ab'.repeat(20)}`]).kind).toBe('node')
    expect(parse(['--permissions-nodes-contract-version=3']).kind).toBe('error')
  })

  it('are also refused from the environment and a file, all in one line', () => {
    expect(errorOf([], { ISONODE_ETHSTATS: 'ws://x' })).toContain('--ethstats is not supported')
    expect(errorOf(['--config-file=protect.toml', '--ethstats=ws://x'], {}, files)).toMatch(
      /^--security-module, --ethstats are|^--ethstats, --security-module are/,
    )
  })

  const own = ['miner-stratum-enabled', 'sync-mode', 'fast-sync-min-peers']
  it.each(later('ignored').filter(([name]) => !own.includes(name) && !name.endsWith('api-methods-no-auth')))(
    'are a warning otherwise: %s',
    (name, spec) => {
      const coinbase = name === 'miner-enabled' ? [`--miner-coinbase=0x${'11'.repeat(20)}`] : []
      const { warnings } = node([`--${name}=${VALID[name] ?? sample(spec)}`, ...coinbase])
      expect(warnings).toEqual([
        spec.needs === undefined
          ? `--${name} has no effect in this version.`
          : `--${name} will have no effect unless --${spec.needs} is defined on the command line.`,
      ])
    },
  )

  it('are exactly those that are not read', () => {
    const root = path.resolve(import.meta.dirname, '../../..')
    const files = ['src', 'adapters'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(root, folder, file),
      ),
    )
    const sources = files
      .filter((file) => file.endsWith('.ts') && !/config[/]options([.]ts|[/])|cli[/]networkRules/.test(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const unread = Object.entries(OPTIONS as Readonly<Record<string, OptionSpec>>)
      .filter(([, { later: isLater, standsFor }]) => isLater === undefined && standsFor === undefined)
      .filter(([name]) => name !== 'help' && name !== 'version')
      .filter(
        ([name]) => !sources.includes(`'${name}'`) && !new RegExp(`options\\.${name}\\b|[{,] ${name}\\b`).test(sources),
      )
    expect(unread).toEqual([])
  })
})

describe('options with a value of their own', () => {
  it('take 12 words for a random mnemonic when no number is given', () => {
    expect(node(['--mnemonic-random']).options['mnemonic-random']).toBe(12)
    expect(node(['--mnemonic-random', '--order=fifo']).options['mnemonic-random']).toBe(12)
    expect(node(['--mnemonic-random=24']).options['mnemonic-random']).toBe(24)
    expect(node([]).options['mnemonic-random']).toBeUndefined()
  })

  it('accept the names of stores in any case', () => {
    expect(node(['--key-value-storage=rocksdb']).options['key-value-storage']).toBe('ROCKSDB')
    expect(node([]).options['key-value-storage']).toBe('LMDB')
  })
})

describe('warnings', () => {
  it('names options without effect', () => {
    expect(node(['--network=dev', '--rpc-http-port=1']).warnings).toEqual([
      '--rpc-http-port will have no effect unless --rpc-http-enabled is defined on the command line.',
    ])
    expect(node(['--rpc-http-enabled', '--rpc-http-port=1']).warnings).toEqual([])
  })

  it('names modes of synchronisation that are replaced by the full one', () => {
    const warnings = (...argv: string[]) => node(['--network=mainnet', ...argv]).warnings
    for (const mode of ['FAST', 'X_SNAP', 'X_CHECKPOINT']) {
      expect(warnings(`--sync-mode=${mode}`)).toEqual([
        `--sync-mode=${mode} is not supported: the node synchronises in full, and executes all blocks.`,
      ])
    }
    expect(warnings('--sync-mode=FULL')).toEqual([])
    expect(warnings('--fast-sync-min-peers=3')).toEqual([
      '--fast-sync-min-peers has no effect: the node synchronises in full, from the first peer on.',
    ])
    expect(warnings('--Xdns-enabled', '--Xdns-update-enabled=true')).toEqual([])
  })

  it('names options for peers on the dev chain, except those that switch something off', () => {
    const one = '--p2p-port has no effect on the dev chain, which has no peers.'
    expect(node(['--p2p-port=30304']).warnings).toEqual([one])
    expect(node(['--max-peers=3', '--sync-mode=FAST', '--discovery-enabled=false']).warnings).toEqual([
      '--max-peers, --sync-mode have no effect on the dev chain, which has no peers.',
    ])
    expect(node(['--p2p-enabled=false', '--network-id=5']).warnings).toEqual([])
    expect(node(['--network=mainnet', '--p2p-port=30304']).warnings).toEqual([])
  })
})

describe('an option that stands for others', () => {
  it.each([
    [['--json'], { 'logging-format': 'JSON' }],
    [['--json=false'], { 'logging-format': 'TEXT' }],
    [['--init=g.json'], { 'genesis-file': 'g.json', dev: true }],
    [['--init', 'g.json', '--dev'], { 'genesis-file': 'g.json', dev: true }],
    [['--disable-code-size-limit'], { 'code-size-limit': 2147483647 }],
    [['--disable-block-gas-limit'], { 'gas-limit': 2n ** 63n - 1n, 'allow-unlimited-gas': true }],
    [['--no-cors'], { 'rpc-http-cors-origins': ['none'], 'graphql-http-cors-origins': ['none'] }],
    [['--ipc'], { 'rpc-ipc-enabled': true, 'rpc-ipc-path': 'isonode.ipc' }],
    [['--ipc', '--order=fifo'], { 'rpc-ipc-enabled': true, 'rpc-ipc-path': 'isonode.ipc', order: 'FIFO' }],
    [['--ipc=/run/a.ipc'], { 'rpc-ipc-enabled': true, 'rpc-ipc-path': '/run/a.ipc' }],
    [['--ipc', '/run/a.ipc'], { 'rpc-ipc-enabled': true, 'rpc-ipc-path': '/run/a.ipc' }],
  ])('%j sets them', (argv, expected) => {
    expect(node(argv).options).toMatchObject(expected)
  })

  it('is read from every source', () => {
    expect(node([], { ISONODE_JSON: 'true' }).options['logging-format']).toBe('JSON')
    expect(node(['--config-file=c'], {}, { c: 'json = true' }).options['logging-format']).toBe('JSON')
  })

  it('cannot be combined with another value of them', () => {
    expect(errorOf(['--json', '--logging-format=text'])).toBe(
      '--json means --logging-format=JSON, so it cannot be combined with --logging-format=text.',
    )
    expect(errorOf(['--init=a', '--genesis-file=b'])).toMatch(/^--init means --genesis-file=a, so/)
    expect(errorOf(['--init=a', '--network=sepolia'])).toMatch(/can't be used at the same time/)
  })

  it('is refused on other chains like them', () => {
    expect(errorOf(['--network=sepolia', '--disable-code-size-limit'])).toMatch(/applies only to the dev chain/)
  })
})

describe('IPC', () => {
  it('is not combined with a protection that a socket lacks', () => {
    const key = '--rpc-http-authentication-jwt-public-key-file=k'
    for (const given of [
      ['--rpc-http-authentication-enabled', key],
      ['--rpc-ws-authentication-enabled', '--rpc-ws-authentication-jwt-public-key-file=k'],
      ['--rpc-http-tls-client-auth-enabled', '--rpc-http-tls-enabled'],
    ]) {
      expect(errorOf(['--ipc', ...given])).toContain(`--rpc-ipc-enabled option and ${given[0]} option can't be used`)
    }
    expect(node(['--ipc', key]).options['rpc-ipc-enabled']).toBe(true)
    expect(errorOf(['--rpc-ipc-enabled', '--rpc-ipc-api=NOTHING'])).toContain("option '--rpc-ipc-api'")
  })
})

describe('an option of anvil without counterpart', () => {
  it('names what helps', () => {
    expect(errorOf(['--mnemonic-seed-unsafe=5'])).toContain(': use --mnemonic with the words')
  })
})

describe('--mixed-mining', () => {
  it('needs an interval', () => {
    expect(errorOf(['--mixed-mining'])).toMatch(/^--mixed-mining needs --dev-block-time/)
    expect(node(['--mixed-mining', '-b=2']).options['mixed-mining']).toBe(true)
  })
})
