/** The Chromium of the machine, and how tests start it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core'
import type { TestOptions } from 'vitest'
import { needsTool } from './needs.ts'

const CHROMIUM = process.env['ISONODE_CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const needsChromium: TestOptions = needsTool('Chromium', existsSync(CHROMIUM) || process.env['CI'] !== undefined)

/** @param flags in addition to those of all tests */
export function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch(chromiumOptions(flags))
}

/** For contexts with a profile on the disk. */
export function chromiumOptions(flags: readonly string[] = []): LaunchOptions {
  return { executablePath: CHROMIUM, args: [...FLAGS, ...flags] }
}

export interface ChromiumProcess {
  readonly browser: Browser
  /** Of the profile. */
  readonly context: BrowserContext
  /** Ends the browser without notice, and waits for the end of all its processes. */
  kill(): Promise<void>
}

/** Starts a browser that can be killed. @param profile its folder */
export async function startChromium(profile: string): Promise<ChromiumProcess> {
  const flags = [...FLAGS, '--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`]
  const child = spawn(CHROMIUM, [...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] })
  // All processes of the browser hold the pipe.
  const ended = once(child, 'close')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  try {
    const browser = await chromium.connectOverCDP(await debuggerAddress(child.stderr))
    const [context] = browser.contexts()
    if (context === undefined) throw new Error('the browser has no profile')
    return { browser, context, kill }
  } catch (error) {
    await kill()
    throw error
  }
}

/** Reads on to the end, so that no process of the browser waits for its output. */
function debuggerAddress(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(output)
    lines.on('line', (line) => {
      const address = /^DevTools listening on (\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    lines.once('close', () => reject(new Error('the browser ended before it listened')))
  })
}
