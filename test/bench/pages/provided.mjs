/** A target that is asked by JSON-RPC. */

const RECIPIENT = '0x00000000000000000000000000000000000000bb'

/** @param sender default: the first of `eth_accounts` */
export async function provided({ request }, sender) {
  let from = sender
  return {
    call: (to, data) => request('eth_call', [{ to, data }, 'latest']),
    transact: async () => {
      from ??= (await request('eth_accounts'))[0]
      await request('eth_sendTransaction', [{ from, to: RECIPIENT, value: '0x1' }])
    },
    setCode: (address, code) => request('anvil_setCode', [address, code]),
    blockNumber: async () => Number(await request('eth_blockNumber')),
  }
}
