/** The library for pages, with access to the parts of its nodes. */
export { createBrowserNode } from '../../../adapters/browser/index.ts'
export { internalsOf } from '../../../adapters/shared/localNode.ts'
