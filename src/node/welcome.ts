/** The answer to a browser that opens the JSON-RPC port: what it is and how to call it. */
export function welcomeText(version: string, chainId: bigint, url: string): string {
  const request = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  return [
    `isonode v${version}: a JSON-RPC endpoint of the Ethereum chain ${chainId}.`,
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
