/**
 * A transaction as a command or code of other tools.
 * @module
 */
import { quantity } from '../../format/hex.ts'

export interface CallFields {
  readonly from: string
  /** null: a creation */
  readonly to: string | null
  readonly value: string
  readonly gas: string
  readonly input: string
}

/** The same call as a transaction of an account that the node signs for. */
export function castSend(url: string, { from, to, value, gas, input }: CallFields): string {
  const options = `--rpc-url ${url} --unlocked --from ${from} --gas-limit ${quantity(gas)}`
  const amount = quantity(value) > 0n ? ` --value ${quantity(value)}` : ''
  if (to === null) return `cast send ${options}${amount} --create ${input}`
  return `cast send ${options}${amount} ${to}${input === '0x' ? '' : ` ${input}`}`
}

export function viemSend(url: string, { from, to, value, gas, input }: CallFields): string {
  const fields = [
    '  chain: null,',
    `  account: '${from}',`,
    ...(to === null ? [] : [`  to: '${to}',`]),
    ...(quantity(value) > 0n ? [`  value: ${quantity(value)}n,`] : []),
    `  gas: ${quantity(gas)}n,`,
    ...(input === '0x' ? [] : [`  data: '${input}',`]),
  ]
  return [
    "import { createWalletClient, http } from 'viem'",
    '',
    `const client = createWalletClient({ transport: http('${url}') })`,
    'const hash = await client.sendTransaction({',
    ...fields,
    '})',
  ].join('\n')
}

export function curlSend(url: string, { from, to, value, gas, input }: CallFields): string {
  const call = { from, ...(to === null ? {} : { to }), value, gas, input }
  return curlCommand(url, 'eth_sendTransaction', [call])
}

/** Parameters are JSON, so a quote in them is escaped for the shell. */
export function curlCommand(url: string, method: string, params: readonly unknown[]): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return `curl ${url} -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`
}
