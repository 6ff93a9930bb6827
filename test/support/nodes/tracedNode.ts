/** Transactions of the first dev account for traces. */
import { bytesToHex, concatBytes } from '../../../src/base/primitives/bytes.ts'
import { ALICE } from './devChain.ts'
import type { OpenedNode } from './devNodeInMemory.ts'

/** @returns the hash */
export function send({ rpc }: OpenedNode, fields: object): Promise<string> {
  return rpc('eth_sendTransaction', { from: ALICE.address, gas: '0xf4240', ...fields })
}

/** Deploys code in a separate block. @returns its address */
export async function deploy(node: OpenedNode, code: Uint8Array): Promise<string> {
  // CODECOPY of the bytes that follow, RETURN.
  const length = Uint8Array.of(code.length >> 8, code.length & 0xff)
  const head = Uint8Array.of(0x61, ...length, 0x80, 0x60, 0x0a, 0x5f, 0x39, 0x5f, 0xf3)
  const hash = await send(node, { data: bytesToHex(concatBytes(head, code)) })
  const receipt = await node.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  return receipt.contractAddress
}
