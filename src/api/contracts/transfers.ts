/**
 * Ether and tokens that a transaction moved.
 * @module
 */
import type { Argument, ArgumentValue, Decoded } from '../../abi/decoded.ts'
import { MAX_SUMMARY_TRANSFERS } from '../../base/limits/limits.ts'
import { hexToBytes } from '../../base/primitives/bytes.ts'
import type { CallFrame } from '../../tracing/geth/callTree.ts'
import { checksumAddress } from '../../types/address.ts'
import type { Log } from '../../types/receipt.ts'
import type { TransferView } from './summaryView.ts'

export class Transfers {
  readonly list: TransferView[] = []
  isCut = false

  /** Ether of a call and of the calls that it made, without those that failed. */
  addCalls(frame: CallFrame): void {
    if (frame.error !== undefined) return
    const { type, value = 0n, from, to, calls = [] } = frame
    // DELEGATECALL and CALLCODE move nothing between accounts.
    if (value > 0n && to !== undefined && type !== 'DELEGATECALL' && type !== 'CALLCODE') {
      this.#add({
        standard: 'native',
        token: null,
        from: addressText(from),
        to: addressText(to),
        amount: String(value),
      })
    }
    for (const call of calls) this.addCalls(call)
  }

  /** Tokens that a log reports; the contract may lie. */
  addLog({ address, topics }: Log, decoded: Decoded | undefined): void {
    if (decoded === undefined) return
    const { signature, args } = decoded
    const token = checksumAddress(address)
    switch (signature) {
      case 'Transfer(address,address,uint256)': {
        const [from, to, value] = args.map(textOf)
        if (from === undefined || to === undefined || value === undefined) return
        const tokens = topics.length === 4 ? ({ standard: 'ERC721', amount: '1', tokenId: value } as const) : undefined
        this.#add({ ...(tokens ?? { standard: 'ERC20', amount: value }), token, from, to })
        break
      }
      case 'TransferSingle(address,address,address,uint256,uint256)': {
        const [, from, to, tokenId, amount] = args.map(textOf)
        if (from === undefined || to === undefined || tokenId === undefined || amount === undefined) return
        this.#add({ standard: 'ERC1155', token, from, to, amount, tokenId })
        break
      }
      case 'TransferBatch(address,address,address,uint256[],uint256[])':
        this.#addBatch(token, args)
    }
  }

  #addBatch(token: string, args: readonly Argument[]): void {
    const [, from, to] = args.map(textOf)
    const [ids, amounts] = [listOf(args[3]), listOf(args[4])]
    if (from === undefined || to === undefined) return
    for (const [i, tokenId] of ids.entries()) {
      const amount = amounts[i]
      if (typeof tokenId === 'string' && typeof amount === 'string') {
        this.#add({ standard: 'ERC1155', token, from, to, amount, tokenId })
      }
    }
  }

  #add(transfer: TransferView): void {
    if (this.list.length < MAX_SUMMARY_TRANSFERS) this.list.push(transfer)
    else this.isCut = true
  }
}

function textOf({ value }: Argument): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function listOf(argument: Argument | undefined): readonly ArgumentValue[] {
  const value = argument?.value
  return Array.isArray(value) ? value : []
}

function addressText(hex: string): string {
  return checksumAddress(hexToBytes(hex))
}
