/** Links of the log to the explorer. */
import { describe, expect, it } from 'vitest'
import { showsLinks } from '../../../../../adapters/server/program/terminalLinks.ts'
import { activityOutput } from '../../../../../adapters/shared/activityOutput.ts'
import type { OutputEvent } from '../../../../../adapters/shared/outputEvent.ts'
import { colorStyle, linkingStyle, plainStyle, type Style } from '../../../../../adapters/shared/style.ts'
import { callText } from '../../../../../src/activityLog/callReport.ts'
import { blockReport } from '../../../../../src/activityLog/smallReports.ts'
import type { SealedBlock } from '../../../../../src/chain/writeTask.ts'

describe('a terminal', () => {
  it.each([
    { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' },
    { TERM: 'xterm-256color', VTE_VERSION: '7402' },
    { TERM: 'xterm-256color', KONSOLE_VERSION: '230800' },
    { TERM: 'xterm-kitty' },
    { TERM: 'alacritty' },
    { WT_SESSION: '3b1c' },
  ])('that shows links: %j', (environment) => {
    expect(showsLinks(environment)).toBe(true)
  })

  it.each([
    {},
    { TERM: 'xterm-256color' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
    { TERM: 'xterm-256color', VTE_VERSION: '4600' },
    { TERM: 'dumb', WT_SESSION: '3b1c' },
    { TERM: 'screen-256color', VTE_VERSION: '7402' },
    { TERM: 'tmux-256color', TERM_PROGRAM: 'vscode' },
    { TERM: 'linux', KONSOLE_VERSION: 'x' },
  ])('that may not show links: %j', (environment) => {
    expect(showsLinks(environment)).toBe(false)
  })
})

describe('a line of the log', () => {
  const hash = new Uint8Array(32).fill(7)
  const id = `0x${'07'.repeat(32)}`
  const report = blockReport({
    block: { header: { number: 12n, gasUsed: 42_000n }, hash },
    included: [1, 2],
  } as unknown as SealedBlock)

  function written(style: Style): string {
    let text = ''
    const reportAll = (events: readonly OutputEvent[]): void => {
      for (const event of events) text += event.text?.(style) ?? ''
    }
    activityOutput({ shows: () => true, isBehind: false, reportAll }).write([report])
    return text
  }

  it('links to the explorer, around the same text', () => {
    const plain = written(plainStyle)
    const linked = written(linkingStyle(plainStyle, 'http://127.0.0.1:8545/'))
    expect(linked).toBe(plain.replace(id, `\x1b]8;;http://127.0.0.1:8545/block/${id}\x1b\\${id}\x1b]8;;\x1b\\`))
    expect(written(linkingStyle(colorStyle, 'http://x/'))).toContain(`\x1b]8;;http://x/block/${id}\x1b\\`)
    expect(written(colorStyle)).not.toContain('\x1b]8')
  })

  it('links the address at the beginning of a call', () => {
    const address = `0x${'aB'.repeat(20)}`
    const facts = {
      method: 'eth_call',
      durationMs: 1,
      failure: undefined,
      path: undefined,
      stack: undefined,
      console: [],
    }
    const text = (call: string) => callText({ ...facts, call, error: undefined }, (tone, part) => `<${tone}>${part}</>`)
    expect(text(`${address}.mint(0x${'cd'.repeat(20)})`)).toContain(`<name><address>${address}</>.mint(0xcd`)
    expect(text(`Token.mint(${address})`)).toContain(`<name>Token.mint(${address})</>`)
    expect(text(`${address}ff`)).not.toContain('<address>')
  })
})
