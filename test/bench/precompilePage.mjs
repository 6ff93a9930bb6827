/** Runs the measurement in a page of Chromium. */
import { createServer } from 'node:http'
import path from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const ENTRY = `
import { installBrowserCrypto } from './dist/adapters/browser/crypto.js'
import { compileNativeModule } from './dist/src/evm/native/compileModule.js'
import { measurePrecompiles } from './test/bench/precompileRounds.mjs'
globalThis.measure = async (options) => {
  if (!options.portable) await installBrowserCrypto(compileNativeModule())
  return measurePrecompiles({ ...options, cpuMs: () => performance.now() })
}`
const REPOSITORY = path.resolve(import.meta.dirname, '../..')

export async function measureInChromium(options) {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: REPOSITORY },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  })
  const script = outputFiles[0].text
  const server = createServer(({ url }, response) => {
    const isScript = url === '/measure.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><script type="module" src="/measure.js"></script>')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const executablePath = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${server.address().port}/`)
    await page.waitForFunction(() => 'measure' in globalThis)
    return await page.evaluate((settings) => globalThis.measure(settings), options)
  } finally {
    await browser.close()
    server.close()
  }
}
