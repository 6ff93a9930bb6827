/** A node in the page. */
import { createBrowserNode } from '../../../dist/adapters/browser/browser.js'
import { begin } from './load.mjs'
import { provided } from './provided.mjs'

begin(async (options) => provided(await createBrowserNode(options)))
