/** The Firefox of the machine, and how tests start it: by WebDriver BiDi. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { TestOptions } from 'vitest'
import { needsTool } from './needs.ts'
import type { Tab, TabOpener } from './tab.ts'
import { installedTools } from './tools.ts'

const FIREFOX = process.env['ISONODE_FIREFOX'] ?? '/usr/bin/firefox-esr'
const DRIVER = installedTools('puppeteer/node_modules/puppeteer-core/package.json')

export const needsFirefox: TestOptions = needsTool(
  'Firefox with its driver',
  (existsSync(FIREFOX) && DRIVER !== undefined) || process.env['CI'] !== undefined,
)

export interface FirefoxTab extends Tab {
  evaluateOnNewDocument(work: () => void): Promise<unknown>
  on(event: 'console', listen: (message: { type(): string; text(): string }) => void): unknown
  on(event: 'pageerror', listen: (error: unknown) => void): unknown
  setViewport(size: { width: number; height: number }): Promise<void>
}

export interface FirefoxContext extends TabOpener<FirefoxTab> {
  close(): Promise<void>
}

export interface Firefox extends TabOpener<FirefoxTab> {
  /** Tabs that see nothing of what others store. */
  createBrowserContext(): Promise<FirefoxContext>
  process(): ChildProcess | null
  close(): Promise<void>
}

interface Driver {
  launch(options: object): Promise<Firefox>
}

/**
 * @param profile folder of what the browser stores; undefined: a new one
 * @param preferences by the names of about:config
 */
export async function launchFirefox(
  profile?: string,
  preferences: Readonly<Record<string, unknown>> = {},
): Promise<Firefox> {
  const file = createRequire(DRIVER as string).resolve('puppeteer-core')
  const { default: driver } = (await import(pathToFileURL(file).href)) as { default: Driver }
  const options = { headless: true, userDataDir: profile, extraPrefsFirefox: preferences }
  return driver.launch({ browser: 'firefox', executablePath: FIREFOX, ...options })
}

/** Ends the browser without notice. */
export async function killFirefox(browser: Firefox): Promise<void> {
  const child = browser.process()
  if (child === null) throw new Error('the browser has no process')
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
}
