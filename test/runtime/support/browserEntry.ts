/** The library for pages, with access to the parts of its nodes. */
export { createBrowserNode } from '../../../adapters/browser/browser.ts'
export { internalsOf } from '../../../adapters/shared/localNode.ts'

export const loadReferenceEvm = (): Promise<typeof import('../../../adapters/browser/referenceEvm.ts')> =>
  import('../../../adapters/browser/referenceEvm.ts')
