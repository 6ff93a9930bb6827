/**
 * The EVM of `@ethereumjs` for pages that cannot compile WebAssembly: `createBrowserNode` takes this module as
 * `loadReferenceEvm`. No other module of the library for pages imports `@ethereumjs`.
 * @module
 */
import { createReferenceEvm as create } from '../../src/evm/reference/evm.ts'
import type { ReferenceEvmModule } from './contract.ts'

/** For {@link createBrowserNode} alone. */
export const createReferenceEvm: ReferenceEvmModule['createReferenceEvm'] = create
