/** viem clients of a dev chain, and the token that they use. */
import {
  type Chain,
  createWalletClient,
  defineChain,
  type Hash,
  type Hex,
  type HttpTransport,
  http,
  type PrivateKeyAccount,
  type PublicActions,
  parseAbi,
  publicActions,
  type TestActions,
  testActions,
  type WalletClient,
  type WebSocketTransport,
  webSocket,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { compileContract, TOKEN_ABI } from '../evm/solidity.ts'
import { DEV_CHAIN_ID, DEV_MNEMONIC, type DevTarget } from '../nodes/devNode.ts'

export type TransportKind = 'http' | 'ws'
export type DevClient = WalletClient<HttpTransport | WebSocketTransport, Chain, PrivateKeyAccount> &
  PublicActions &
  TestActions

export const TRANSPORT_KINDS: readonly TransportKind[] = ['http', 'ws']
export const TOKEN = parseAbi(TOKEN_ABI)
/** Supply of a new token, owned by its deployer. */
export const TOKEN_SUPPLY = 1_000_000n
const POLL_MS = 25

export const devChain: Chain = defineChain({
  id: DEV_CHAIN_ID,
  name: 'dev',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

/** The funded accounts, with their keys. */
export const devAccounts: readonly PrivateKeyAccount[] = Array.from(
  { length: 10 },
  (_, addressIndex) => mnemonicToAccount(DEV_MNEMONIC, { addressIndex }) as unknown as PrivateKeyAccount,
)

export const devAccount = (index: number): PrivateKeyAccount => devAccounts[index] as PrivateKeyAccount

export function transportOf(kind: TransportKind, target: DevTarget): HttpTransport | WebSocketTransport {
  return kind === 'http' ? http(target.http) : webSocket(target.ws, { reconnect: false, keepAlive: false })
}

/** @param onRequest called with every method that has been answered */
export function connect(
  kind: TransportKind,
  target: DevTarget,
  index: number,
  onRequest?: (method: string) => void,
): DevClient {
  const inner = transportOf(kind, target)
  const transport = ((parameters: never) => {
    const made = inner(parameters)
    const request = async (body: { method: string }): Promise<unknown> => {
      const answer = await made.request(body as never)
      onRequest?.(body.method)
      return answer
    }
    return { ...made, request }
  }) as unknown as typeof inner
  return createWalletClient({
    account: devAccount(index),
    chain: devChain,
    transport,
    pollingInterval: POLL_MS,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' })) as unknown as DevClient
}

/** @returns the address of a new token */
export async function deployToken(client: DevClient): Promise<Hex> {
  const { bytecode } = compileContract('Token')
  const hash = await client.deployContract({ abi: TOKEN, bytecode, args: [TOKEN_SUPPLY] })
  const { contractAddress, status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error('the token cannot be deployed')
  return contractAddress as Hex
}

/** Closes the WebSocket, which viem would keep open for later clients of the same URL. */
export async function disconnect(client: DevClient): Promise<void> {
  const { getRpcClient } = client.transport as { getRpcClient?(): Promise<{ close(): void }> }
  ;(await getRpcClient?.())?.close()
}

/** Sends tokens and waits until they have been transferred. */
export async function transferToken(client: DevClient, address: Hex, to: Hex, value: bigint, more = {}): Promise<Hash> {
  const hash = await client.writeContract({ abi: TOKEN, address, functionName: 'transfer', args: [to, value], ...more })
  await client.waitForTransactionReceipt({ hash })
  return hash
}
