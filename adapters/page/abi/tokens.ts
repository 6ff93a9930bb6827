/**
 * Calls and logs of tokens. A token may lie, fail, or never end; so each call has a gas limit and each text a length.
 * @see EIP-20, EIP-721, EIP-1155
 * @module
 */
import { abiTypes } from '../../../src/abi/abiType.ts'
import { decodeAbi } from '../../../src/abi/abiValue.ts'
import { plainText } from '../../../src/abi/plainText.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isData, quantity } from '../format/hex.ts'
import type { Ask } from '../rpc/ask.ts'
import { RpcError } from '../rpc/errors.ts'
import type { Log } from '../rpc/types.ts'

/** Of `Transfer(address,address,uint256)`, which ERC-20 and ERC-721 share: ERC-721 has a fourth topic. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
export const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
export const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

const GAS = '0xf4240'
const MAX_TEXT = 64
const MAX_DECIMALS = 77

const SELECTORS = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  balanceOfId: '0x00fdd58e',
} as const

export interface TokenInfo {
  /** Empty: the token has none. */
  readonly name: string
  readonly symbol: string
  /** 0 when the token does not say. */
  readonly decimals: number
  readonly totalSupply: bigint | undefined
}

export interface TokenTransfer {
  readonly standard: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly tokenId: bigint | undefined
  readonly log: Log
}

export async function tokenInfo(ask: Ask, token: string): Promise<TokenInfo> {
  const [name, symbol, decimals, totalSupply] = await Promise.all([
    read(ask, token, SELECTORS.name),
    read(ask, token, SELECTORS.symbol),
    read(ask, token, SELECTORS.decimals),
    read(ask, token, SELECTORS.totalSupply),
  ])
  const places = Number(readWord(decimals) ?? 0n)
  return {
    name: readText(name),
    symbol: readText(symbol),
    decimals: places <= MAX_DECIMALS ? places : 0,
    totalSupply: readWord(totalSupply),
  }
}

/** @returns undefined when the call fails or answers something else */
export async function balanceOf(ask: Ask, token: string, owner: string, tokenId?: bigint): Promise<bigint | undefined> {
  const account = owner.slice(2).padStart(64, '0')
  const data =
    tokenId === undefined
      ? `${SELECTORS.balanceOf}${account}`
      : `${SELECTORS.balanceOfId}${account}${tokenId.toString(16).padStart(64, '0')}`
  return readWord(await read(ask, token, data))
}

async function read(ask: Ask, to: string, input: string): Promise<string> {
  try {
    return await ask<string>('eth_call', { to, input, gas: GAS }, 'latest')
  } catch (error) {
    // The token reverts or runs out of gas. A node that is away is another matter.
    if (error instanceof RpcError) return '0x'
    throw error
  }
}

function readWord(data: string): bigint | undefined {
  return data.length === 66 ? quantity(data) : undefined
}

const TEXT = abiTypes([{ type: 'string' }]) ?? []

/** Some early tokens answer with 32 bytes instead of a text. */
function readText(data: string): string {
  if (!isData(data) || data.length > 200_000) return ''
  const bytes = hexToBytes(data.slice(2))
  if (bytes.length === 32) return plainText(new TextDecoder().decode(bytes).replace(/\0+$/, ''), MAX_TEXT)
  const [value] = decodeAbi(TEXT, bytes) ?? []
  return value?.kind === 'string' ? plainText(value.value, MAX_TEXT) : ''
}

/** @returns empty when the log is none of a transfer */
export function transfersOf(log: Log): TokenTransfer[] {
  const [event, first, second, third] = log.topics
  if (event === TRANSFER && first !== undefined && second !== undefined) {
    const parties = { from: addressOf(first), to: addressOf(second), log }
    if (third !== undefined) return [{ ...parties, standard: 'ERC-721', amount: 1n, tokenId: quantity(third) }]
    return [{ ...parties, standard: 'ERC-20', amount: quantity(log.data.slice(0, 66)), tokenId: undefined }]
  }
  if (second === undefined || third === undefined) return []
  const parties = { standard: 'ERC-1155' as const, from: addressOf(second), to: addressOf(third), log }
  if (event === TRANSFER_SINGLE && log.data.length === 130) {
    const [tokenId, amount] = [quantity(log.data.slice(0, 66)), quantity(`0x${log.data.slice(66)}`)]
    return [{ ...parties, tokenId, amount }]
  }
  return event === TRANSFER_BATCH ? batchOf(log.data).map(([tokenId, amount]) => ({ ...parties, tokenId, amount })) : []
}

const BATCH = abiTypes([{ type: 'uint256[]' }, { type: 'uint256[]' }]) ?? []

function batchOf(data: string): [tokenId: bigint, amount: bigint][] {
  if (!isData(data)) return []
  const [ids, amounts] = decodeAbi(BATCH, hexToBytes(data.slice(2))) ?? []
  if (ids?.kind !== 'list' || amounts?.kind !== 'list') return []
  return ids.items.flatMap((id, i) => {
    const amount = amounts.items[i]
    return id.kind === 'number' && amount?.kind === 'number' ? [[id.value, amount.value]] : []
  })
}

function addressOf(topic: string): string {
  return `0x${topic.slice(-40)}`
}

export function topicOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}
