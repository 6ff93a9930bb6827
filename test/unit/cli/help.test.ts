import { describe, expect, it } from 'vitest'
import { COMMAND_NAMES } from '../../../src/cli/commandTable.ts'
import { helpText } from '../../../src/cli/help.ts'
import { description, findOption, namesOf, valueForm } from '../../../src/cli/optionText.ts'
import { type CommandLine, parseCommandLine } from '../../../src/cli/parse.ts'
import { COMMAND_OPTIONS, GROUPS, type GroupName, OPTIONS, type OptionTable } from '../../../src/config/options.ts'

const TABLE: OptionTable = OPTIONS

function parse(...argv: string[]): CommandLine {
  return parseCommandLine({ argv, environment: {}, readText: () => undefined })
}

function printed(...argv: string[]): string {
  const line = parse(...argv)
  if (line.kind !== 'print') throw new Error(JSON.stringify(line))
  return line.text
}

function errorOf(...argv: string[]): string {
  const line = parse(...argv)
  return line.kind === 'error' ? (line.message.split('\n')[0] as string) : line.kind
}

describe('the option table', () => {
  it('has a group for every option', () => {
    for (const [name, { group }] of Object.entries(TABLE))
      expect([name, group && group in GROUPS]).toEqual([name, true])
  })

  it('has every name and alias once', () => {
    const names = Object.entries(TABLE).flatMap(([name, { aliases = [] }]) => [name, ...aliases])
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })
})

describe('help', () => {
  it('is short by default', () => {
    const text = printed('--help')
    expect(text.split('\n').length).toBeLessThanOrEqual(76)
    for (const part of [
      '--port=N',
      '(default: 31337)',
      'blocks import',
      'backup, restore, stats',
      'isonode --help=GROUP',
    ]) {
      expect(text).toContain(part)
    }
    for (const other of [printed('help'), printed('-h'), printed('--help=true')]) expect(other).toBe(text)
  })

  it('shows each group with its units, defaults and options without effect', () => {
    const mining = printed('--help=mining')
    expect(printed('help', 'mining')).toBe(mining)
    expect(mining).toContain('  -b, --dev-block-time, --block-time=SECONDS\n')
    expect(mining.replace(/\s+/g, ' ')).toContain('result of eth_gasPrice. (default: 1000; dev chain: 0)')
    const [working, later] = printed('--help=p2p').split('\nAccepted without effect:\n')
    expect(working).not.toContain('--sync-mode')
    expect(later).toContain('  --sync-mode')
    expect(printed('--help=accounts')).toContain('(default: 10000)')
    for (const group of Object.keys(GROUPS)) expect(printed(`--help=${group}`)).not.toBe('')
  })

  it('shows everything on one page', () => {
    const all = printed('--help=all')
    for (const [name, { hidden }] of Object.entries(TABLE)) {
      if (hidden !== true) expect(all).toContain(`--${name}`)
    }
    expect(all).not.toContain('MAX_')
    expect(printed('--help=compatibility')).toContain('--sync-mode')
  })

  it('shows commands', () => {
    const text = printed('help', 'blocks', 'import')
    expect(text).toMatch(/^Usage: isonode \[OPTIONS\] blocks import \[COMMAND OPTIONS\] \[FILE...\]\n/)
    expect(printed('blocks', 'import', '--help')).toBe(text)
    expect(printed('help', 'blocks')).toContain('blocks export')
    for (const name of COMMAND_NAMES) {
      for (const option of Object.keys(COMMAND_OPTIONS[name]))
        expect(printed('help', ...name.split(' '))).toContain(`--${option}`)
    }
    expect(printed('help', 'completion')).toContain('bash|zsh|fish')
    expect(printed('help', 'chain-id')).toContain('--chain-id=N')
  })

  it('suggests a topic', () => {
    expect(errorOf('help', 'mineing')).toBe("No help topic 'mineing'. Did you mean mining?")
    expect(errorOf('--help=blocks imprt')).toBe("No help topic 'blocks imprt'. Did you mean blocks import?")
  })

  it.each([undefined, 80, 60, 40, 200])('fits into %s columns', (columns) => {
    const width = Math.max(columns ?? 80, 40)
    for (const topic of [...Object.keys(GROUPS), 'all', ''] as (GroupName | 'all' | '')[]) {
      for (const line of helpText(topic === '' ? [] : [topic], columns).split('\n')) {
        // Single words cannot be broken.
        if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(width)
      }
    }
  })

  it('describes values in words', () => {
    const of = (name: string): string[] => {
      const { spec, name: main } = findOption(TABLE, name) ?? { spec: { type: 'text', help: '' } as const, name }
      return [`${namesOf(main, spec).join(', ')}${valueForm(spec)}`, description(spec)]
    }
    expect(of('p')[0]).toBe('-p, --rpc-http-port, --port=N')
    expect(of('data-durability')).toEqual([
      '--data-durability=power|process',
      'Committed blocks survive a power failure, or only a killed program. (default: power; dev chain: process)',
    ])
    expect(of('rpc-ws-enabled')[1]).toMatch(/ \(default: dev chain: on\)$/)
    expect(of('balance')[0]).toBe('--balance=ETHER')
    expect(of('network')[1]).toContain('One of MAINNET, GOERLI')
  })
})

describe('commands about the program', () => {
  it('print the version', () => {
    for (const words of [['version'], ['-v'], ['-V'], ['--version']]) expect(parse(...words).kind).toBe('version')
  })

  it('are not confused with values', () => {
    const line = parse('--data-path', 'version', '--identity', 'help')
    expect(line.kind === 'node' && line.options['data-path']).toBe('version')
  })
})

describe('a misspelled word', () => {
  it.each([
    [['-vvvvvv'], "Unknown option: '-vvvvvv'"],
    [['-xyz'], "Unknown option: '-xyz'"],
    [['--acounts=3'], "Unknown option: '--acounts'. Did you mean --accounts?"],
    [['--rpc-http-prot=3'], "Unknown option: '--rpc-http-prot'. Did you mean --rpc-http-port?"],
    [['--blocktime=3'], "Unknown option: '--blocktime'. Did you mean --block-time?"],
    [['--allow-origin=u'], "Unknown option: '--allow-origin': use --rpc-http-cors-origins."],
    [['hlep'], "Unmatched argument: 'hlep'. Did you mean help?"],
    [['blocks', 'imprt'], "Unmatched argument: 'imprt'. Did you mean import?"],
    [
      ['--rpc-http-api=ETHH'],
      "Invalid value for option '--rpc-http-api': invalid entries found [ETHH]. Did you mean ETH?",
    ],
    [['blocks', 'import', '--form=a'], "Unknown option: '--form'. Did you mean --from?"],
  ])('%j is followed by a suggestion', (argv, message) => {
    expect(errorOf(...argv)).toBe(message)
  })

  it('of a choice or in a file is followed by a suggestion', () => {
    expect(errorOf('--network=mainet')).toMatch(/ but was 'mainet'\. Did you mean MAINNET\?$/)
    expect(errorOf('--hardfork=cancum')).toMatch(/ but was 'cancum'\. Did you mean CANCUN\?$/)
    const line = parseCommandLine({ argv: ['--config-file=c'], environment: {}, readText: () => 'chainid = 5' })
    expect(line).toMatchObject({ message: expect.stringMatching(/: chainid\. Did you mean chain-id\?/) })
  })
})
