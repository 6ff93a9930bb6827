/** The Chromium of the machine, and how tests start it. */
import { existsSync } from 'node:fs'
import process from 'node:process'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
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
