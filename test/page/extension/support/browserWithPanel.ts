/** Chromium with the extension, and its panel in a tab. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core'
import { buildExtension } from '../../../../adapters/server/build/extensionBuild.mjs'
import { type Recording, readRecording } from '../../../../src/replay/recording.ts'
import { chromiumOptions } from '../../../support/host/chromium.ts'
import { injectTestWallet } from './testWallet.ts'

export interface Inspected {
  readonly page: Page
  readonly panel: Page
}

export class BrowserWithPanel {
  readonly context: BrowserContext
  readonly #background: Worker
  readonly #folder: string

  private constructor(context: BrowserContext, background: Worker, folder: string) {
    this.context = context
    this.#background = background
    this.#folder = folder
  }

  /** @param flags further arguments of Chromium */
  static async open(flags: readonly string[] = []): Promise<BrowserWithPanel> {
    const folder = mkdtempSync(path.join(tmpdir(), 'isonode-extension-'))
    const extension = path.join(folder, 'extension')
    // Nobody can answer the question for the permission in a test.
    await buildExtension(extension, { host_permissions: ['http://127.0.0.1/*'] })
    const context = await chromium.launchPersistentContext(path.join(folder, 'profile'), {
      ...chromiumOptions([...flags, `--disable-extensions-except=${extension}`, `--load-extension=${extension}`]),
      ignoreDefaultArgs: ['--disable-extensions'],
    })
    const background = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    await context.addInitScript(injectTestWallet)
    return new BrowserWithPanel(context, background, folder)
  }

  /** Folder of the profile. */
  get profile(): string {
    return path.join(this.#folder, 'profile')
  }

  /** `chrome-extension://…` */
  get origin(): string {
    return `chrome-extension://${new URL(this.#background.url()).host}`
  }

  async close(): Promise<void> {
    await this.context.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Opens a page, and the panel that records it. The page was loaded before the panel. */
  async inspect(url: string): Promise<Inspected> {
    const page = await this.context.newPage()
    await page.goto(url)
    const tab = await this.#tabOf(url)
    const panel = await this.context.newPage()
    await panel.goto(this.#own(`panel.html?${new URLSearchParams({ tab: String(tab), url })}`))
    const start = panel.getByRole('button', { name: 'Record the wallets of this site' })
    const pause = panel.getByRole('button', { name: 'Pause' })
    // All ports of a host are one site, which may be recorded already.
    await start.or(pause).waitFor()
    if (await start.isVisible()) await start.click()
    await pause.waitFor()
    return { page, panel }
  }

  #own(name: string): string {
    return new URL(name, this.#background.url()).href
  }

  #tabOf(url: string): Promise<number> {
    return this.#background.evaluate(async (wanted) => {
      const { tabs } = (globalThis as unknown as { chrome: TabsApi }).chrome
      const tab = (await tabs.query({})).find((each) => each.url === wanted)
      if (tab === undefined) throw new Error(`no tab has the address ${wanted}`)
      return tab.id
    }, url)
  }
}

interface TabsApi {
  readonly tabs: { query(filter: object): Promise<readonly { readonly id: number; readonly url?: string }[]> }
}

/** Saves the recording as a reader does. */
export async function savedRecording(panel: Page): Promise<Recording> {
  const [download] = await Promise.all([
    panel.waitForEvent('download'),
    panel.getByRole('button', { name: 'Save' }).click(),
  ])
  return readRecording(readFileSync(await download.path(), 'utf8'))
}
