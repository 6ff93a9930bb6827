/** A dapp without a library. It also checks that its wallet looks as wallets do. */
import { expectEqual, INIT_CODE, runDapp, word } from './contract.ts'

const { ethereum } = window
const request = (method: string, ...params: unknown[]): Promise<unknown> => ethereum.request({ method, params })

runDapp(async () => {
  expectEqual(ethereum === window.ethereum, true)
  expectEqual(new Set([ethereum.request, window.ethereum.request]).size, 1)
  expectEqual(ethereum.constructor.name, 'TestWallet')
  expectEqual(Object.keys(window).includes('isonodeForked'), false)
  const announced = new Set<unknown>()
  addEventListener('eip6963:announceProvider', (event) => announced.add((event as CustomEvent).detail.provider))
  dispatchEvent(new Event('eip6963:requestProvider'))
  expectEqual(announced.has(ethereum), true)
  expectEqual(
    ethereum.on('chainChanged', () => {}),
    ethereum,
  )

  const [from] = (await request('eth_requestAccounts')) as [string]
  const hash = await request('eth_sendTransaction', { from, data: INIT_CODE })
  const { contractAddress: to } = (await request('eth_getTransactionReceipt', hash)) as { contractAddress: string }
  await request('eth_sendTransaction', { from, to, data: word(42) })
  expectEqual(await request('eth_call', { to }, 'latest'), word(42))
  await Promise.all([1, 2, 3].map(() => request('eth_getBalance', from, 'latest')))
  const refusal = (await request('no_suchMethod').catch((error: unknown) => error)) as { readonly code: number }
  expectEqual(refusal.code, -32601)
  // A rejection that nobody handles must still be reported to the page.
  const unhandled = new Promise((resolve) => addEventListener('unhandledrejection', resolve, { once: true }))
  void request('no_suchMethod')
  ;((await unhandled) as Event).preventDefault()
})
