/** The panel in the developer tools, where it sees HTTP requests as well. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/host/eventually.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { needsChromium } from '../support/chromium.ts'
import { BrowserWithPanel } from './support/browserWithPanel.ts'
import { type DappSite, openDappSite } from './support/dappSite.ts'
import { DEVTOOLS_FLAGS, evaluateIn, findTarget } from './support/devTools.ts'

describe('the panel in the developer tools', needsChromium, () => {
  let browser: BrowserWithPanel
  let opened: OpenedNode
  let site: DappSite
  beforeAll(async () => {
    ;[browser, opened] = await Promise.all([BrowserWithPanel.open(DEVTOOLS_FLAGS), openDevNode()])
    site = await openDappSite(opened, { '/blank': '<title>Blank</title>' })
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    await opened?.node.close()
  })

  const target = async (part: string) => {
    const found = await findTarget(browser.profile, ({ url, title }) => `${url} ${title}`.includes(part))
    if (found === undefined) throw new Error(`no page of the browser is ${part}`)
    return found
  }

  it('records every call over HTTP, without a permission', async () => {
    const [first] = browser.context.pages()
    await first?.close()
    const page = await browser.context.newPage()
    await page.goto(`${site.url}/blank`)
    const tools = await eventually(() => target(`DevTools - ${new URL(site.url).host}/blank`))
    const view = JSON.stringify(`${browser.origin}isonode`)
    const show = `import('./ui/legacy/legacy.js').then(({ ViewManager }) => ViewManager.ViewManager.instance().showView(${view}))`
    // The tools do not know the panel before they have loaded the extension.
    const panel = await eventually(async () => {
      await evaluateIn(tools, show)
      return target('panel.html')
    }, 200)
    await eventually(async () => expect(await evaluateIn(panel, 'document.body.innerText')).toContain('No calls yet'))

    await page.goto(`${site.url}/http`)
    await page.waitForFunction(() => window.dappResult !== undefined)
    expect(await page.evaluate(() => window.dappResult)).toBe('passed')
    expect(site.methods).toEqual(['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'eth_chainId'])
    const shown = "[...document.querySelectorAll('button.call .method')].map(({ textContent }) => textContent).join()"
    await eventually(async () => expect(await evaluateIn(panel, shown)).toBe(site.methods.join()))
  })
})
