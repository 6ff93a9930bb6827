/** Pictures of the views, for the eye: no test compares them. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { Page } from 'playwright-core'

const folder = process.env['ISONODE_SCREENSHOTS']
if (folder !== undefined) mkdirSync(folder, { recursive: true })

/** Writes a picture of the whole page to the folder that `ISONODE_SCREENSHOTS` names, if it names one. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (folder === undefined) return
  const file = `${name.replaceAll(/\W+/g, '-')}.png`
  await page.screenshot({ path: path.join(folder, file), fullPage: true })
}
