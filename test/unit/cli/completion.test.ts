// slow: starts a shell for each word
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { completionScript } from '../../../src/cli/completion.ts'
import { parseCommandLine } from '../../../src/cli/parse.ts'
import { needsTool } from '../../support/host/needs.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function scriptFile(shell: string): string {
  const file = path.join(folder, shell)
  writeFileSync(file, completionScript(shell))
  return file
}

function hasShell(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0
}

it.each(['bash', 'zsh', 'fish'])('the script for %s is printed', (shell) => {
  const line = parseCommandLine({ argv: ['completion', shell], environment: {}, readText: () => undefined })
  expect(line.kind === 'print' && line.text).toContain('chain-id')
})

for (const shell of ['bash', 'zsh', 'fish']) {
  it(`the script for ${shell} has correct syntax`, needsTool(shell, hasShell(shell)), () => {
    const checked = spawnSync(shell, ['-n', scriptFile(shell)], { encoding: 'utf8' })
    expect([checked.status, checked.stderr]).toEqual([0, ''])
  })
}

it('another shell is refused', () => {
  expect(() => completionScript('fihs')).toThrow(
    "There is no completion for 'fihs': expected one of bash, zsh, fish. Did you mean fish?",
  )
  expect(() => completionScript(undefined)).toThrow('Missing shell: isonode completion bash|zsh|fish')
})

describe('in bash', needsTool('bash', hasShell('bash')), () => {
  const complete = (...words: string[]): string[] => {
    const quoted = ['isonode', ...words].map((word) => `'${word}'`).join(' ')
    const script = `source ${scriptFile('bash')}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _isonode 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    return stdout.split('\n').filter((word) => word !== '')
  }

  it.each([
    [['--acc'], ['--accounts=']],
    [['--eph'], ['--ephemeral']],
    [['--network', '=', 'ma'], ['mainnet']],
    [['--network', '='], expect.arrayContaining(['mainnet', 'future_eips'])],
    [['--network', 'ma'], ['mainnet']],
    [['--port', '='], []],
    [['bl'], ['blocks']],
    [
      ['blocks', ''],
      ['import', 'export'],
    ],
    [
      ['blocks', 'import', '--f'],
      [
        '--fail-on-revert',
        '--fork-url=',
        '--fork-block-number=',
        '--fork-transaction-hash=',
        '--fork-chain-id=',
        '--fork-header=',
        '--fork-headers=',
        '--fork-timeout=',
        '--fork-retries=',
        '--fork-retry-backoff=',
        '--fork-requests-per-second=',
        '--fork-verify=',
        '--fork-cache=',
        '--fork-cache-size=',
        '--fork-offline',
        '--fork-pack=',
        '--from=',
        '--format=',
      ],
    ],
    [['blocks', 'import', '--format', '=', 'j'], ['json']],
    [
      ['help', 'mi'],
      ['mirror', 'mining'],
    ],
    [['--help', '=', 'acc'], ['accounts']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['--genesis-file', '=', '/etc/host'], expect.arrayContaining(['/etc/hosts'])],
  ])('%j', (words, expected) => {
    expect(complete(...words)).toEqual(expected)
  })
})
