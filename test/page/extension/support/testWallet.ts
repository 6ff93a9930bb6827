/** A wallet that another extension injects: it runs in the page, before the page's scripts. */

/** Must not refer to anything outside: it is sent to the page as text. */
export function injectTestWallet(): void {
  class TestWallet {
    // As wallets have them: only the object itself can use these.
    #id = 0
    readonly #listeners = new Map<string, Set<(value: unknown) => void>>()

    async request({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }) {
      const known = method === 'eth_requestAccounts' ? 'eth_accounts' : method
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method: known, params })
      const response = await fetch('/rpc', { method: 'POST', body })
      const { result, error } = await response.json()
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code, data: error.data })
      return result
    }

    on(event: string, listener: (value: unknown) => void): this {
      this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener))
      return this
    }

    removeListener(event: string, listener: (value: unknown) => void): this {
      this.#listeners.get(event)?.delete(listener)
      return this
    }
  }
  const wallet = new TestWallet()
  const info = {
    uuid: 'c0ffee00-0000-4000-8000-000000000000',
    name: 'Test wallet',
    icon: 'data:,',
    rdns: 'test.wallet',
  }
  const announce = (): void => {
    const detail = Object.freeze({ info, provider: wallet })
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  Object.defineProperty(globalThis, 'ethereum', { value: wallet, configurable: true, writable: true, enumerable: true })
  addEventListener('eip6963:requestProvider', announce)
  announce()
}
