/** A dapp that keeps a number in a contract, and shows it. */
import { INIT_CODE, word } from './contract.ts'

const { ethereum } = window
const request = (method: string, ...params: unknown[]): Promise<unknown> => ethereum.request({ method, params })

const events: unknown[] = []
ethereum.on('chainChanged', (chainId) => events.push(chainId))

async function deploy(): Promise<string> {
  const [from] = (await request('eth_requestAccounts')) as [string]
  const hash = await request('eth_sendTransaction', { from, data: INIT_CODE })
  const { contractAddress } = (await request('eth_getTransactionReceipt', hash)) as { contractAddress: string }
  return contractAddress
}

async function write(to: string, value: number): Promise<unknown> {
  const [from] = (await request('eth_accounts')) as [string]
  return request('eth_sendTransaction', { from, to, data: word(value) })
}

const dapp = {
  events,
  deploy,
  write,
  read: async (to: string): Promise<number> => Number(await request('eth_call', { to }, 'latest')),
  sign: (): Promise<unknown> => request('personal_sign', '0x12', '0x34').catch((error: unknown) => error),
}

export type Dapp = typeof dapp

Object.assign(window, { dapp })
