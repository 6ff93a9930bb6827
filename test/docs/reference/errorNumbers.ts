/** Cause and remedy of each number of the error table and of the provider. */

export const NUMBERS: Readonly<Record<number, readonly [cause: string, remedy: string]>> = {
  3: [
    'The call or the simulated transaction reverted.',
    '`data` holds the output of the contract: decode it with the ABI.',
  ],
  4: ['The transaction was not mined in time.', 'Wait longer, or mine a block; the transaction stays in the pool.'],
  4900: ['The node was closed before it answered.', 'Keep the node open until the last request is answered.'],
  [-32700]: ['The request is not JSON.', 'Send one JSON object, or an array of objects.'],
  [-32600]: ['The request is JSON, but not a JSON-RPC request.', 'Send `jsonrpc`, `id`, `method` and `params`.'],
  [-32601]: [
    'The node does not have this method, or does not serve it on this endpoint.',
    'Check the spelling, and enable the group of the method (`--rpc-http-api`).',
  ],
  [-32602]: [
    'A parameter has the wrong form or value.',
    "The message names the parameter. In Besu's profile it is always the same text, and only the library's error has `parameter`, `expected` and `got`. The forms are in the [methods](methods/README.md).",
  ],
  [-32603]: ['The node failed.', 'The log of the node has the cause.'],
  [-32604]: ['The method is known, but not enabled here.', 'Enable its group (`--rpc-http-api`, `--rpc-ws-api`).'],
  [-32000]: [
    'The node understood the request and refuses it, or lacks the data.',
    'The message names the cause; see the table below.',
  ],
  [-32001]: [
    'The nonce of the transaction is too low, or there is no such payload.',
    'Use the next nonce of the account (`eth_getTransactionCount` of `pending`).',
  ],
  [-32002]: ['The request exceeded its time limit, or its resource is not ready.', 'Ask for less, or raise the limit.'],
  [-32003]: ['The answer or the transaction is beyond a limit.', 'Ask for less, or change the transaction.'],
  [-32004]: ['The account cannot pay value and fee.', 'Fund the account, or send less.'],
  [-32005]: [
    'A limit on the number of requests, results or blocks is reached.',
    'Ask for less, wait, or raise the limit.',
  ],
  [-32006]: ['The nonce of the transaction is too high.', 'Send the transactions before it first.'],
  [-32007]: ['The sender may not send transactions.', 'Ask the operator for the permission of the account.'],
  [-32008]: ['The state of the head is not available.', 'Wait until the node has synchronised.'],
  [-32009]: [
    'The price of the transaction is below the minimum of the node.',
    'Raise the price, or lower `--min-gas-price`.',
  ],
  [-32010]: ['Mining needs a beneficiary.', 'Set it with `miner_setCoinbase` or `--miner-coinbase`.'],
  [-32011]: [
    'The node does not mine.',
    'Start mining with `miner_start`; a changed target needs `--target-gas-limit`.',
  ],
  [-32015]: ['The execution failed.', 'The message names the reason.'],
  [-32100]: ['The peer is this node.', 'Give the enode URL of another node.'],
  [-38002]: ['The fork choice names no known chain.', 'Send the blocks first.'],
  [-38003]: ['The attributes of the payload are invalid.', 'Correct the attributes.'],
  [-38004]: ['The request asks for too much.', 'Ask for less.'],
  [-38010]: ['The nonce of a simulated call is too low.', 'Use the next nonce of the account.'],
  [-38011]: ['The nonce of a simulated call is too high.', 'Use the next nonce of the account.'],
  [-38012]: ['The fee of a simulated call is below the base fee.', 'Raise `maxFeePerGas`.'],
  [-38013]: ['The gas of a simulated call is below its intrinsic gas.', 'Raise `gas`.'],
  [-38014]: ['The sender of a simulated call cannot pay.', 'Give it a balance in `stateOverrides`.'],
  [-38015]: ['A simulated block exceeds its gas limit.', 'Spread the calls over more blocks.'],
  [-38020]: ['Simulated blocks are not in order of their numbers.', 'Give increasing numbers.'],
  [-38021]: ['Simulated blocks are not in order of their times.', 'Give increasing times.'],
  [-38024]: ['The sender of a simulated call has code.', 'Send from an account without code.'],
  [-38025]: ['The init code of a simulated call is too large.', 'Shorten the code.'],
  [-38026]: ['The simulation has too many blocks.', 'Simulate fewer blocks.'],
  [-39001]: ['The block is not known.', 'Check number or hash; a node that synchronises may not have it yet.'],
  [-40100]: [
    'The endpoint needs a token, or the token permits no such method.',
    'Log in, and send `Authorization: Bearer …`.',
  ],
  [-50100]: [
    'A private transaction or its group is invalid.',
    'The message names the rule; see [privacy](guides/privacy.md).',
  ],
  [-50200]: [
    'The enclave refuses the request, or fails.',
    'The message is that of the enclave; see [privacy](guides/privacy.md).',
  ],
  [-60000]: ['There is no such plugin.', 'Check the name, and `--plugins`.'],
}
