import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { enodeText, parseEnode } from '../../../src/net/p2p/enode.ts'
import { LocalRules, type LocalRulesOptions } from '../../../src/permissioning/localRules.ts'
import { codeOf } from '../../support/chains/pool.ts'
import { MemoryPermissionFiles, PERMISSIONS_FILE } from '../../support/private/permissionFiles.ts'

const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'
const node = (digit: string, port = 30303): string => `enode://${digit.repeat(128)}@192.0.2.1:${port}`
const ONE = node('1')
const TWO = node('2')

function open(text: string | undefined, options: Partial<LocalRulesOptions> = {}) {
  const files = new MemoryPermissionFiles(text)
  const changes = { count: 0 }
  const rules = new LocalRules({
    files,
    accountsPath: PERMISSIONS_FILE,
    nodesPath: PERMISSIONS_FILE,
    fixedNodes: [],
    logger: silentLogger,
    onNodesChange: () => changes.count++,
    ...options,
  })
  return {
    files,
    rules,
    changes,
    accounts: rules.accounts as NonNullable<typeof rules.accounts>,
    nodes: rules.nodes as NonNullable<typeof rules.nodes>,
  }
}

const both = (accounts: string, nodes: string): string => `accounts-allowlist=[${accounts}]\nnodes-allowlist=[${nodes}]`

describe('the start', () => {
  it.each([
    ['a file that does not exist', undefined, /Configuration file does not exist: \/data\/permissions_config.toml$/],
    ['an empty file', ' \n', /Empty TOML result/],
    ['a file that is not TOML', 'accounts-allowlist=["0x', /line 1, column/],
    ['a file without the list of nodes', 'accounts-allowlist=[]', /^nodes-allowlist config option missing in TOML/],
    ['a text in place of a list', 'accounts-allowlist="0x"\nnodes-allowlist=[]', /not an array of strings/],
    ['a number in a list', both('1', ''), /not an array of strings/],
    ['an invalid account', both('"0xfoo"', ''), /^Invalid account 0xfoo$/],
    ['an account without prefix', both(`"${A.slice(2)}"`, ''), /^Invalid account /],
    ['an invalid node', both('', '"foo"'), /^Invalid node foo/],
    ['a node with a host name', both('', `"${ONE.replace('192.0.2.1', 'localhost')}"`), /^Invalid node /],
  ])('refuses %s', (_, text, message) => {
    expect(() => open(text)).toThrow(message)
  })

  it('reads only the lists that are enabled', () => {
    const { rules } = open('accounts-allowlist=[]\nnodes-allowlist="?"', { nodesPath: undefined })
    expect(rules.nodes).toBeUndefined()
    expect(rules.accounts?.entries).toEqual([])
  })

  it('refuses a list without the boot nodes and static nodes, whatever their UDP port', () => {
    const fixedNodes = [parseEnode(`${ONE}?discport=9`), parseEnode(TWO)]
    expect(() => open(both('', `"${ONE}"`), { fixedNodes })).toThrow(
      `Specified node(s) not in nodes-allowlist [${TWO}]`,
    )
    expect(open(both('', `"${ONE}","${TWO}"`), { fixedNodes }).nodes.entries).toEqual([ONE, TWO])
  })

  it('rewrites accounts in their normal form and keeps the list of nodes', () => {
    const { files, accounts } = open(
      `# note\naccounts-allowlist=["${A.toUpperCase().replace('0X', '0x')}"]\nnodes-allowlist=["${ONE}"]\nother=1`,
    )
    expect(accounts.entries).toEqual([A])
    expect(files.text).toBe(`nodes-allowlist=["${ONE}"]\naccounts-allowlist=["${A}"]`)
  })

  it('keeps both lists of a file with the old names', () => {
    const { files } = open(`accounts-whitelist=["${A}"]\nnodes-whitelist=["${ONE}"]`)
    expect(files.text).toBe(`nodes-allowlist=["${ONE}"]\naccounts-allowlist=["${A}"]`)
  })

  it('writes nothing when the file has the normal form, or has no accounts', () => {
    expect(open(`nodes-allowlist=[]\naccounts-allowlist=["${A}"]`).files.writes).toBe(0)
    expect(open('accounts-allowlist=[]\nnodes-allowlist=[]\n').files.writes).toBe(0)
  })

  it('allows no account when the list names one twice', () => {
    const { accounts } = open(both(`"${A}","${A.toUpperCase().replace('0X', '0x')}"`, ''))
    expect(accounts.entries).toEqual([])
    expect(accounts.allows(hexToBytes(A))).toBe(false)
  })
})

