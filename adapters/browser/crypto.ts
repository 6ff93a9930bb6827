/**
 * Fast hash and signature functions in a page or a web worker.
 * @module
 */
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import { type FastCryptoReport, installFastCrypto } from '../shared/fastCrypto.ts'
import { type TinySecp256k1, tinySecp256k1 } from '../shared/tinySecp256k1.ts'

export interface BrowserCryptoOptions {
  /**
   * `() => import('tiny-secp256k1')`, where the page's bundler takes WebAssembly imports. It recovers senders several
   * times faster and weighs 1.2 MB, so the page decides.
   */
  readonly loadSecp256k1?: () => Promise<TinySecp256k1>
}

/** Without effect where the page's security policy forbids compiling WebAssembly. */
export function installBrowserCrypto({ loadSecp256k1 }: BrowserCryptoOptions = {}): Promise<FastCryptoReport> {
  return installFastCrypto({
    loadNativeModule: compileNativeModule,
    loadCreateKeccak: async () => (await import('hash-wasm')).createKeccak,
    secp256k1: loadSecp256k1 ? [{ name: 'wasm', load: async () => tinySecp256k1(await loadSecp256k1()) }] : [],
  })
}
