/** The script of pages in the tests of shared nodes. */
export { createBrowserNode } from '../../../adapters/browser/browser.ts'
export { createSharedNode } from '../../../adapters/browser/shared.ts'