describe('changes', () => {
  it('are all or nothing', () => {
    const { accounts, files } = open(both(`"${A}"`, ''))
    const before = files.text
    expect(codeOf(() => accounts.add([B, A]))).toBe('ACCOUNT_ALLOWLIST_EXISTING_ENTRY')
    expect(codeOf(() => accounts.remove([A, B]))).toBe('ACCOUNT_ALLOWLIST_ABSENT_ENTRY')
    expect([accounts.entries, files.text]).toEqual([[A], before])
  })

  it('have no effect when the file cannot be written', () => {
    const { accounts, nodes, files, changes } = open(both(`"${A}"`, `"${ONE}"`))
    const before = changes.count
    files.isReadOnly = true
    expect(codeOf(() => accounts.add([B]))).toBe('ALLOWLIST_PERSIST_FAILURE')
    expect(codeOf(() => nodes.remove([ONE]))).toBe('ALLOWLIST_PERSIST_FAILURE')
    expect([accounts.entries, nodes.entries, changes.count]).toEqual([[A], [ONE], before])
  })

  it.each(['accounts-allowlist=[]', '?', ''])('are in force but not stored in the file %j', (text) => {
    const { accounts, files } = open(both(`"${A}"`, ''))
    files.text = text
    expect(codeOf(() => accounts.remove([A]))).toBe('ALLOWLIST_FILE_SYNC')
    expect([accounts.allows(hexToBytes(A)), files.text]).toEqual([false, text])
  })

  it('do not write a list of the other kind that they cannot keep', () => {
    const { accounts, files } = open(`accounts-allowlist=["${A}"]\nnodes-allowlist=[1]`, { nodesPath: undefined })
    expect(codeOf(() => accounts.add([B]))).toBe('ALLOWLIST_FILE_SYNC')
    expect(files.text).toContain('nodes-allowlist=[1]')
  })

  it('of nodes are reported', () => {
    const { nodes, changes } = open(both('', `"${ONE}"`))
    const before = changes.count
    nodes.add([TWO])
    nodes.remove([ONE])
    expect(changes.count - before).toBe(2)
    expect(nodes.entries).toEqual([TWO])
  })

  it('to the same file by both lists keep each other', () => {
    const { accounts, nodes, files } = open(both(`"${A}"`, `"${ONE}"`))
    accounts.add([B])
    nodes.add([TWO])
    accounts.remove([A])
    expect(files.text).toBe(`nodes-allowlist=["${ONE}","${TWO}"]\naccounts-allowlist=["${B}"]`)
  })
})

describe('a reload', () => {
  it('changes nothing when one list cannot be read', () => {
    const { rules, files, accounts, nodes } = open(both(`"${A}"`, `"${ONE}"`))
    files.text = both(`"${B}"`, '"foo"')
    expect(codeOf(() => rules.reload())).toBe('ALLOWLIST_RELOAD_ERROR')
    expect([accounts.entries, nodes.entries]).toEqual([[A], [ONE]])
  })

  it('puts both lists in force', () => {
    const { rules, files, accounts, nodes, changes } = open(both(`"${A}"`, `"${ONE}"`))
    const before = changes.count
    files.text = both(`"${B}"`, `"${TWO}"`)
    rules.reload()
    expect([accounts.entries, nodes.entries, changes.count - before]).toEqual([[B], [TWO], 1])
  })
})

describe('a listed node', () => {
  const peer = { ...parseEnode(ONE) }

  it.each([
    ['another UDP port', { discoveryPort: 1 }, true],
    ['an IPv4-mapped address', { host: '::ffff:192.0.2.1' }, true],
    ['another TCP port', { port: 30304 }, false],
    ['another address', { host: '192.0.2.2' }, false],
    ['an unknown port', { port: 0 }, false],
    ['another id', { id: parseEnode(TWO).id }, false],
  ])('with %s', (_, change, isAllowed) => {
    const { nodes } = open(both('', `"${ONE}","${enodeText({ ...peer, port: 0 })}"`))
    expect(nodes.allows({ ...peer, ...change })).toBe(isAllowed)
  })
})
