import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'
import { preview } from 'vite'

const server = await preview({ preview: { host: '127.0.0.1', port: 0 } })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  const page = await browser.newPage()
  const jarHas = (ether) => page.locator('#balance', { hasText: new RegExp(`^${ether}$`) }).waitFor()

  await page.goto(server.resolvedUrls.local[0])
  await jarHas(0)
  await page.getByRole('button', { name: 'Tip 1 ETH' }).click()
  await jarHas(1)
  // The chain is in the database of the browser.
  await page.reload()
  await jarHas(1)
  assert.deepEqual(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)), [
    'isonode/dev',
  ])
} finally {
  await browser.close()
  await server.close()
}
console.log('the jar has 1 ether after a reload')
