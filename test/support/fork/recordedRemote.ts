/** A recorded chain as the remote of a fork. */

import { recordedPath } from '../recorded/conformance.ts'
import { openRecordedChain, type RecordedChain } from '../recorded/recordedRpc.ts'
import { NodeRemote, type Rpc } from './nodeRemote.ts'

export interface RecordedRemote extends RecordedChain {
  readonly remote: NodeRemote
}

/** Chains by folder. Forks only read them. */
const opened = new Map<string, Promise<RecordedChain>>()

/** @param folder such as `besu/cancun` */
export async function openRecordedRemote(folder: string): Promise<RecordedRemote> {
  let chain = opened.get(folder)
  if (chain === undefined) {
    chain = openRecordedChain({
      genesisFile: recordedPath(folder, 'genesis.json'),
      blocksFile: recordedPath(folder, 'blocks.bin'),
    })
    opened.set(folder, chain)
  }
  const recorded = await chain
  return { ...recorded, remote: new NodeRemote(rpcOf(recorded)) }
}

function rpcOf({ send }: RecordedChain): Rpc {
  return async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const { body } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(body) as {
      result: T
      error?: { code: number; message: string; data?: unknown }
    }
    if (error !== undefined) throw Object.assign(new Error(error.message), error)
    return result
  }
}
