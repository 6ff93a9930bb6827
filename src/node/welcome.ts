export interface Welcome {
  readonly version: string
  readonly chainId: bigint
  /** Of the endpoint, as the client knows it. */
  readonly url: string
  /** Whether browsers get the explorer at the same address. */
  readonly hasExplorer: boolean
}

/** The answer to a client that reads the JSON-RPC port: what it is and how to call it. */
export function welcomeText({ version, chainId, url, hasExplorer }: Welcome): string {
  const request = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  return [
    `isonode v${version}: a JSON-RPC endpoint of the Ethereum chain ${chainId}.`,
    ...(hasExplorer
      ? ['', `In a browser, ${url} shows the chain: blocks, transactions, contracts and a debugger.`]
      : []),
    '',
    'It answers POST requests. To ask for the number of the latest block:',
    '',
    `  curl ${url} -H 'Content-Type: application/json' -d '${request}'`,
    '',
    'rpc.discover describes all methods, rpc_modules lists the groups that are enabled.',
    `In a wallet, use ${url} as RPC URL and ${chainId} as chain id.`,
    '',
  ].join('\n')
}
