/** A contract without a compiler, for dapps that use different libraries. */

/** Stores the first word of the calldata, and logs it; without calldata it returns what is stored. */
const RUNTIME = '36600f5760005460005260206000f35b6000358060005560005260206000a000'
/** Copies the code that follows. */
export const INIT_CODE = `0x6020600c60003960206000f3${RUNTIME}` as const

export const word = (value: number): `0x${string}` => `0x${value.toString(16).padStart(64, '0')}`

/** The dapps are their own tests. */
export function expectEqual(actual: unknown, expected: unknown): void {
  const [a, e] = [String(actual), String(expected)]
  if (a !== e) throw new Error(`expected ${e}, got ${a}`)
}

export interface Wallet {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  on(event: string, listener: (value: unknown) => void): unknown
}

declare global {
  interface Window {
    readonly ethereum: Wallet
    /** `passed`, or what failed. */
    dappResult?: string
  }
}

/** Runs a dapp, and leaves its result for the test. */
export function runDapp(dapp: () => Promise<void>): void {
  dapp().then(
    () => {
      window.dappResult = 'passed'
    },
    (error: unknown) => {
      window.dappResult = String(error)
    },
  )
}
